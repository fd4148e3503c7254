// Written by npm run generate from the contract: change that.

export type AgainstBaseline = {
  /** Number of rows on which both have a value. */
  readonly num_rows: number;
  /** Mean of the differences to the baseline; null: no rows. */
  readonly mean_difference: number | null;
  /** Interval of the mean difference; null: few rows or draws, or not wanted. */
  readonly confidence_interval: ConfidenceInterval | null;
  /** Number of rows on which it is better than the baseline. */
  readonly wins: number;
  /** Number of rows on which it is worse than the baseline. */
  readonly losses: number;
  /** Number of rows on which both are equal. */
  readonly ties: number;
};

export type AggregateMetrics = {
  /** Number of traces of the experiment. */
  readonly total_responses: number;
} & Readonly<Record<string, number | null>>;

export type ChangeExperiment = {
  /** Name of the experiment, 1 to 255 characters. */
  readonly name: string;
  /** Kind of the task, 16 or 17; null: unchanged. */
  readonly task_type?: number | null;
  /** Group of the experiment; not together with its name; null: none. */
  readonly experiment_group_id?: string | null;
  /** Name of the group, made when it is new; null: none. */
  readonly experiment_group_name?: string | null;
};

export type CompareExperiments = {
  /** Experiments, 2 to 10, each once; the first is the baseline. */
  readonly experiment_ids: readonly string[];
  /** Metrics to compare, 20 at most; null: the first 20 with a value. */
  readonly metrics?: readonly string[] | null;
  /** Seed of the bootstrap; the same seed gives the same intervals. Default: 1. */
  readonly seed?: number | null;
  /**
   * False leaves out confidence intervals, which further pages do not need. Default: true.
   */
  readonly intervals?: boolean | null;
  /** Choice and order of the rows by one metric; null: all rows by time. */
  readonly rows?: ComparedRowChoice | null;
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 100. Default: 20. */
  readonly limit?: number | null;
};

export type ComparedExperiment = {
  /** Id of the experiment. */
  readonly experiment_id: string;
  /** Name of the experiment; empty when unnamed. */
  readonly name: string;
  /** Dataset version that the experiment is about; null: none. */
  readonly dataset: {
    /** Id of the dataset. */
    readonly dataset_id: string;
    /** Version of the dataset, from 1. */
    readonly version_index: number;
  } | null;
  /** Number of traces. */
  readonly num_traces: number;
  /** Number of traces that are about no dataset row. */
  readonly traces_without_row: number;
  /** Number of rows on which it has a trace. */
  readonly num_rows: number;
  /** Number of rows of the others on which it has no trace. */
  readonly missing_rows: number;
  /** Number of rows whose newest trace has a status code of 400 or more. */
  readonly failed_rows: number;
};

export type ComparedMetric = {
  /** Name of the metric, without `metrics/`. */
  readonly metric: string;
  /** Data type of the metric. */
  readonly type: 'integer' | 'floating_point' | 'boolean';
  /** Whether higher or lower values are better. */
  readonly direction: 'higher' | 'lower';
  /** Values of the metric by experiment, in the order requested. */
  readonly experiments: readonly MetricOfExperiment[];
};

export type ComparedRow = {
  /** Id of the dataset row; null where rows match by their input. */
  readonly row_id: string | null;
  /** Input of the dataset row behind the step; null: none. */
  readonly dataset_input: string | null;
  /** Reference output of the dataset row; null: none. */
  readonly dataset_output: string | null;
  /** Values on the row by experiment, in the order requested. */
  readonly experiments: readonly RowOfExperiment[];
};

export type ComparedRowChoice = {
  /** Metric that chooses and orders the rows; it is compared too. */
  readonly metric: string;
  /** Rows with such a difference of at least one experiment; null: `all`. */
  readonly show?: 'losses' | 'wins' | 'ties' | 'missing' | 'all' | null;
  /**
   * `difference`: the largest loss first, of `wins` the largest win; null: the same.
   */
  readonly order?: 'difference' | 'created_at' | null;
};

export type ComparedValue = {
  /** Mean over the traces about the row; of a boolean the share of true. */
  readonly value: number;
  /** Value minus that of the baseline; null for the baseline, or without one. */
  readonly difference: number | null;
};

export type ConfidenceInterval = {
  /** Lower end of the interval. */
  readonly lower: number;
  /** Upper end of the interval. */
  readonly upper: number;
  /** Number of bootstrap samples, 10,000 at most. */
  readonly resamples: number;
};

export type CreateExperiment = {
  /** Name of the experiment, 1 to 255 characters. */
  readonly name: string;
  /** Kind of the task, 16 or 17; null: 16. */
  readonly task_type?: number | null;
  /** Dataset version that the experiment is about; null: none. */
  readonly dataset?: DatasetReference | null;
  /** Settings of the prompt; null: none. */
  readonly prompt_settings?: PromptSettings | null;
  /** Id of the version of the prompt template; null: none. */
  readonly prompt_template_version_id?: string | null;
  /** Prompt, as given at creation; null: none. */
  readonly prompt?: Prompt | null;
  /** Id of the playground, as given at creation; null: none. */
  readonly playground_id?: string | null;
  /** Id of the prompt in the playground; null: none. */
  readonly playground_prompt_id?: string | null;
  /** Scorers of the traces of the experiment, 50 at most; null: none. */
  readonly scorers?: readonly RunScorerInput[] | null;
  /** Group of the experiment; not together with its name; null: none. */
  readonly experiment_group_id?: string | null;
  /** Name of the group, made when it is new; null: none. */
  readonly experiment_group_name?: string | null;
  /** True is 422, as the service does not generate outputs; null: false. */
  readonly trigger?: boolean | null;
};

