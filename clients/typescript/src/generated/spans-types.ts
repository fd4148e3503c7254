// Written by npm run generate from the contract: change that.
import type { ChatMessage, ContentPart, ControlResult, RetrievedDocument } from './traces-types.js';
import type { NewSpan } from './traces-types-2.js';
import type { MetricInfo, RejectedItem } from './traces-types-3.js';

export type LogSpans = {
  /** Id of the trace. */
  readonly trace_id: string;
  /** Id of the record below which the spans stand. */
  readonly parent_id: string;
  /** Spans of the trace, 1 to 1,000; they may nest. */
  readonly spans: readonly NewSpan[];
  /** Way in which the records were sent; null: `api_direct`. */
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  /** Version of the client that sends; null: unknown. */
  readonly client_version?: string | null;
  /** Ignored: every 2xx is durable. */
  readonly reliable?: unknown;
};

export type LogSpansResponse = {
  /** Id of the project. */
  readonly project_id: string;
  /** Name of the project. */
  readonly project_name: string;
  /** Log stream of the records; null: another kind of run. */
  readonly log_stream_id: string | null;
  /** Experiment of the records; null: another kind of run. */
  readonly experiment_id: string | null;
  /** Metrics-testing run of the records; null: another kind of run. */
  readonly metrics_testing_id: string | null;
  /** Session of the (last) trace; null: none. */
  readonly session_id: string | null;
  /** Number of accepted traces and spans. */
  readonly records_count: number;
  /** Id of the trace. */
  readonly trace_id: string;
  /** Id of the record below which the spans stand. */
  readonly parent_id: string;
  /** Items that were not recorded, and why. */
  readonly rejected: readonly RejectedItem[];
  /** Paths of texts that were longer than 1 MiB and were cut. */
  readonly truncated: readonly (readonly string[])[];
};

export type Span = {
  /** Kind of the record. */
  readonly type: 'llm' | 'control' | 'retriever' | 'agent' | 'tool' | 'workflow';
  /** Id of the record. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Session of the record; of a lone trace the id of the trace. */
  readonly session_id: string | null;
  /** Id of the trace. */
  readonly trace_id: string | null;
  /** Name of the record; empty when unnamed. */
  readonly name: string;
  /** Time when the step began, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time when the record last changed; null: never. */
  readonly updated_at: string | null;
  /** Input of the step. */
  readonly input: unknown;
  /** Output of the step; null: nothing. */
  readonly output: unknown;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input: unknown;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output: unknown;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata: Readonly<Record<string, string>>;
  /** Labels given by the sender. */
  readonly tags: readonly string[];
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code: number | null;
  /** Own values by metric name, without rolled-up ones. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** Id given by the sender; null: none. */
  readonly external_id: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output: string | null;
  /** Texts by key from the metadata of the dataset row. */
  readonly dataset_metadata: Readonly<Record<string, string>>;
  /** True when the record has spans, or the session traces, below it. */
  readonly has_children: boolean;
  /** True when the trace, or every trace of the session, has ended. */
  readonly is_complete: boolean;
  /** Value and its origin by metric, own and rolled up. */
  readonly metric_info: Readonly<Record<string, MetricInfo>>;
  /** Id of the parent: a span, or the trace. */
  readonly parent_id?: string | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Tools offered to the model; null: none. */
  readonly tools?: unknown;
  /** Events of the model call, such as reasoning and web searches; null: none. */
  readonly events?: unknown;
  /** Name of the model; null: unknown. */
  readonly model?: string | null;
  /** Sampling temperature; null: unknown. */
  readonly temperature?: number | null;
  /** Reason why generation stopped, for example `stop`; null: unknown. */
  readonly finish_reason?: string | null;
  /** Id of the tool call that is answered; null: none. */
  readonly tool_call_id?: string | null;
  /** Kind of agent; null: of other spans, or not given. */
  readonly agent_type?: string | null;
  /** Number of the control; null: none. */
  readonly control_id?: number | null;
  /** Agent that the control guards; null: none. */
  readonly agent_name?: string | null;
  /** `pre` before, `post` after the checked step; null: unknown. */
  readonly check_stage?: string | null;
  /** Kind of call that the control checks; null: unknown. */
  readonly applies_to?: string | null;
  /** Evaluator behind the control; null: unknown. */
  readonly evaluator_name?: string | null;
  /** Part of the step that the control checks; null: unknown. */
  readonly selector_path?: string | null;
};

