// Written by npm run client:typescript from the contract: change that.
import type { MetricInfo, TraceTree } from './traces-types-3.js';

export type CreateSession = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly name?: string | null;
  readonly external_id?: string | null;
  readonly previous_session_id?: string | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly id?: string | null;
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  readonly client_version?: string | null;
  readonly reliable?: unknown;
};

export type CreateSessionResponse = {
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly previous_session_id: string | null;
  readonly external_id: string | null;
};

export type Session = {
  readonly type: 'session';
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
  readonly previous_session_id?: string | null;
  readonly num_traces?: number | null;
};

export type SessionPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly records: readonly Session[];
  readonly last_row_id: string | null;
};

export type SessionTree = {
  readonly type: 'session';
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
  readonly previous_session_id?: string | null;
  readonly num_traces?: number | null;
  readonly traces: readonly TraceTree[];
  readonly starting_token: number;
  readonly next_starting_token: number | null;
};
