// Written by npm run client:typescript from the contract: change that.
import type { ContentPart, FilterLeaf, FilterNode } from './traces-types.js';
import type { StructuredError } from './traces-types-2.js';

export type MetricError = {
  readonly status_type: 'error';
  readonly message: string;
  readonly ems_error_code: number;
  readonly standard_error: StructuredError;
};

export type MetricInfo = MetricSuccess | MetricRollUp | MetricError;

export type MetricRollUp = {
  readonly status_type: 'roll_up';
  readonly value: unknown;
  readonly roll_up_metrics: Readonly<Record<string, unknown>>;
};

export type MetricSuccess = { readonly status_type: 'success'; readonly value: unknown };

export type RecordCount = { readonly total_count: number };

export type RecordDeletion = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly filters?: readonly FilterLeaf[] | null;
  readonly filter_tree?: FilterNode | null;
  readonly start_time?: string | null;
  readonly end_time?: string | null;

  /** Say what would be deleted, delete nothing. */
  readonly dry_run?: boolean | null;
};

export type RecordExport = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly filters?: readonly FilterLeaf[] | null;
  readonly filter_tree?: FilterNode | null;
  readonly sort?: RecordSort | null;
  readonly truncate_fields?: boolean | null;
  readonly include_counts?: boolean | null;
  readonly start_time?: string | null;
  readonly end_time?: string | null;
  readonly format?: 'jsonl' | 'csv' | null;
  readonly formulas?: 'escape' | 'keep' | null;
};

export type RecordQuery = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly filters?: readonly FilterLeaf[] | null;
  readonly filter_tree?: FilterNode | null;
  readonly sort?: RecordSort | null;
  readonly truncate_fields?: boolean | null;
  readonly include_counts?: boolean | null;
  readonly start_time?: string | null;
  readonly end_time?: string | null;
  readonly starting_token?: number | null;
  readonly limit?: number | null;
};

export type RecordSort = {
  readonly column_id?: string;
  readonly name?: string;
  readonly ascending?: boolean;
  readonly sort_type?: 'column';
};

export type SpanTree = {
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
  readonly spans: readonly SpanTree[];
  readonly otel?: readonly unknown[];
};

export type Trace = {
  readonly type: 'trace';
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
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly annotation_aggregates: Readonly<Record<string, unknown>>;
  readonly fully_annotated: boolean;
  readonly num_spans?: number | null;
};

export type TracePage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly records: readonly Trace[];
  readonly last_row_id: string | null;
};

export type TraceTree = {
  readonly type: 'trace';
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
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly annotation_aggregates: Readonly<Record<string, unknown>>;
  readonly fully_annotated: boolean;
  readonly num_spans?: number | null;
  readonly spans: readonly SpanTree[];
  readonly otel?: readonly unknown[];
};

export type UpdateTrace = {
  readonly input?: string | readonly ContentPart[] | null;
  readonly output?: string | readonly ContentPart[] | null;
  readonly is_complete?: boolean | null;
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

export type UpdateTraceResponse = {
  readonly project_id: string;
  readonly project_name: string;
  readonly log_stream_id: string | null;
  readonly experiment_id: string | null;
  readonly metrics_testing_id: string | null;
  readonly session_id: string | null;
  readonly records_count: number;
  readonly traces_count: number;
  readonly spans_count: number;
  readonly trace_id: string;
};