export type SpanFields = {
  /** Kind of the record. */
  readonly type?: 'llm' | 'control' | 'retriever' | 'agent' | 'tool' | 'workflow';
  /** Id of the record. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id?: string;
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id?: string;
  /** Session of the record; of a lone trace the id of the trace. */
  readonly session_id?: string | null;
  /** Id of the trace. */
  readonly trace_id?: string | null;
  /** Name of the record; empty when unnamed. */
  readonly name?: string;
  /** Time when the step began, in UTC to the microsecond. */
  readonly created_at?: string;
  /** Time when the record last changed; null: never. */
  readonly updated_at?: string | null;
  /** Input of the step. */
  readonly input?: unknown;
  /** Output of the step; null: nothing. */
  readonly output?: unknown;
  /** Input without confidential parts; stored and answered, never searched. */
  readonly redacted_input?: unknown;
  /** Output without confidential parts; stored and answered, never searched. */
  readonly redacted_output?: unknown;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string>>;
  /** Labels given by the sender. */
  readonly tags?: readonly string[];
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Own values by metric name, without rolled-up ones. */
  readonly metrics?: Readonly<Record<string, unknown>>;
  /** Id given by the sender; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row. */
  readonly dataset_metadata?: Readonly<Record<string, string>>;
  /** True when the record has spans, or the session traces, below it. */
  readonly has_children?: boolean;
  /** True when the trace, or every trace of the session, has ended. */
  readonly is_complete?: boolean;
  /** Value and its origin by metric, own and rolled up. */
  readonly metric_info?: Readonly<Record<string, MetricInfo>>;
  /** Id of the parent: a span, or the trace. */
  readonly parent_id?: string | null;
  /** Place among the siblings; null: last. */
  readonly step_number?: number | null;
  /** Tools offered to the model; null: none. */
  readonly tools?: unknown;
  /** Events of the model call, such as reasoning and web searches; null: none. */
  readonly events?: unknown;
  /** Name of the model; null: unknown. */
  readonly model?: string | null;
  /** Sampling temperature; null: unknown. */
  readonly temperature?: number | null;
  /** Reason why generation stopped, for example `stop`; null: unknown. */
  readonly finish_reason?: string | null;
  /** Id of the tool call that is answered; null: none. */
  readonly tool_call_id?: string | null;
  /** Kind of agent; null: of other spans, or not given. */
  readonly agent_type?: string | null;
  /** Number of the control; null: none. */
  readonly control_id?: number | null;
  /** Agent that the control guards; null: none. */
  readonly agent_name?: string | null;
  /** `pre` before, `post` after the checked step; null: unknown. */
  readonly check_stage?: string | null;
  /** Kind of call that the control checks; null: unknown. */
  readonly applies_to?: string | null;
  /** Evaluator behind the control; null: unknown. */
  readonly evaluator_name?: string | null;
  /** Part of the step that the control checks; null: unknown. */
  readonly selector_path?: string | null;
};

export type SpanFieldsPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Records of the page, without their trees. */
  readonly records: readonly SpanFields[];
  /** Id of the last record of the page; null on an empty page. */
  readonly last_row_id: string | null;
};

export type SpanPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Records of the page, without their trees. */
  readonly records: readonly Span[];
  /** Id of the last record of the page; null on an empty page. */
  readonly last_row_id: string | null;
};

export type UpdateSpan = {
  /** Input that replaces the present one; null: unchanged. */
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  /** Output that replaces the present one; null: unchanged. */
  readonly output?:
    | string
    | ChatMessage
    | RetrievedDocument
    | ControlResult
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | null;
  /** Outcome as an HTTP-like code; null: unchanged. */
  readonly status_code?: number | null;
  /** Labels that are added to the present ones; null: none. */
  readonly tags?: readonly (string | null)[] | null;
  /** Duration in nanoseconds, the metric `duration_ns`; null: unchanged. */
  readonly duration_ns?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Way in which the records were sent; null: `api_direct`. */
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  /** Version of the client that sends; null: unknown. */
  readonly client_version?: string | null;
  /** Ignored: every 2xx is durable. */
  readonly reliable?: unknown;
};

export type UpdateSpanResponse = {
  /** Id of the project. */
  readonly project_id: string;
  /** Name of the project. */
  readonly project_name: string;
  /** Log stream of the records; null: another kind of run. */
  readonly log_stream_id: string | null;
  /** Experiment of the records; null: another kind of run. */
  readonly experiment_id: string | null;
  /** Metrics-testing run of the records; null: another kind of run. */
  readonly metrics_testing_id: string | null;
  /** Session of the (last) trace; null: none. */
  readonly session_id: string | null;
  /** Number of accepted traces and spans. */
  readonly records_count: number;
  /** Id of the trace. */
  readonly trace_id: string;
  /** Id of the record below which the spans stand. */
  readonly parent_id: string;
  /** Id of the span. */
  readonly span_id: string;
};
