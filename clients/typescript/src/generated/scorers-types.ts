// Written by npm run client:typescript from the contract: change that.
import type { ListingIdFilter } from './datasets-types.js';
import type { RunScorerInput } from './experiments-types.js';
import type { Permission } from './projects-types.js';
import type { FilterLeaf, FilterNode, Threshold } from './traces-types.js';

export type AddScorerVersion = {
  readonly file: Blob;
  readonly validation_result: ScorerTaskResult;
};

export type ChangeScorer = {
  readonly label?: string | null;
  readonly description?: string | null;
  readonly tags?: readonly string[] | null;
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  readonly required_scorers?: readonly string[] | null;
  readonly output_type?: string | null;
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min' | null;
  readonly threshold?: ThresholdInput | null;
};

export type CountedRunScorer = {
  readonly id: string;
  readonly name: string;
  readonly scorer_type: 'code' | 'preset';
  readonly scoreable_node_types:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  readonly counts: ScoringCounts | null;
};

export type CountedScorerSettings = {
  readonly run_id: string;
  readonly scorers: readonly CountedRunScorer[];
  readonly segment_filters: null;
};

export type CreateScorer = {
  readonly name: string;
  readonly scorer_type: 'code';
  readonly id?: string | null;
  readonly label?: string | null;
  readonly description?: string | null;
  readonly tags?: readonly string[] | null;
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  readonly required_scorers?: readonly string[] | null;
  readonly output_type?: string | null;
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min' | null;
  readonly threshold?: ThresholdInput | null;
};

export type ListScorers = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
  readonly filters?: readonly ScorerFilter[] | null;
  readonly sort?: ScorerSort | null;
};

export type PastScoringJob = {
  readonly id: string;
  readonly job_name: 'registered_scorer_validation' | 'log_stream_scorer' | 'score_records';
  readonly project_id: string | null;
  readonly run_id: string | null;
  readonly status: 'unstarted' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly progress_percent: number;
  readonly progress_message: string | null;
  readonly steps_completed: number;
  readonly steps_total: number;
  readonly retries: number;
  readonly request_data: Readonly<Record<string, unknown>>;
  readonly error_message: string | null;
  readonly counts: ScoringCounts | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly processing_started: string | null;
  readonly completed_at: string | null;
  readonly failed_at: string | null;
  readonly scorer_id: string;
  readonly scorer_version: number;
  readonly scored: number;
  readonly skipped: number;
  readonly failed: number;
  readonly failures: readonly ScoringFailure[];
  readonly cancelled_at: string | null;
};

export type PastScoringRequest = {
  readonly filters?: readonly FilterLeaf[] | null;
  readonly filter_tree?: FilterNode | null;
  readonly start_time?: string | null;
  readonly end_time?: string | null;
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};

export type RunScorer = {
  readonly id: string;
  readonly name: string;
  readonly scorer_type: 'code' | 'preset';
  readonly scoreable_node_types:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};

export type ScorePastResponse = { readonly job_id: string; readonly scorer_version: number };

export type Scorer = {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly scorer_type: 'code' | 'preset';
  readonly model_type: 'code' | null;
  readonly output_type: string | null;
  readonly scoreable_node_types: readonly (
    'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
  )[];
  readonly required_scorers: readonly string[];
  readonly roll_up_method: 'average' | 'sum' | 'max' | 'min' | null;
  readonly threshold: Threshold | null;
  readonly defaults: null;
  readonly default_version_id: string | null;
  readonly default_version: ScorerVersion | null;
  readonly latest_version: ScorerVersion | null;
  readonly deprecated: boolean;
  readonly ground_truth: boolean;
  readonly is_global: true;
  readonly scope_projects: readonly string[];
  readonly created_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly permissions: readonly Permission[];
};

/** What scorers are chosen by; another name is a validation error. */
export type ScorerFilter = ScorerTextFilter | ListingIdFilter;

export type ScorerPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly scorers: readonly Scorer[];
};

export type ScorerSettings = {
  readonly run_id: string;
  readonly scorers: readonly RunScorer[];
  readonly segment_filters: null;
};

export type ScorerSettingsInput = {
  readonly run_id?: string | null;
  readonly scorers: readonly RunScorerInput[];
};

export type ScorerSort = {
  readonly name: 'name' | 'label' | 'created_at' | 'updated_at';
  readonly ascending?: boolean;
  readonly sort_type?: 'column';
};

export type ScorerTask = {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly result: ScorerTaskResult | null;
  readonly metrics_experiment_id: string | null;
  readonly project_id: string | null;
  readonly progress_percent: number;
};

export type ScorerTaskResult = { readonly result: Readonly<Record<string, unknown>> };

export type ScorerTextFilter = {
  readonly name: 'name' | 'label' | 'scorer_type';
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  readonly value?: string | readonly string[] | boolean;
  readonly case_sensitive?: boolean;
};

export type ScorerVersion = {
  readonly id: string;
  readonly version: number;
  readonly scorer_id: string;
  readonly score_type: 'bool' | 'int' | 'float' | 'str';
  readonly scoreable_node_types: readonly (
    'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
  )[];
  readonly chain_aggregation: 'sum' | 'average' | 'first' | 'last' | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
};

export type ScorerVersionPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly versions: readonly ScorerVersion[];
};

export type ScoringCounts = {
  readonly eligible: number;
  readonly waiting: number;
  readonly scored: number;
  readonly skipped: number;
  readonly failed: Readonly<Record<string, number>>;
};

export type ScoringFailure = {
  readonly error_code: number;
  readonly type: string;
  readonly line: number | null;
  readonly count: number;
  readonly trace_id: string;
  readonly record_id: string;
  readonly message: string | null;
};

export type ThresholdInput = {
  readonly buckets: readonly number[];
  readonly display_value_levels: readonly string[];
  readonly inverted?: boolean;
};

export type ValidateScorer = {
  readonly file: Blob;
  readonly test_input?: string | null;
  readonly test_output?: string | null;
  readonly required_scorers?: readonly string[] | null;
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type ValidateScorerOnDataset = {
  readonly file: Blob;
  readonly dataset_id: string;
  readonly dataset_version_index?: number | null;
  readonly limit?: number | null;
  readonly starting_token?: number | null;
  readonly required_scorers?: readonly string[] | null;
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type ValidateScorerOnDatasetResponse = {
  readonly metrics_experiment_id: string;
  readonly project_id: string;
  readonly task_id: string;
};
