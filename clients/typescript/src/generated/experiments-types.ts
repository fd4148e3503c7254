// Written by npm run client:typescript from the contract: change that.
import type { UserSummary } from './projects-types.js';

export type AgainstBaseline = {
  readonly num_rows: number;
  readonly mean_difference: number | null;
  readonly confidence_interval: ConfidenceInterval | null;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
};

export type AggregateMetrics = { readonly total_responses: number } & Readonly<
  Record<string, number | null>
>;

export type ChangeExperiment = {
  readonly name: string;
  readonly task_type?: number | null;
  readonly experiment_group_id?: string | null;
  readonly experiment_group_name?: string | null;
};

export type CompareExperiments = {
  readonly experiment_ids: readonly string[];
  readonly metrics?: readonly string[] | null;
  readonly seed?: number | null;
  readonly starting_token?: number | null;
  readonly limit?: number | null;
};

export type ComparedExperiment = {
  readonly experiment_id: string;
  readonly name: string;
  readonly dataset: { readonly dataset_id: string; readonly version_index: number } | null;
  readonly num_traces: number;
  readonly traces_without_row: number;
  readonly num_rows: number;
  readonly missing_rows: number;
};

export type ComparedMetric = {
  readonly metric: string;
  readonly type: 'integer' | 'floating_point' | 'boolean';
  readonly direction: 'higher' | 'lower';
  readonly experiments: readonly MetricOfExperiment[];
};

export type ComparedRow = {
  readonly row_id: string | null;
  readonly dataset_input: string | null;
  readonly dataset_output: string | null;
  readonly experiments: readonly RowOfExperiment[];
};

export type ComparedValue = { readonly value: number; readonly difference: number | null };

export type ConfidenceInterval = {
  readonly lower: number;
  readonly upper: number;
  readonly resamples: number;
};

export type CreateExperiment = {
  readonly name: string;
  readonly task_type?: number | null;
  readonly dataset?: DatasetReference | null;
  readonly prompt_settings?: PromptSettings | null;
  readonly prompt_template_version_id?: string | null;
  readonly prompt?: Prompt | null;
  readonly playground_id?: string | null;
  readonly playground_prompt_id?: string | null;
  readonly scorers?: readonly RunScorerInput[] | null;
  readonly experiment_group_id?: string | null;
  readonly experiment_group_name?: string | null;
  readonly trigger?: boolean | null;
};

export type DatasetReference = { readonly dataset_id: string; readonly version_index: number };

export type Experiment = {
  readonly id: string;
  readonly project_id: string;
  readonly task_type: number;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly name: string;
  readonly created_by: string | null;
  readonly created_by_user: UserSummary | null;
  readonly num_spans: number | null;
  readonly num_traces: number | null;
  readonly num_sessions: number | null;
  readonly dataset: ExperimentDataset | null;
  readonly aggregate_metrics: AggregateMetrics;
  readonly structured_aggregate_metrics: Readonly<Record<string, MetricSummary>>;
  readonly aggregate_feedback: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly rating_aggregates: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly ranking_score: number | null;
  readonly rank: number | null;
  readonly winner: boolean | null;
  readonly winner_source: 'chosen' | 'rank' | null;
  readonly playground_id: string | null;
  readonly playground: Playground | null;
  readonly prompt_run_settings: PromptRunSettings | null;
  readonly prompt_model: string | null;
  readonly prompt: Prompt | null;
  readonly tags: Readonly<Record<string, readonly ExperimentTag[]>>;
  readonly status: ExperimentStatus;
  readonly experiment_group_id: string | null;
  readonly experiment_group_name: string | null;
  readonly experiment_group_is_system: boolean | null;
};

export type ExperimentComparison = {
  readonly experiments: readonly ComparedExperiment[];
  readonly total_rows: number;
  readonly rows_in_all: number;
  readonly method: 'paired bootstrap, percentile interval';
  readonly confidence_level: number;
  readonly seed: number;
  readonly metrics: readonly ComparedMetric[];
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly rows: readonly ComparedRow[];
};

export type ExperimentDataset = {
  readonly dataset_id: string;
  readonly version_index: number;
  readonly name: string | null;
};

export type ExperimentStatus = { readonly log_generation: LogGeneration };

export type ExperimentTag = {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly tag_type: string;
  readonly project_id: string;
  readonly run_id: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type LogGeneration = { readonly progress_percent: number };

export type MetricOfExperiment = {
  readonly experiment_id: string;
  readonly num_rows: number;
  readonly mean: number | null;
  readonly against_baseline: AgainstBaseline | null;
};

export type MetricSummary = {
  readonly avg: number | null;
  readonly sum: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly count: number;
  readonly pct: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly value_distribution: Readonly<Record<string, number>> | null;
};

export type Playground = { readonly playground_id: string; readonly name: string };

export type Prompt = {
  readonly prompt_template_id: string;
  readonly version_index: number;
  readonly name: string;
  readonly content: string;
};

export type PromptRunSettings = {
  readonly logprobs: boolean;
  readonly top_logprobs: number;
  readonly echo: boolean;
  readonly n: number;
  readonly reasoning_effort: string;
  readonly verbosity: string;
  readonly deployment_name: string | null;
  readonly model_alias: string | null;
  readonly temperature: number | null;
  readonly max_tokens: number;
  readonly stop_sequences: readonly string[] | null;
  readonly top_p: number;
  readonly top_k: number;
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly response_format: Readonly<Record<string, unknown>> | null;
  readonly tools: string | null;
  readonly tool_choice: string | null;
};

export type PromptSettings = {
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
  readonly echo?: boolean | null;
  readonly n?: number | null;
  readonly reasoning_effort?: string | null;
  readonly verbosity?: string | null;
  readonly deployment_name?: string | null;
  readonly model_alias?: string | null;
  readonly temperature?: number | null;
  readonly max_tokens?: number | null;
  readonly stop_sequences?: readonly string[] | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly frequency_penalty?: number | null;
  readonly presence_penalty?: number | null;
  readonly tools?: string | readonly unknown[] | Readonly<Record<string, unknown>> | null;
  readonly tool_choice?: string | readonly unknown[] | Readonly<Record<string, unknown>> | null;
  readonly response_format?: Readonly<Record<string, unknown>> | null;
};

export type RowOfExperiment = {
  readonly experiment_id: string;
  readonly trace_id: string | null;
  readonly num_traces: number;
  readonly output: unknown;
  readonly metrics: Readonly<Record<string, ComparedValue>>;
};

export type RunScorerInput = {
  readonly id: string;
  readonly name?: string | null;
  readonly scorer_type: 'code' | 'preset';
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};
