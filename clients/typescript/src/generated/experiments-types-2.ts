// Written by npm run generate from the contract: change that.
import type {
  AggregateMetrics,
  ComparedExperiment,
  ComparedMetric,
  ComparedRow,
  ExperimentDataset,
  MetricSummary,
  Playground,
  Prompt,
} from './experiments-types.js';
import type { ListingCreatorFilter, ListingDateFilter, UserSummary } from './projects-types.js';

export type Experiment = {
  /** Id of the experiment. */
  readonly id: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Kind of the task: 16, or 17 when created so. */
  readonly task_type: number;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC; null: never changed. */
  readonly updated_at: string | null;
  /** Name of the experiment; empty when unnamed. */
  readonly name: string;
  /** Id of the user who created it; null: the user was removed. */
  readonly created_by: string | null;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Number of spans; null unless `include_counts`. */
  readonly num_spans: number | null;
  /** Number of traces; null unless `include_counts`. */
  readonly num_traces: number | null;
  /** Number of sessions; null unless `include_counts`. */
  readonly num_sessions: number | null;
  /** Dataset version that the experiment is about; null: none. */
  readonly dataset: ExperimentDataset | null;
  /** Aggregates by name, such as `average_toxicity`, over its traces. */
  readonly aggregate_metrics: AggregateMetrics;
  /** Summary of the values by metric. */
  readonly structured_aggregate_metrics: Readonly<Record<string, MetricSummary>>;
  /** Ratings counted by annotation template, under `aggregate`. */
  readonly aggregate_feedback: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Ratings counted by annotation template, under `trace`. */
  readonly rating_aggregates: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Weighted score by the ranking criteria, 0 to 1; null: no value. */
  readonly ranking_score: number | null;
  /** Place by score in its experiment group, 1 is best; null: no score. */
  readonly rank: number | null;
  /** True for the winner of its experiment group; null: no score and not chosen. */
  readonly winner: boolean | null;
  /** Why it wins: `chosen` by a user or first in `rank`; null: no winner. */
  readonly winner_source: 'chosen' | 'rank' | null;
  /** Id of the playground, as given at creation; null: none. */
  readonly playground_id: string | null;
  /** Playground, as given at creation; null: none. */
  readonly playground: Playground | null;
  /** Settings of the prompt, as given at creation; null: none. */
  readonly prompt_run_settings: PromptRunSettings | null;
  /** `model_alias` of the prompt settings; null: none. */
  readonly prompt_model: string | null;
  /** Prompt, as given at creation; null: none. */
  readonly prompt: Prompt | null;
  /** Tags by their key. */
  readonly tags: Readonly<Record<string, readonly ExperimentTag[]>>;
  /** Progress of the experiment. */
  readonly status: ExperimentStatus;
  /** Id of the experiment group; null: none. */
  readonly experiment_group_id: string | null;
  /** Name of the experiment group; null: none. */
  readonly experiment_group_name: string | null;
  /** False for groups that clients name; null: in no group. */
  readonly experiment_group_is_system: boolean | null;
};

export type ExperimentComparison = {
  /** Experiments in the order requested. */
  readonly experiments: readonly ComparedExperiment[];
  /** Number of rows that at least one of the experiments has. */
  readonly total_rows: number;
  /** Number of rows that all of the experiments have. */
  readonly rows_in_all: number;
  /** Number of rows on all pages, as `rows` of the request chooses them. */
  readonly shown_rows: number;
  /** Method of the confidence intervals. */
  readonly method: 'paired bootstrap, percentile interval';
  /** Level of the confidence intervals: 0.95. */
  readonly confidence_level: number;
  /** Seed of the bootstrap; the same seed gives the same intervals. */
  readonly seed: number;
  /** Compared metrics with the values of each experiment. */
  readonly metrics: readonly ComparedMetric[];
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /**
   * Dataset rows of the page, by their first trace in the baseline, or as requested.
   */
  readonly rows: readonly ComparedRow[];
};

/** The columns that an operation knows; another name is a validation error. */
export type ExperimentFilter =
  | ListingCreatorFilter
  | ExperimentTextFilter
  | ListingDateFilter
  | {
      /** Column that the condition is about. */
      readonly name: 'experiment_group_id';
      /** Ignored: it is always eq. */
      readonly operator?: string;
      /** Id of the experiment group. */
      readonly value: string;
    };

