// Written by npm run generate from the contract: change that.
import type { ListingIdFilter } from './datasets-types.js';
import type { FilterLeaf, FilterNode } from './traces-types.js';

export type AddScorerVersion = {
  /**
   * Python source, UTF-8, at most 256 KiB; the guide lists arguments of `scorer_fn`.
   */
  readonly file: Blob;
  /** Result of a valid validation of the same file, as JSON text. */
  readonly validation_result: ScorerTaskResult;
};

export type ChangeScorer = {
  /** Display name of the metric; null: unchanged. */
  readonly label?: string | null;
  /** Purpose of the scorer; null: unchanged. */
  readonly description?: string | null;
  /** Labels that replace the present ones; null: unchanged. */
  readonly tags?: readonly string[] | null;
  /** Node types that are scored; null: unchanged. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  /** Scorers whose scores the file reads; null: unchanged. */
  readonly required_scorers?: readonly string[] | null;
  /** Kind of the output, a free text; null: unchanged. */
  readonly output_type?: string | null;
  /** Way in which values roll up; null: unchanged. */
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min' | null;
  /** Limits that divide the values into levels; null: unchanged. */
  readonly threshold?: ThresholdInput | null;
};

export type CountedRunScorer = {
  /** Id of the scorer. */
  readonly id: string;
  /** Name of the scorer. */
  readonly name: string;
  /** Kind of the scorer: `code` runs a file, `preset` is built in. */
  readonly scorer_type: 'code' | 'preset';
  /** Node types that are scored; null: those of the scorer. */
  readonly scoreable_node_types:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  /** Records by what became of them, since the service counts them. */
  readonly counts: ScoringCounts | null;
};

export type CountedScorerSettings = {
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Scorers of the run, 50 at most. */
  readonly scorers: readonly CountedRunScorer[];
  /** Always null. */
  readonly segment_filters: null;
};

export type CreateScorer = {
  /** Name of the scorer and of its metric, unique, 1 to 128 characters. */
  readonly name: string;
  /** Kind of the scorer; only code scorers can be made. */
  readonly scorer_type: 'code';
  /** Id that the scorer gets; null: the service makes one. */
  readonly id?: string | null;
  /** Display name of the metric; null: none. */
  readonly label?: string | null;
  /** Purpose of the scorer; null: none. */
  readonly description?: string | null;
  /** Labels of the scorer, 100 at most; null: none. */
  readonly tags?: readonly string[] | null;
  /** Node types that are scored; null: those of the version. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  /** Scorers whose scores the file reads, 100 at most; null: none. */
  readonly required_scorers?: readonly string[] | null;
  /** Kind of the output, a free text; null: none. */
  readonly output_type?: string | null;
  /** Way in which values of spans become one of the trace; null: none. */
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min' | null;
  /** Limits that divide the values into levels; null: none. */
  readonly threshold?: ThresholdInput | null;
};

export type ListScorers = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly ScorerFilter[] | null;
  /** Order of the scorers; null: by name, ascending. */
  readonly sort?: ScorerSort | null;
};

export type PastScoringJob = {
  /** Id of the job; of a validation the id of its task. */
  readonly id: string;
  /** Kind of the job. */
  readonly job_name: 'registered_scorer_validation' | 'log_stream_scorer' | 'score_records';
  /** Project that the job works in; null: none. */
  readonly project_id: string | null;
  /** Run that the job works on; null: none. */
  readonly run_id: string | null;
  /** State of the job; the last three are final. */
  readonly status: 'unstarted' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** Progress in per cent, 0 to 100; never falls. */
  readonly progress_percent: number;
  /** Step that the job is at; null: none to tell. */
  readonly progress_message: string | null;
  /** Number of steps that are done. */
  readonly steps_completed: number;
  /** Number of steps of the job. */
  readonly steps_total: number;
  /** Number of times that the job was started anew. */
  readonly retries: number;
  /** Request that started the job. */
  readonly request_data: Readonly<Record<string, unknown>>;
  /** Reason of the failure; null: no failure. */
  readonly error_message: string | null;
  /** Records by what became of them; null for a validation. */
  readonly counts: ScoringCounts | null;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Time at which work began; null: not yet. */
  readonly processing_started: string | null;
  /** Time at which the job completed; null: it did not. */
  readonly completed_at: string | null;
  /** Time at which the job failed; null: it did not. */
  readonly failed_at: string | null;
  /** Id of the scorer. */
  readonly scorer_id: string;
  /** Number of the version, from 1. */
  readonly scorer_version: number;
  /** Number of records that have a score. */
  readonly scored: number;
  /** Number of records that this version processed before. */
  readonly skipped: number;
  /** Number of records that could not be scored. */
  readonly failed: number;
  /** Kinds of failures, 20 at most. */
  readonly failures: readonly ScoringFailure[];
  /** Time at which the job was cancelled; null: it was not. */
  readonly cancelled_at: string | null;
};

