// Written by npm run generate from the contract: change that.
import type { ContentPart, FilterLeaf, FilterNode } from './traces-types.js';
import type { NewSpan } from './traces-types-2.js';

export type LogTraces = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Traces with their spans, 1 to 1,000; each is accepted or rejected. */
  readonly traces: readonly NewTrace[];
  /** Session of traces that name none; null: by `session_external_id`. */
  readonly session_id?: string | null;
  /** `external_id` of the session of the traces, made when missing; null: none. */
  readonly session_external_id?: string | null;
  /** False: the traces are still going on and are not scored yet. Default: true. */
  readonly is_complete?: boolean | null;
  /** False answers `trace_ids` as null. Default: true. */
  readonly include_trace_ids?: boolean | null;
  /** Way in which the records were sent; null: `api_direct`. */
  readonly logging_method?:
    'playground' | 'python_client' | 'typescript_client' | 'api_direct' | null;
  /** Version of the client that sends; null: unknown. */
  readonly client_version?: string | null;
  /** Ignored: every 2xx is durable. */
  readonly reliable?: unknown;
};

export type LogTracesResponse = {
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
  /** Number of accepted traces and spans that were not there before. */
  readonly new_records_count: number;
  /** Ids of the accepted traces in request order; null when not wanted. */
  readonly trace_ids: readonly string[] | null;
  /** Items that were not recorded, and why. */
  readonly rejected: readonly RejectedItem[];
  /** Paths of texts that were longer than 1 MiB and were cut. */
  readonly truncated: readonly (readonly string[])[];
};

export type MetricError = {
  /** Origin of the value: recorded, rolled up, or failed. */
  readonly status_type: 'error';
  /** Sentence about the error. */
  readonly message: string;
  /** Code of the evaluation error, for example 1001. */
  readonly ems_error_code: number;
  /** Evaluation error that the code stands for. */
  readonly standard_error: StructuredError;
};

export type MetricInfo = MetricSuccess | MetricRollUp | MetricError;

export type MetricRollUp = {
  /** Origin of the value: recorded, rolled up, or failed. */
  readonly status_type: 'roll_up';
  /** Value rolled up from the level below. */
  readonly value: unknown;
  /** Rolled-up value by method, for example `average`. */
  readonly roll_up_metrics: Readonly<Record<string, unknown>>;
};

export type MetricSuccess = {
  /** Origin of the value: recorded, rolled up, or failed. */
  readonly status_type: 'success';
  /** Value of the metric: number, boolean or text. */
  readonly value: unknown;
  /**
   * Score of a scorer of the same name, which the value that a client sent hides; absent:
   * none.
   */
  readonly scorer_value?: unknown;
  /** Price behind a cost that follows from tokens; absent for other values. */
  readonly price?: SpanPrice;
};

export type NewTrace = {
  /** Kind of the record: `trace`; null: the same. */
  readonly type?: 'trace' | null;
  /** Id that the record gets; null: the service makes one. */
  readonly id?: string | null;
  /** Input of the step; null: empty. */
  readonly input?: string | readonly ContentPart[] | null;
  /** Output of the step; null: nothing. */
  readonly output?: string | readonly ContentPart[] | null;
  /** Input without confidential parts; null: none. */
  readonly redacted_input?: string | readonly ContentPart[] | null;
  /** Output without confidential parts; null: none. */
  readonly redacted_output?: string | readonly ContentPart[] | null;
  /** Name of the step, at most 255 characters; null: empty. */
  readonly name?: string | null;
  /** Time when the step began; null: time of receipt. */
  readonly created_at?: string | null;
  /** Texts by key, given by the sender; 200 keys at most. */
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  /** Labels, each once in the order sent, 100 at most. */
  readonly tags?: readonly (string | null)[] | null;
  /** Outcome as an HTTP-like code; null: unknown. */
  readonly status_code?: number | null;
  /** Number, boolean, string or null by metric name. */
  readonly metrics?: Readonly<Record<string, unknown>> | null;
  /** Id given by the sender, 1 to 1,024 characters; null: none. */
  readonly external_id?: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input?: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output?: string | null;
  /** Texts by key from the metadata of the dataset row; null: none. */
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  /** Session of the trace; null: that of the request. */
  readonly session_id?: string | null;
  /** Spans below this record, nested to any depth; null: none. */
  readonly spans?: readonly NewSpan[] | null;
};