export type ExperimentPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Experiments on this page. */
  readonly experiments: readonly Experiment[];
};

export type ExperimentSort = {
  /**
   * Column: `name`, `created_at`, `updated_at`, `rank`, `ranking_score` or `metrics/<name>`.
   */
  readonly name: string;
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. */
  readonly sort_type?: 'column' | null;
};

export type ExperimentStatus = {
  /** Progress of logging the traces of the experiment. */
  readonly log_generation: LogGeneration;
};

export type ExperimentTag = {
  /** Id of the tag. */
  readonly id: string;
  /** Key of the tag, 1 to 256 characters. */
  readonly key: string;
  /** Value of the tag, 1 to 256 characters. */
  readonly value: string;
  /** Kind of the tag, a free text, 1 to 256 characters. */
  readonly tag_type: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Id of the experiment. */
  readonly run_id: string;
  /** Id of the user who created it. */
  readonly created_by: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
};

export type ExperimentTagInput = {
  /** Key of the tag, 1 to 256 characters. */
  readonly key: string;
  /** Value of the tag, 1 to 256 characters. */
  readonly value: string;
  /** Kind of the tag, a free text, 1 to 256 characters. */
  readonly tag_type: string;
};

export type ExperimentTextFilter = {
  /** Column that the condition is about. */
  readonly name: 'name' | 'experiment_group_name';
  /** Comparison of the column with `value`. */
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  /** Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`. */
  readonly value?: string | readonly string[] | boolean;
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};

export type LogGeneration = {
  /** Complete traces per dataset row in per cent, 0 to 100. */
  readonly progress_percent: number;
};

export type PromptRunSettings = {
  /** True asks the model for log probabilities. */
  readonly logprobs: boolean;
  /** Number of log probabilities per token. */
  readonly top_logprobs: number;
  /** True repeats the prompt in the output. */
  readonly echo: boolean;
  /** Number of outputs per prompt. */
  readonly n: number;
  /** Effort of reasoning, a free text. */
  readonly reasoning_effort: string;
  /** Verbosity of the output, a free text. */
  readonly verbosity: string;
  /** Name of the deployment of the model; null: none. */
  readonly deployment_name: string | null;
  /** Name of the model; null: none. */
  readonly model_alias: string | null;
  /** Sampling temperature; null: not set. */
  readonly temperature: number | null;
  /** Number of output tokens at most. */
  readonly max_tokens: number;
  /** Texts at which generation stops; null: none. */
  readonly stop_sequences: readonly string[] | null;
  /** Share of probability that is sampled from. */
  readonly top_p: number;
  /** Number of tokens that are sampled from. */
  readonly top_k: number;
  /** Penalty on frequent tokens. */
  readonly frequency_penalty: number;
  /** Penalty on tokens that occurred. */
  readonly presence_penalty: number;
  /** Response format requested from the model, as a JSON object; null: none. */
  readonly response_format: Readonly<Record<string, unknown>> | null;
  /** Tools offered to the model, as text or JSON; null: none. */
  readonly tools: string | null;
  /** Choice of the tool, as text or JSON; null: none. */
  readonly tool_choice: string | null;
};

export type RankingCriteria = {
  /** Metrics that rank experiments, 50 at most, each once. */
  readonly criteria: readonly RankingCriterion[];
  /** True when no criteria were set, so that metrics with thresholds rank. */
  readonly default: boolean;
};

export type RankingCriterion = {
  /** Metric, under any of its names. */
  readonly metric: string;
  /** Weight of the metric, above 0 to 1,000,000. */
  readonly weight: number;
  /** Whether higher or lower values are better. */
  readonly direction: 'higher' | 'lower';
};

export type RankingCriterionInput = {
  /** Metric, under any of its names. */
  readonly metric: string;
  /** Weight of the metric, above 0 to 1,000,000. */
  readonly weight: number;
  /** Whether higher or lower values are better. */
  readonly direction: 'higher' | 'lower';
};

export type SearchExperiments = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly ExperimentFilter[];
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: ExperimentSort | null;
  /**
   * True fills the counts (`num_spans`, `num_traces`), which are null otherwise. Default:
   * false.
   */
  readonly include_counts?: boolean;
};

export type SetRankingCriteria = {
  /** Metrics that rank experiments, 50 at most, each once. */
  readonly criteria: readonly RankingCriterionInput[];
};
