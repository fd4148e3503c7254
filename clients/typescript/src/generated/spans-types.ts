// Written by npm run client:typescript from the contract: change that.
import type { ChatMessage, ContentPart, ControlResult, RetrievedDocument } from './traces-types.js';
import type { NewSpan, RejectedItem } from './traces-types-2.js';
import type { MetricInfo } from './traces-types-3.js';

export type LogSpans = {
  readonly trace_id: string;
  readonly parent_id: string;
  readonly spans: readonly NewSpan[];
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  readonly client_version?: string | null;
  readonly reliable?: unknown;
};

export type LogSpansResponse = {
  readonly project_id: string;
  readonly project_name: string;
  readonly log_stream_id: string | null;
  readonly experiment_id: string | null;
  readonly metrics_testing_id: string | null;
  readonly session_id: string | null;
  readonly records_count: number;
  readonly trace_id: string;
  readonly parent_id: string;

  /** Items that were not recorded, and why. */
  readonly rejected: readonly RejectedItem[];

  /** Paths of texts that were longer than 1 MiB and were cut. */
  readonly truncated: readonly (readonly string[])[];
};

export type Span = {
  readonly type: 'llm' | 'control' | 'retriever' | 'agent' | 'tool' | 'workflow';
  readonly id: string;
  readonly project_id: string;
  readonly run_id: string;
  readonly session_id: string | null;
  readonly trace_id: string | null;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly redacted_input: unknown;
  readonly redacted_output: unknown;
  readonly user_metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly status_code: number | null;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly external_id: string | null;
  readonly dataset_input: string | null;
  readonly dataset_output: string | null;
  readonly dataset_metadata: Readonly<Record<string, string>>;
  readonly has_children: boolean;
  readonly is_complete: boolean;
  readonly metric_info: Readonly<Record<string, MetricInfo>>;
  readonly parent_id?: string | null;
  readonly step_number?: number | null;
  readonly tools?: unknown;
  readonly events?: unknown;
  readonly model?: string | null;
  readonly temperature?: number | null;
  readonly finish_reason?: string | null;
  readonly tool_call_id?: string | null;
  readonly agent_type?: string | null;
  readonly control_id?: number | null;
  readonly agent_name?: string | null;
  readonly check_stage?: string | null;
  readonly applies_to?: string | null;
  readonly evaluator_name?: string | null;
  readonly selector_path?: string | null;
};

export type SpanPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly records: readonly Span[];
  readonly last_row_id: string | null;
};

export type UpdateSpan = {
  readonly input?: string | readonly ChatMessage[] | readonly ContentPart[] | null;
  readonly output?:
    | string
    | ChatMessage
    | RetrievedDocument
    | ControlResult
    | readonly RetrievedDocument[]
    | readonly ContentPart[]
    | null;
  readonly status_code?: number | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly duration_ns?: number | null;

  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  readonly client_version?: string | null;
  readonly reliable?: unknown;
};

export type UpdateSpanResponse = {
  readonly project_id: string;
  readonly project_name: string;
  readonly log_stream_id: string | null;
  readonly experiment_id: string | null;
  readonly metrics_testing_id: string | null;
  readonly session_id: string | null;
  readonly records_count: number;
  readonly trace_id: string;
  readonly parent_id: string;
  readonly span_id: string;
};