export type PastScoringRequest = {
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly FilterLeaf[] | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
  /** Node types that are scored; null: those of the scorer. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};

export type RunScorer = {
  /** Id of the scorer. */
  readonly id: string;
  /** Name of the scorer. */
  readonly name: string;
  /** Kind of the scorer: `code` runs a file, `preset` is built in. */
  readonly scorer_type: 'code' | 'preset';
  /** Node types that are scored; null: those of the scorer. */
  readonly scoreable_node_types:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};

export type ScorePastResponse = {
  /** Id of the job. */
  readonly job_id: string;
  /** Number of the version, from 1. */
  readonly scorer_version: number;
};

/** What scorers are chosen by; another name is a validation error. */
export type ScorerFilter = ScorerTextFilter | ListingIdFilter;

export type ScorerSort = {
  /** Column that the rows are sorted by; ties by `created_at`, then `id`. */
  readonly name: 'name' | 'label' | 'created_at' | 'updated_at';
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. Default: "column". */
  readonly sort_type?: 'column';
};

export type ScorerTaskResult = {
  /** Result of the validation. */
  readonly result: Readonly<Record<string, unknown>>;
};

export type ScorerTextFilter = {
  /** Column that the condition is about. */
  readonly name: 'name' | 'label' | 'scorer_type';
  /** Comparison of the column with `value`. */
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  /** Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`. */
  readonly value?: string | readonly string[] | boolean;
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};

export type ScorerVersion = {
  /** Id of the version. */
  readonly id: string;
  /** Number of the version, from 1. */
  readonly version: number;
  /** Id of the scorer. */
  readonly scorer_id: string;
  /** Type of the scores. */
  readonly score_type: 'bool' | 'int' | 'float' | 'str';
  /** Node types that are scored. */
  readonly scoreable_node_types: readonly (
    'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
  )[];
  /** Aggregation that the file declares; null: none. */
  readonly chain_aggregation: 'sum' | 'average' | 'first' | 'last' | null;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Id of the user who created it. */
  readonly created_by: string;
};

export type ScoringCounts = {
  /** Number of records to score: waiting, scored, skipped and failed ones. */
  readonly eligible: number;
  /** Number of known records that wait for scoring. */
  readonly waiting: number;
  /** Number of records that have a score. */
  readonly scored: number;
  /** Number of records that this version processed before. */
  readonly skipped: number;
  /** Number of records that could not be scored, by reason. */
  readonly failed: Readonly<Record<string, number>>;
};

export type ScoringFailure = {
  /** Code of the evaluation error, for example 1001. */
  readonly error_code: number;
  /** Class of the exception, else the `error_type`. */
  readonly type: string;
  /** Line of the file that failed; null: unknown. */
  readonly line: number | null;
  /** Number of records that failed so. */
  readonly count: number;
  /** Trace of the first record that failed so. */
  readonly trace_id: string;
  /** Id of the first record that failed so. */
  readonly record_id: string;
  /** Message about the first record; null: it changed or was deleted. */
  readonly message: string | null;
};

export type ThresholdInput = {
  /** Ascending limits; the level of a value is the number of limits not above it. */
  readonly buckets: readonly number[];
  /** Names of the levels, one more than `buckets`, lowest first. */
  readonly display_value_levels: readonly string[];
  /** True when lower values are better. Default: false. */
  readonly inverted?: boolean;
};