export type DatasetReference = {
  /** Id of the dataset. */
  readonly dataset_id: string;
  /** Number of the version, from 1. */
  readonly version_index: number;
};

export type ExperimentDataset = {
  /** Id of the dataset. */
  readonly dataset_id: string;
  /** Number of the version, from 1. */
  readonly version_index: number;
  /** Present name of the dataset; null: deleted. */
  readonly name: string | null;
};

export type MetricOfExperiment = {
  /** Id of the experiment. */
  readonly experiment_id: string;
  /** Number of rows with a value. */
  readonly num_rows: number;
  /** Mean over the rows; of a boolean the share of true; null: no rows. */
  readonly mean: number | null;
  /** Comparison with the baseline; null for the baseline itself. */
  readonly against_baseline: AgainstBaseline | null;
};

export type MetricSummary = {
  /** Arithmetic mean of a numeric metric; null otherwise. */
  readonly avg: number | null;
  /** Sum of a numeric metric; null otherwise. */
  readonly sum: number | null;
  /** Lowest value of a numeric metric; null otherwise. */
  readonly min: number | null;
  /** Highest value of a numeric metric; null otherwise. */
  readonly max: number | null;
  /** Number of values. */
  readonly count: number;
  /** Share of true of a boolean metric, 0 to 1; null otherwise. */
  readonly pct: number | null;
  /** 50th percentile by nearest rank; null unless numeric. */
  readonly p50: number | null;
  /** 90th percentile by nearest rank; null unless numeric. */
  readonly p90: number | null;
  /** 95th percentile by nearest rank; null unless numeric. */
  readonly p95: number | null;
  /** 99th percentile by nearest rank; null unless numeric. */
  readonly p99: number | null;
  /** Number of values by category; null if numeric or over 1,000 categories. */
  readonly value_distribution: Readonly<Record<string, number>> | null;
};

export type Playground = {
  /** Id of the playground. */
  readonly playground_id: string;
  /** Always empty: only the id is recorded. */
  readonly name: string;
};

export type Prompt = {
  /** Id of the prompt template. */
  readonly prompt_template_id: string;
  /** Version of the prompt template. */
  readonly version_index: number;
  /** Name of the prompt template. */
  readonly name: string;
  /** Text of the prompt. */
  readonly content: string;
};

export type PromptSettings = {
  /** True asks the model for log probabilities; null: true. */
  readonly logprobs?: boolean | null;
  /** Number of log probabilities per token; null: 5. */
  readonly top_logprobs?: number | null;
  /** True repeats the prompt in the output; null: false. */
  readonly echo?: boolean | null;
  /** Number of outputs per prompt; null: 1. */
  readonly n?: number | null;
  /** Effort of reasoning, a free text; null: `medium`. */
  readonly reasoning_effort?: string | null;
  /** Verbosity of the output, a free text; null: `medium`. */
  readonly verbosity?: string | null;
  /** Name of the deployment of the model; null: none. */
  readonly deployment_name?: string | null;
  /** Name of the model; null: none. */
  readonly model_alias?: string | null;
  /** Sampling temperature; null: not set. */
  readonly temperature?: number | null;
  /** Number of output tokens at most; null: 4096. */
  readonly max_tokens?: number | null;
  /** Texts at which generation stops; null: none. */
  readonly stop_sequences?: readonly string[] | null;
  /** Share of probability that is sampled from; null: 1. */
  readonly top_p?: number | null;
  /** Number of tokens that are sampled from; null: 40. */
  readonly top_k?: number | null;
  /** Penalty on frequent tokens; null: 0. */
  readonly frequency_penalty?: number | null;
  /** Penalty on tokens that occurred; null: 0. */
  readonly presence_penalty?: number | null;
  /** Tools offered to the model, as text or JSON; null: none. */
  readonly tools?: string | readonly unknown[] | Readonly<Record<string, unknown>> | null;
  /** Choice of the tool, as text or JSON; null: none. */
  readonly tool_choice?: string | readonly unknown[] | Readonly<Record<string, unknown>> | null;
  /** Response format requested from the model, as a JSON object; null: none. */
  readonly response_format?: Readonly<Record<string, unknown>> | null;
};

export type RowOfExperiment = {
  /** Id of the experiment. */
  readonly experiment_id: string;
  /** Newest trace about the row; null: none. */
  readonly trace_id: string | null;
  /** Number of traces. */
  readonly num_traces: number;
  /** Output of the newest trace about the row; null: none. */
  readonly output: unknown;
  /** Value and difference by metric; absent without a value. */
  readonly metrics: Readonly<Record<string, ComparedValue>>;
};

export type RunScorerInput = {
  /** Id of the scorer. */
  readonly id: string;
  /** Name of the scorer; the id decides. */
  readonly name?: string | null;
  /** Kind of the scorer: `code` runs a file, `preset` is built in. */
  readonly scorer_type: 'code' | 'preset';
  /** Node types that are scored; null: those of the scorer. */
  readonly scoreable_node_types?:
    | readonly (
        'chain' | 'chat' | 'llm' | 'retriever' | 'tool' | 'agent' | 'workflow' | 'trace' | 'session'
      )[]
    | null;
};
