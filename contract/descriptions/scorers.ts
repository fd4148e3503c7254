import type { Descriptions } from './descriptions.js';

const ratings = 'LikeRating StarRating ScoreRating TagsRating TextRating ChoiceRating';

/** Scorers, their work, annotation templates and ratings (contract 4.8, 4.11, 4.13, 5.8, 5.10). */
export const scorerDescriptions: Descriptions = {
  members: {
    scorers: 'Scorers of the run, 50 at most.',
    scorer_type: 'Kind of the scorer: `code` runs a file, `preset` is built in.',
    model_type: '`code` for code scorers; null for presets.',
    output_type: 'Kind of the output, a free text; null: none.',
    scoreable_node_types: 'Node types that are scored; null: as the file says, else `llm`.',
    required_scorers: 'Scorers whose scores the file reads, 100 at most; null: none.',
    score_type: 'Type of the scores; null: as the file says.',
    defaults: 'Always null.',
    default_version_id: 'Id of the version that runs; null: none yet.',
    default_version: 'Version that runs; null: none yet.',
    latest_version: 'Newest version; null: none yet.',
    deprecated: 'True for presets that are no longer recommended.',
    ground_truth: 'True when the scorer compares with a reference output.',
    is_global: 'Always true: the whole organisation sees it.',
    scope_projects: 'Always empty.',
    segment_filters: 'Always null.',
    scorer_id: 'Id of the scorer.',
    scorer_version: 'Number of the version, from 1.',
    chain_aggregation: 'Aggregation that the file declares; null: none.',
    validation_result: 'Result of a valid validation of the same file, as JSON text.',
    test_input: 'Input of the sample; null: `test input`.',
    test_output: 'Output of the sample; null: `test output`.',
    dataset_version_index: 'Version of the dataset; null: the current one.',
    task_id: 'Id of the validation, which can be polled.',
    metrics_experiment_id: 'Id of the metrics-testing run; null for a single sample.',
    result: 'Result of the validation.',
    scored: 'Number of records that have a score.',
    skipped: 'Number of records that this version processed before.',
    failed: 'Number of records that could not be scored.',
    failures: 'Kinds of failures, 20 at most.',
    eligible: 'Number of records to score: waiting, scored, skipped and failed ones.',
    waiting: 'Number of known records that wait for scoring.',
    counts: 'Records by what became of them; null for a validation.',
    line: 'Line of the file that failed; null: unknown.',
    record_id: 'Id of the first record that failed so.',
    include_explanation: 'True when ratings should have an explanation.',
    criteria: 'Question to the annotators; null: none.',
    constraints: 'Kind of the ratings and their bounds; never changes.',
    annotation_type: 'Kind of the rating.',
    choices: 'Labels to choose from, 1 to 100.',
    allow_other: 'True allows labels that are not listed.',
    min: 'Lowest score.',
    max: 'Highest score; not below `min`.',
    usage_count: 'Number of current ratings.',
    ordering: 'Ids of all live templates in their new order.',
    operations: 'Ratings to give or withdraw, 1 to 20, decided one by one.',
    annotation_template_id: 'Id of the annotation template.',
    rating: 'Rating; null only of a withdrawal.',
    explanation: 'Reason of the rating, 1 to 4,096 characters; null: none.',
    selector: 'Traces that are rated.',
    selector_type: 'Kind of the selection; `traces` is the only one.',
    operation: 'Operation that was requested.',
    success: 'True when the rating is now as wanted.',
    trace: 'Id of the trace.',
  },
  of: [
    {
      components: 'RatingOperation',
      members: {
        operation_type: 'Kind of the operation: `create` or `delete`.',
      },
    },
    {
      components: 'Scorer',
      members: {
        id: 'Id of the scorer.',
        name: 'Name of the scorer and of its metric.',
        label: 'Display name of the metric.',
        description: 'Purpose of the scorer; empty: none.',
        created_by: 'Id of the user who created it; null for presets.',
        tags: 'Labels of the scorer.',
        scoreable_node_types: 'Node types that are scored.',
        required_scorers: 'Scorers whose scores the file reads.',
      },
    },
    {
      components: 'CreateScorer',
      members: {
        id: 'Id that the scorer gets; null: the service makes one.',
        name: 'Name of the scorer and of its metric, unique, 1 to 128 characters.',
        scorer_type: 'Kind of the scorer; only code scorers can be made.',
        label: 'Display name of the metric; null: none.',
        description: 'Purpose of the scorer; null: none.',
        tags: 'Labels of the scorer, 100 at most; null: none.',
        scoreable_node_types: 'Node types that are scored; null: those of the version.',
      },
    },
    {
      components: 'ChangeScorer',
      members: {
        label: 'Display name of the metric; null: unchanged.',
        description: 'Purpose of the scorer; null: unchanged.',
        tags: 'Labels that replace the present ones; null: unchanged.',
        scoreable_node_types: 'Node types that are scored; null: unchanged.',
        required_scorers: 'Scorers whose scores the file reads; null: unchanged.',
        output_type: 'Kind of the output, a free text; null: unchanged.',
        roll_up_method: 'Way in which values roll up; null: unchanged.',
        threshold: 'Limits that divide the values into levels; null: unchanged.',
      },
    },
    {
      components: 'ScorerPage',
      members: { scorers: 'Scorers on this page.' },
    },
    {
      components: 'ScorerVersion',
      members: {
        id: 'Id of the version.',
        version: 'Number of the version, from 1.',
        score_type: 'Type of the scores.',
        scoreable_node_types: 'Node types that are scored.',
      },
    },
    {
      components: 'AddScorerVersion ValidateScorer ValidateScorerOnDataset',
      members: {
        file: 'Python source, UTF-8, at most 256 KiB; the guide lists arguments of `scorer_fn`.',
      },
    },
    {
      components: 'ValidateScorerOnDataset',
      members: {
        limit: 'Rows that are scored, 1 to 1,000; null: 100.',
        starting_token: 'Offset of the first row that is scored; null: 0.',
      },
    },
    {
      components: 'RunScorer CountedRunScorer',
      members: { id: 'Id of the scorer.', name: 'Name of the scorer.' },
    },
    {
      components: 'RunScorerInput',
      members: { id: 'Id of the scorer.', name: 'Name of the scorer; the id decides.' },
    },
    {
      components: 'RunScorer RunScorerInput PastScoringRequest',
      members: { scoreable_node_types: 'Node types that are scored; null: those of the scorer.' },
    },
    {
      components: 'CountedRunScorer',
      members: {
        counts: 'Records by what became of them, since the service counts them.',
        scoreable_node_types: 'Node types that are scored; null: those of the scorer.',
      },
    },
    {
      components: 'ScoringCounts',
      members: { failed: 'Number of records that could not be scored, by reason.' },
    },
    {
      components: 'ScorerSettingsInput',
      members: { run_id: 'Id of the run, as in the path; null: the same.' },
    },
    {
      components: 'ScorerTask',
      members: {
        id: 'Id of the validation.',
        status: 'State of the validation; `completed` and `failed` are final.',
        result:
          'Result under `result`, whose `unknown_parameters` get nothing passed; null until ' +
          'finished.',
        project_id: 'Project that the validation is in; null for a single sample.',
      },
    },
    {
      components: 'ScoringFailure',
      members: {
        type: 'Class of the exception, else the `error_type`.',
        count: 'Number of records that failed so.',
        trace_id: 'Trace of the first record that failed so.',
        message: 'Message about the first record; null: it changed or was deleted.',
      },
    },
    {
      components: 'AnnotationTemplate',
      members: {
        id: 'Id of the template.',
        name: 'Name of the template, unique in the project.',
        position: 'Place among the templates of the project, from 0.',
      },
    },
    {
      components: 'CreateAnnotationTemplate',
      members: { name: 'Name of the template, unique in the project, 1 to 255 characters.' },
    },
    {
      components: 'ChangeAnnotationTemplate',
      members: {
        name: 'Name of the template, unique in the project; null: unchanged.',
        criteria: 'Question to the annotators; null: unchanged.',
      },
    },
    {
      components: 'TagsConstraints TagsConstraintsInput',
      members: { tags: 'Labels that a rating may have, 1 to 100.' },
    },
    {
      components: 'LikeRating',
      members: { value: 'True: like; false: dislike.' },
    },
    { components: 'StarRating', members: { value: 'Number of stars, 1 to 5.' } },
    {
      components: 'ScoreRating',
      members: { value: 'Score, from `min` to `max` of the template.' },
    },
    {
      components: 'TagsRating',
      members: { value: 'Labels; of the template, unless it has `allow_other`.' },
    },
    { components: 'TextRating', members: { value: 'Text, 1 to 4,096 characters.' } },
    {
      components: 'ChoiceRating',
      members: { value: 'Label; of the template, unless it has `allow_other`.' },
    },
    {
      components: 'Rating',
      members: {
        created_at: 'Time when the rating was given.',
        created_by: 'Id of the user who rated.',
      },
    },
    {
      components: 'TraceSelector',
      members: { traces: 'Ids of the traces, 1 to 1,000.' },
    },
    {
      components: 'RatingResult',
      members: {
        selector: 'Kind of the selection: `traces`.',
        index: 'Index of the operation in `operations`.',
        message: 'Sentence about what was done, or why not.',
      },
    },
    {
      components: ratings,
      members: { annotation_type: 'Kind of the rating; that of the template.' },
    },
  ],
};
