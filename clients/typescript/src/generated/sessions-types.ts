// Written by npm run generate from the contract: change that.
import type { MetricInfo } from './traces-types-3.js';
import type { TraceTree } from './traces-types-4.js';

export type CreateSession = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Name of the session, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Id given by the sender; one that the run has answers that session. */
  readonly external_id?: string | null;
  /** Id of the session that this one continues; null: none. */
  readonly previous_session_id?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Id that the session gets; null: the service makes one. */
  readonly id?: string | null;
  /** Way in which the records were sent; null: `api_direct`. */
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  /** Version of the client that sends; null: unknown. */
  readonly client_version?: string | null;
  /** Ignored: every 2xx is durable. */
  readonly reliable?: unknown;
};

export type CreateSessionResponse = {
  /** Id of the session. */
  readonly id: string;
  /** Name of the session; empty when unnamed. */
  readonly name: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Name of the project. */
  readonly project_name: string;
  /** Id of the session that this one continues; null: none. */
  readonly previous_session_id: string | null;
  /** Id given by the sender; null: none. */
  readonly external_id: string | null;
};

export type Session = {
  /** Kind of the record. */
  readonly type: 'session';
  /** Id of the record. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Session of the record; of a lone trace the id of the trace. */
  readonly session_id: string | null;
  /** Always null: a session has no trace of its own. */
  readonly trace_id: string | null;
  /** Name of the record; empty when unnamed. */
  readonly name: string;
  /** Time when the step began, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time when the record last changed; null: never. */
  readonly updated_at: string | null;
  /** Input of the first trace; null: none. */
  readonly input: unknown;
  /** Output of the last trace; null: none. */
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
  /** Id of the session that this one continues; null: none. */
  readonly previous_session_id?: string | null;
  /** Number of traces; null unless `include_counts`. */
  readonly num_traces?: number | null;
};

export type SessionFields = {
  /** Kind of the record. */
  readonly type?: 'session';
  /** Id of the record. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id?: string;
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id?: string;
  /** Session of the record; of a lone trace the id of the trace. */
  readonly session_id?: string | null;
  /** Always null: a session has no trace of its own. */
  readonly trace_id?: string | null;
  /** Name of the record; empty when unnamed. */
  readonly name?: string;
  /** Time when the step began, in UTC to the microsecond. */
  readonly created_at?: string;
  /** Time when the record last changed; null: never. */
  readonly updated_at?: string | null;
  /** Input of the first trace; null: none. */
  readonly input?: unknown;
  /** Output of the last trace; null: none. */
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
  /** Id of the session that this one continues; null: none. */
  readonly previous_session_id?: string | null;
  /** Number of traces; null unless `include_counts`. */
  readonly num_traces?: number | null;
};

export type SessionFieldsPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Records of the page, without their trees. */
  readonly records: readonly SessionFields[];
  /** Id of the last record of the page; null on an empty page. */
  readonly last_row_id: string | null;
};

export type SessionPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Records of the page, without their trees. */
  readonly records: readonly Session[];
  /** Id of the last record of the page; null on an empty page. */
  readonly last_row_id: string | null;
};

export type SessionTree = {
  /** Kind of the record. */
  readonly type: 'session';
  /** Id of the record. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Session of the record; of a lone trace the id of the trace. */
  readonly session_id: string | null;
  /** Always null: a session has no trace of its own. */
  readonly trace_id: string | null;
  /** Name of the record; empty when unnamed. */
  readonly name: string;
  /** Time when the step began, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time when the record last changed; null: never. */
  readonly updated_at: string | null;
  /** Input of the first trace; null: none. */
  readonly input: unknown;
  /** Output of the last trace; null: none. */
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
  /** Id of the session that this one continues; null: none. */
  readonly previous_session_id?: string | null;
  /** Number of traces; null unless `include_counts`. */
  readonly num_traces?: number | null;
  /** Traces of this page with their spans, by `created_at`, then `id`. */
  readonly traces: readonly TraceTree[];
  /** Offset of the first trace of the page, from 0. */
  readonly starting_token: number;
  /** `starting_token` of the next traces; null at the end. */
  readonly next_starting_token: number | null;
};
