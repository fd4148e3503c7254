// Written by npm run client:typescript from the contract: change that.
import type { ContentPart } from './traces-types.js';
import type { MetricInfo } from './traces-types-3.js';
import type { SpanTree } from './traces-types-4.js';

export type TraceTree = {
  /** Kind of the record. */
  readonly type: 'trace';
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
  /** Ratings: template id to user id to rating. */
  readonly annotations: Readonly<Record<string, unknown>>;
  /** Ratings counted by template id. */
  readonly annotation_aggregates: Readonly<Record<string, unknown>>;
  /** True when each live annotation template has a rating of the trace. */
  readonly fully_annotated: boolean;
  /** Number of spans; null unless `include_counts`. */
  readonly num_spans?: number | null;
  /** Spans directly below, by `step_number`, then `created_at`. */
  readonly spans: readonly SpanTree[];
  /** Spans received from OpenTelemetry, as `ResourceSpans`; empty without any. */
  readonly otel?: readonly unknown[];
};

export type UpdateTrace = {
  /** Input that replaces the present one; null: unchanged. */
  readonly input?: string | readonly ContentPart[] | null;
  /** Output that replaces the present one; null: unchanged. */
  readonly output?: string | readonly ContentPart[] | null;
  /** True ends the trace, so that it is scored; null: unchanged. */
  readonly is_complete?: boolean | null;
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

export type UpdateTraceResponse = {
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
  /** Number of accepted traces. */
  readonly traces_count: number;
  /** Number of accepted spans. */
  readonly spans_count: number;
  /** Id of the trace. */
  readonly trace_id: string;
};
