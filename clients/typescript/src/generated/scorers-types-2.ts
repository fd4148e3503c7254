// Written by npm run generate from the contract: change that.
import type { RunScorerInput } from './experiments-types.js';
import type { Permission } from './projects-types.js';
import type { RunScorer, ScorerTaskResult, ScorerVersion } from './scorers-types.js';
import type { Threshold } from './traces-types.js';

export type Scorer = {
  /** Id of the scorer. */
  readonly id: string;
  /** Name of the scorer and of its metric. */
  readonly name: string;
  /** Display name of the metric. */
  readonly label: string;
  /** Purpose of the scorer; empty: none. */
  readonly description: string;
  /** Labels of the scorer. */
  readonly tags: readonly string[];
  /** Kind of the scorer: `code` runs a file, `preset` is built in. */
  readonly scorer_type: 'code' | 'preset';
  /** `code` for code scorers; null for presets. */
  readonly model_type: 'code' | null;
  /** Kind of the output, a free text; null: none. */
  readonly output_type: string | null;
  /** Node types that are scored. */
  readonly scoreable_node_types: readonly (
    'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
  )[];
  /** Scorers whose scores the file reads. */
  readonly required_scorers: readonly string[];
  /** Way in which values of spans become one of the trace; null: none. */
  readonly roll_up_method: 'average' | 'sum' | 'max' | 'min' | null;
  /** Limits that divide the values into levels; null: none. */
  readonly threshold: Threshold | null;
  /** Always null. */
  readonly defaults: null;
  /** Id of the version that runs; null: none yet. */
  readonly default_version_id: string | null;
  /** Version that runs; null: none yet. */
  readonly default_version: ScorerVersion | null;
  /** Newest version; null: none yet. */
  readonly latest_version: ScorerVersion | null;
  /** True for presets that are no longer recommended. */
  readonly deprecated: boolean;
  /** True when the scorer compares with a reference output. */
  readonly ground_truth: boolean;
  /** Always true: the whole organisation sees it. */
  readonly is_global: true;
  /** Always empty. */
  readonly scope_projects: readonly string[];
  /** Id of the user who created it; null for presets. */
  readonly created_by: string | null;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
};

export type ScorerPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Scorers on this page. */
  readonly scorers: readonly Scorer[];
};

export type ScorerSettings = {
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Scorers of the run, 50 at most. */
  readonly scorers: readonly RunScorer[];
  /** Always null. */
  readonly segment_filters: null;
};

export type ScorerSettingsInput = {
  /** Id of the run, as in the path; null: the same. */
  readonly run_id?: string | null;
  /** Scorers of the run, 50 at most. */
  readonly scorers: readonly RunScorerInput[];
};

export type ScorerTask = {
  /** Id of the validation. */
  readonly id: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** State of the validation; `completed` and `failed` are final. */
  readonly status: 'pending' | 'completed' | 'failed';
  /**
   * Result under `result`, whose `unknown_parameters` get nothing passed; null until
   * finished.
   */
  readonly result: ScorerTaskResult | null;
  /** Id of the metrics-testing run; null for a single sample. */
  readonly metrics_experiment_id: string | null;
  /** Project that the validation is in; null for a single sample. */
  readonly project_id: string | null;
  /** Progress in per cent, 0 to 100; never falls. */
  readonly progress_percent: number;
};

export type ScorerVersionPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Versions on this page, newest first. */
  readonly versions: readonly ScorerVersion[];
};

export type ValidateScorer = {
  /**
   * Python source, UTF-8, at most 256 KiB; the guide lists arguments of `scorer_fn`.
   */
  readonly file: Blob;
  /** Input of the sample; null: `test input`. */
  readonly test_input?: string | null;
  /** Output of the sample; null: `test output`. */
  readonly test_output?: string | null;
  /** Scorers whose scores the file reads, 100 at most; null: none. */
  readonly required_scorers?: readonly string[] | null;
  /** Node types that are scored; null: as the file says, else `llm`. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  /** Type of the scores; null: as the file says. */
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type ValidateScorerOnDataset = {
  /**
   * Python source, UTF-8, at most 256 KiB; the guide lists arguments of `scorer_fn`.
   */
  readonly file: Blob;
  /** Id of the dataset. */
  readonly dataset_id: string;
  /** Version of the dataset; null: the current one. */
  readonly dataset_version_index?: number | null;
  /** Rows that are scored, 1 to 1,000; null: 100. */
  readonly limit?: number | null;
  /** Offset of the first row that is scored; null: 0. */
  readonly starting_token?: number | null;
  /** Scorers whose scores the file reads, 100 at most; null: none. */
  readonly required_scorers?: readonly string[] | null;
  /** Node types that are scored; null: as the file says, else `llm`. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
  /** Type of the scores; null: as the file says. */
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type ValidateScorerOnDatasetResponse = {
  /** Id of the metrics-testing run; null for a single sample. */
  readonly metrics_experiment_id: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Id of the validation, which can be polled. */
  readonly task_id: string;
};

export type ValidateScorerResponse = {
  /** Id of the validation, which can be polled. */
  readonly task_id: string;
};