export type RecordCount = {
  /** Number of records that match, over all pages. */
  readonly total_count: number;
};

export type RecordDeletion = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly FilterLeaf[] | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
  /** Say what would be deleted, delete nothing. Default: false. */
  readonly dry_run?: boolean | null;
};

export type RecordExport = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly FilterLeaf[] | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: RecordSort | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
  /**
   * True cuts inputs, outputs and dataset texts to 1,000 characters. Default: false.
   */
  readonly truncate_fields?: boolean | null;
  /**
   * True fills the counts (`num_spans`, `num_traces`), which are null otherwise. Default:
   * false.
   */
  readonly include_counts?: boolean | null;
  /** Format of the file: JSON Lines or CSV; null: `jsonl`. */
  readonly format?: 'jsonl' | 'csv' | null;
  /** `escape` puts `'` before CSV texts that spreadsheets would run; null: `escape`. */
  readonly formulas?: 'escape' | 'keep' | null;
};

export type RecordQuery = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly FilterLeaf[] | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: RecordSort | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
  /**
   * True cuts inputs, outputs and dataset texts to 1,000 characters. Default: false.
   */
  readonly truncate_fields?: boolean | null;
  /**
   * True fills the counts (`num_spans`, `num_traces`), which are null otherwise. Default:
   * false.
   */
  readonly include_counts?: boolean | null;
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /**
   * Id of a record behind which the list begins: the `last_row_id` of a page; null: none.
   */
  readonly after?: string | null;
  /**
   * Members to answer beside `id`, 1 to 60, `metrics/<name>` and `user_metadata/<key>` too;
   * null: all.
   */
  readonly fields?: readonly string[] | null;
};

export type RecordSort = {
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Column id; another spelling of `column_id`. */
  readonly name?: string;
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. Default: "column". */
  readonly sort_type?: 'column';
};

export type RejectedItem = {
  /** Place of the item in the list of the request, from 0. */
  readonly index: number;
  /**
   * Id of the item as sent; null for any value but a string of up to 300 characters.
   */
  readonly id: string | null;
  /** Where it is wrong, as a 422 says it. */
  readonly loc: readonly string[];
  /** Complaint about the item, in the words of a 422. */
  readonly msg: string;
};

export type SpanPrice = {
  /** Dollars per million input tokens. */
  readonly input: number;
  /** Dollars per million output tokens. */
  readonly output: number;
  /** Dollars per million cached input tokens. */
  readonly cache_read?: number;
  /** Dollars per million cache creation input tokens. */
  readonly cache_write?: number;
  /** Dollars per million reasoning tokens. */
  readonly reasoning?: number;
  /** Dollars per million audio input tokens. */
  readonly input_audio?: number;
  /** Dollars per million audio output tokens. */
  readonly output_audio?: number;
  /** Dollars per million image input tokens. */
  readonly input_image?: number;
  /** Dollars per million image output tokens. */
  readonly output_image?: number;
  /** List that had the price: `project`, or the version of the shipped one. */
  readonly list?: string;
};

export type StructuredError = {
  /** Code of the evaluation error, for example 1001. */
  readonly error_code: number;
  /** Class of the error. */
  readonly error_type:
    | 'llm_api_error'
    | 'credentials_error'
    | 'data_validation_error'
    | 'configuration_error'
    | 'permission_error'
    | 'not_found_error'
    | 'workflow_error'
    | 'rate_limit_error'
    | 'system_error'
    | 'not_applicable_reason'
    | 'uncataloged_error';
  /** Part of the service or client where the error arose. */
  readonly error_group: string;
  /** Weight of the error, from `low` to `critical`. */
  readonly severity: 'low' | 'medium' | 'high' | 'critical';
  /** Sentence about the error. */
  readonly message: string;
  /** Advice to the user; null: none. */
  readonly user_action: string | null;
  /** Page that explains the error; null: none. */
  readonly documentation_link: string | null;
  /** True when the same evaluation may succeed later. */
  readonly retriable: boolean;
  /** False: an evaluation error never stops other work. */
  readonly blocking: boolean;
  /** HTTP status behind the error; null: none. */
  readonly http_status_code: number | null;
  /** Service that raised the error: `assay`; null: unknown. */
  readonly source_service: string | null;
  /** Further facts about the error; empty for errors of the catalogue. */
  readonly context: Readonly<Record<string, unknown>>;
};
