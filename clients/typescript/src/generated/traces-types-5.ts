// Written by npm run generate from the contract: change that.
import type { ContentPart } from './traces-types.js';

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
