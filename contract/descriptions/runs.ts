import type { Descriptions } from './descriptions.js';

/** Projects, log streams, experiments and insights (contract 4.6, 4.10, 5.4, 5.5). */
export const runDescriptions: Descriptions = {
  members: {
    labels: 'Labels of the project, 100 at most.',
    bookmark: 'Always false.',
    runs: 'Newest runs of the project, 100 at most.',
    kind: 'Kind of the run.',
    log_streams: 'Log streams on this page.',
    has_user_created_sessions: 'True when the log stream has sessions; null: not counted.',
    insights: 'Insights configuration of the run.',
    logstream: 'Insights of the log stream; absent in a request: unchanged.',
    enabled: 'True when insights are switched on.',
    experiments: 'Experiments in the order requested.',
    task_type: 'Kind of the task: 16, or 17 when created so.',
    dataset: 'Dataset version that the experiment is about; null: none.',
    structured_aggregate_metrics: 'Summary of the values by metric.',
    aggregate_feedback: 'Ratings counted by annotation template, under `aggregate`.',
    rating_aggregates: 'Ratings counted by annotation template, under `trace`.',
    ranking_score: 'Weighted score by the ranking criteria, 0 to 1; null: no value.',
    rank: 'Place by score in its experiment group, 1 is best; null: no score.',
    winner: 'True for the winner of its experiment group; null: no score and not chosen.',
    winner_source: 'Why it wins: `chosen` by a user or first in `rank`; null: no winner.',
    playground: 'Playground, as given at creation; null: none.',
    playground_id: 'Id of the playground, as given at creation; null: none.',
    playground_prompt_id: 'Id of the prompt in the playground; null: none.',
    prompt: 'Prompt, as given at creation; null: none.',
    prompt_run_settings: 'Settings of the prompt, as given at creation; null: none.',
    prompt_settings: 'Settings of the prompt; null: none.',
    prompt_model: '`model_alias` of the prompt settings; null: none.',
    prompt_template_id: 'Id of the prompt template.',
    prompt_template_version_id: 'Id of the version of the prompt template; null: none.',
    trigger: 'True is 422, as the service does not generate outputs; null: false.',
    log_generation: 'Progress of logging the traces of the experiment.',
    experiment_group_id: 'Id of the experiment group; null: none.',
    experiment_group_name: 'Name of the experiment group; null: none.',
    experiment_group_is_system: 'False for groups that clients name; null: in no group.',
    logprobs: 'True asks the model for log probabilities; null: true.',
    top_logprobs: 'Number of log probabilities per token; null: 5.',
    echo: 'True repeats the prompt in the output; null: false.',
    n: 'Number of outputs per prompt; null: 1.',
    reasoning_effort: 'Effort of reasoning, a free text; null: `medium`.',
    verbosity: 'Verbosity of the output, a free text; null: `medium`.',
    deployment_name: 'Name of the deployment of the model; null: none.',
    model_alias: 'Name of the model; null: none.',
    max_tokens: 'Number of output tokens at most; null: 4096.',
    stop_sequences: 'Texts at which generation stops; null: none.',
    top_p: 'Share of probability that is sampled from; null: 1.',
    top_k: 'Number of tokens that are sampled from; null: 40.',
    frequency_penalty: 'Penalty on frequent tokens; null: 0.',
    presence_penalty: 'Penalty on tokens that occurred; null: 0.',
    response_format: 'Response format requested from the model, as a JSON object; null: none.',
    tool_choice: 'Choice of the tool, as text or JSON; null: none.',
    weight: 'Weight of the metric, above 0 to 1,000,000.',
    direction: 'Whether higher or lower values are better.',
    default: 'True when no criteria were set, so that metrics with thresholds rank.',
    experiment_ids: 'Experiments, 2 to 10, each once; the first is the baseline.',
    seed: 'Seed of the bootstrap; the same seed gives the same intervals.',
    traces_without_row: 'Number of traces that are about no dataset row.',
    missing_rows: 'Number of rows of the others on which it has no trace.',
    failed_rows: 'Number of rows whose newest trace has a status code of 400 or more.',
    total_rows: 'Number of rows that at least one of the experiments has.',
    rows_in_all: 'Number of rows that all of the experiments have.',
    shown_rows: 'Number of rows on all pages, as `rows` of the request chooses them.',
    intervals: 'False leaves out confidence intervals, which further pages do not need.',
    method: 'Method of the confidence intervals.',
    confidence_level: 'Level of the confidence intervals: 0.95.',
    mean: 'Mean over the rows; of a boolean the share of true; null: no rows.',
    against_baseline: 'Comparison with the baseline; null for the baseline itself.',
    mean_difference: 'Mean of the differences to the baseline; null: no rows.',
    confidence_interval: 'Interval of the mean difference; null: few rows or draws, or not wanted.',
    wins: 'Number of rows on which it is better than the baseline.',
    losses: 'Number of rows on which it is worse than the baseline.',
    ties: 'Number of rows on which both are equal.',
    lower: 'Lower end of the interval.',
    upper: 'Upper end of the interval.',
    resamples: 'Number of bootstrap samples, 10,000 at most.',
    difference: 'Value minus that of the baseline; null for the baseline, or without one.',
    metric: 'Name of the metric, without `metrics/`.',
    key: 'Key of the tag, 1 to 256 characters.',
    tag_type: 'Kind of the tag, a free text, 1 to 256 characters.',
  },
  of: [
    {
      components: 'Project',
      members: {
        id: 'Id of the project.',
        name: 'Name of the project, unique in the organisation.',
        type: 'Kind of the project: `gen_ai`.',
        description: 'Purpose of the project; null: none.',
        role: 'Effective role of the caller in the project, at most that of the key.',
      },
    },
    {
      components: 'CreateProject',
      members: {
        name: 'Name of the project, unique in the organisation, 1 to 255 characters.',
        type: 'Kind of the project; null: `gen_ai`.',
      },
    },
    {
      components: 'ChangeProject',
      members: {
        name: 'Name of the project, unique in the organisation; null: unchanged.',
        description: 'Purpose of the project; null: unchanged.',
        labels: 'Labels that replace the present ones, 100 at most; null: unchanged.',
      },
    },
    {
      components: 'RunSummary LogStream',
      members: { id: 'Id of the run.', name: 'Name of the run, unique by project and kind.' },
    },
    {
      components: 'RunSummary Experiment',
      members: { updated_at: 'Time of the last change, in UTC; null: never changed.' },
    },
    {
      components: 'CreateLogStream RenameLogStream',
      members: { name: 'Name of the log stream, unique in the project, 1 to 255 characters.' },
    },
    {
      components: 'LogStreamInsights',
      members: { start_time: 'Time when insights were last switched on; null: never.' },
    },
    {
      components: 'Experiment',
      members: {
        id: 'Id of the experiment.',
        name: 'Name of the experiment; empty when unnamed.',
        created_by: 'Id of the user who created it; null: the user was removed.',
        tags: 'Tags by their key.',
        status: 'Progress of the experiment.',
        aggregate_metrics: 'Aggregates by name, such as `average_toxicity`, over its traces.',
      },
    },
    {
      components: 'ExperimentPage',
      members: { experiments: 'Experiments on this page.' },
    },
    {
      components: 'CreateExperiment ChangeExperiment',
      members: {
        name: 'Name of the experiment, 1 to 255 characters.',
        experiment_group_id: 'Group of the experiment; not together with its name; null: none.',
        experiment_group_name: 'Name of the group, made when it is new; null: none.',
      },
    },
    {
      components: 'CreateExperiment',
      members: {
        task_type: 'Kind of the task, 16 or 17; null: 16.',
        scorers: 'Scorers of the traces of the experiment, 50 at most; null: none.',
      },
    },
    {
      components: 'ChangeExperiment',
      members: { task_type: 'Kind of the task, 16 or 17; null: unchanged.' },
    },
    {
      components: 'Playground',
      members: {
        playground_id: 'Id of the playground.',
        name: 'Always empty: only the id is recorded.',
      },
    },
    {
      components: 'Prompt',
      members: {
        name: 'Name of the prompt template.',
        version_index: 'Version of the prompt template.',
        content: 'Text of the prompt.',
      },
    },
    {
      components: 'PromptSettings PromptRunSettings',
      members: {
        tools: 'Tools offered to the model, as text or JSON; null: none.',
        temperature: 'Sampling temperature; null: not set.',
      },
    },
    {
      components: 'PromptRunSettings',
      members: {
        logprobs: 'True asks the model for log probabilities.',
        top_logprobs: 'Number of log probabilities per token.',
        echo: 'True repeats the prompt in the output.',
        n: 'Number of outputs per prompt.',
        reasoning_effort: 'Effort of reasoning, a free text.',
        verbosity: 'Verbosity of the output, a free text.',
        max_tokens: 'Number of output tokens at most.',
        top_p: 'Share of probability that is sampled from.',
        top_k: 'Number of tokens that are sampled from.',
        frequency_penalty: 'Penalty on frequent tokens.',
        presence_penalty: 'Penalty on tokens that occurred.',
      },
    },
    {
      components: 'LogGeneration',
      members: { progress_percent: 'Complete traces per dataset row in per cent, 0 to 100.' },
    },
    {
      components: 'RankingCriterion RankingCriterionInput',
      members: { metric: 'Metric, under any of its names.' },
    },
    {
      components: 'RankingCriteria SetRankingCriteria',
      members: { criteria: 'Metrics that rank experiments, 50 at most, each once.' },
    },
    {
      components: 'CompareExperiments',
      members: {
        limit: 'Rows of one page at most, 1 to 100.',
        metrics: 'Metrics to compare, 20 at most; null: the first 20 with a value.',
        rows: 'Choice and order of the rows by one metric; null: all rows by time.',
      },
    },
    {
      components: 'ComparedRowChoice',
      members: {
        metric: 'Metric that chooses and orders the rows; it is compared too.',
        show: 'Rows with such a difference of at least one experiment; null: `all`.',
        order: '`difference`: the largest loss first, of `wins` the largest win; null: the same.',
      },
    },
    {
      components: 'ComparedExperiment',
      members: {
        name: 'Name of the experiment; empty when unnamed.',
        'dataset.dataset_id': 'Id of the dataset.',
        'dataset.version_index': 'Version of the dataset, from 1.',
      },
    },
    {
      components: 'ComparedExperiment RowOfExperiment',
      members: { num_traces: 'Number of traces.' },
    },
    {
      components: 'ComparedExperiment',
      members: { num_rows: 'Number of rows on which it has a trace.' },
    },
    {
      components: 'MetricOfExperiment',
      members: { num_rows: 'Number of rows with a value.' },
    },
    {
      components: 'AgainstBaseline',
      members: { num_rows: 'Number of rows on which both have a value.' },
    },
    {
      components: 'ExperimentComparison',
      members: {
        metrics: 'Compared metrics with the values of each experiment.',
        rows: 'Dataset rows of the page, by their first trace in the baseline, or as requested.',
      },
    },
    {
      components: 'ComparedMetric',
      members: {
        type: 'Data type of the metric.',
        experiments: 'Values of the metric by experiment, in the order requested.',
      },
    },
    {
      components: 'ComparedRow',
      members: {
        row_id: 'Id of the dataset row; null where rows match by their input.',
        experiments: 'Values on the row by experiment, in the order requested.',
      },
    },
    {
      components: 'RowOfExperiment',
      members: {
        trace_id: 'Newest trace about the row; null: none.',
        output: 'Output of the newest trace about the row; null: none.',
        metrics: 'Value and difference by metric; absent without a value.',
      },
    },
    {
      components: 'ComparedValue',
      members: { value: 'Mean over the traces about the row; of a boolean the share of true.' },
    },
    {
      components: 'ComparedExperiment MetricOfExperiment RowOfExperiment',
      members: { experiment_id: 'Id of the experiment.' },
    },
    {
      components: 'ExperimentTag',
      members: {
        id: 'Id of the tag.',
        run_id: 'Id of the experiment.',
      },
    },
    {
      components: 'ExperimentTag ExperimentTagInput',
      members: { value: 'Value of the tag, 1 to 256 characters.' },
    },
  ],
};
