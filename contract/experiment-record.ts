import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type DatasetId,
  type ExperimentGroupId,
  type Instant,
  type Json,
  type JsonObject,
  type ProjectId,
  type RunId,
  type UserId,
} from '../kernel/schema-types.js';
import { userBlock, type UserBlock } from './people.js';

const text = Type.String();
const json = Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()));
const member = <T extends Parameters<typeof nullable>[0]>(schema: T) => nullable(schema);

/** Prompt (contract 5.5 and 4.6). */
export const prompt = namedSchema(
  'Prompt',
  Type.Object({
    prompt_template_id: text,
    version_index: Type.Integer(),
    name: text,
    content: text,
  }),
);

const settings = {
  logprobs: Type.Boolean(),
  top_logprobs: Type.Integer(),
  echo: Type.Boolean(),
  n: Type.Integer(),
  reasoning_effort: text,
  verbosity: text,
  deployment_name: text,
  model_alias: text,
  temperature: Type.Number(),
  max_tokens: Type.Integer(),
  stop_sequences: Type.Array(text),
  top_p: Type.Number(),
  top_k: Type.Integer(),
  frequency_penalty: Type.Number(),
  presence_penalty: Type.Number(),
  response_format: json,
};
const callable = nullish(Type.Unsafe<Json>(Type.Union([text, Type.Array(Type.Unknown()), json])));

/** `prompt_settings` of a creation: every member is optional. */
export const promptSettings = namedSchema(
  'PromptSettings',
  Type.Object({
    logprobs: nullish(settings.logprobs),
    top_logprobs: nullish(settings.top_logprobs),
    echo: nullish(settings.echo),
    n: nullish(settings.n),
    reasoning_effort: nullish(settings.reasoning_effort),
    verbosity: nullish(settings.verbosity),
    deployment_name: nullish(settings.deployment_name),
    model_alias: nullish(settings.model_alias),
    temperature: nullish(settings.temperature),
    max_tokens: nullish(settings.max_tokens),
    stop_sequences: nullish(settings.stop_sequences),
    top_p: nullish(settings.top_p),
    top_k: nullish(settings.top_k),
    frequency_penalty: nullish(settings.frequency_penalty),
    presence_penalty: nullish(settings.presence_penalty),
    tools: callable,
    tool_choice: callable,
    response_format: nullish(settings.response_format),
  }),
);

export const promptRunSettings = namedSchema(
  'PromptRunSettings',
  Type.Object({
    ...settings,
    deployment_name: member(text),
    model_alias: member(text),
    temperature: member(settings.temperature),
    stop_sequences: member(settings.stop_sequences),
    tools: member(text),
    tool_choice: member(text),
    response_format: member(json),
  }),
);
export type PromptRunSettings = Static<typeof promptRunSettings>;

/** Fills in defaults (contract 4.6); tools sent as JSON become compact text. */
export const completePromptSettings = (
  given: Static<typeof promptSettings>,
): PromptRunSettings => ({
  logprobs: given.logprobs ?? true,
  top_logprobs: given.top_logprobs ?? 5,
  echo: given.echo ?? false,
  n: given.n ?? 1,
  reasoning_effort: given.reasoning_effort ?? 'medium',
  verbosity: given.verbosity ?? 'medium',
  deployment_name: given.deployment_name ?? null,
  model_alias: given.model_alias ?? null,
  temperature: given.temperature ?? null,
  max_tokens: given.max_tokens ?? 4_096,
  stop_sequences: given.stop_sequences ?? null,
  top_p: given.top_p ?? 1,
  top_k: given.top_k ?? 40,
  frequency_penalty: given.frequency_penalty ?? 0,
  presence_penalty: given.presence_penalty ?? 0,
  tools: compact(given.tools),
  tool_choice: compact(given.tool_choice),
  response_format: given.response_format ?? null,
});

const compact = (value: Json | undefined): string | null =>
  value === undefined || value === null || typeof value === 'string'
    ? (value ?? null)
    : JSON.stringify(value);

export const experimentTag = namedSchema(
  'ExperimentTag',
  Type.Object({
    id: id('TagId'),
    key: text,
    value: text,
    tag_type: text,
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    created_by: id('UserId'),
    created_at: instant,
    /** Time of the last change; at first `created_at`. */
    updated_at: instant,
  }),
);
export type ExperimentTag = Static<typeof experimentTag>;

const number = nullable(Type.Number());
const structuredMetric = namedSchema(
  'MetricSummary',
  Type.Object({
    avg: number,
    sum: number,
    min: number,
    max: number,
    count: Type.Integer(),
    pct: number,
    p50: number,
    p90: number,
    p95: number,
    p99: number,
    value_distribution: nullable(Type.Record(text, Type.Integer())),
  }),
);
export type StructuredMetric = Static<typeof structuredMetric>;

/** Experiment record (contract 4.6). */
export const experiment = namedSchema(
  'Experiment',
  Type.Object({
    id: id('RunId'),
    project_id: id('ProjectId'),
    task_type: Type.Integer(),
    created_at: instant,
    updated_at: nullable(instant),
    name: text,
    created_by: nullable(id('UserId')),
    created_by_user: userBlock,
    num_spans: nullable(Type.Integer()),
    num_traces: nullable(Type.Integer()),
    num_sessions: nullable(Type.Integer()),
    dataset: nullable(
      namedSchema(
        'ExperimentDataset',
        Type.Object({
          dataset_id: id('DatasetId'),
          version_index: Type.Integer(),
          name: nullable(text),
        }),
      ),
    ),
    aggregate_metrics: namedSchema(
      'AggregateMetrics',
      Type.Object({ total_responses: Type.Integer() }, { additionalProperties: number }),
    ),
    structured_aggregate_metrics: Type.Record(text, structuredMetric),
    aggregate_feedback: Type.Record(text, json),
    rating_aggregates: Type.Record(text, json),
    ranking_score: number,
    rank: nullable(Type.Integer()),
    winner: nullable(Type.Boolean()),
    winner_source: nullable(oneOf(['chosen', 'rank'])),
    playground_id: nullable(text),
    playground: nullable(
      namedSchema('Playground', Type.Object({ playground_id: text, name: text })),
    ),
    prompt_run_settings: nullable(promptRunSettings),
    prompt_model: nullable(text),
    prompt: nullable(prompt),
    tags: Type.Record(text, Type.Array(experimentTag)),
    status: namedSchema(
      'ExperimentStatus',
      Type.Object({
        log_generation: namedSchema(
          'LogGeneration',
          Type.Object({ progress_percent: Type.Integer() }),
        ),
      }),
    ),
    experiment_group_id: nullable(id('ExperimentGroupId')),
    experiment_group_name: nullable(text),
    experiment_group_is_system: nullable(Type.Boolean()),
  }),
);
export type ExperimentRecord = Static<typeof experiment>;

/** Experiment as folded from the log; the rest of the record comes from read models. */
export type ExperimentFacts = {
  readonly id: RunId;
  readonly project_id: ProjectId;
  readonly name: string;
  readonly task_type: number;
  readonly created_at: Instant;
  /** Time of the last event on the experiment itself; null before (contract 7). */
  readonly updated_at: Instant | null;
  readonly created_by: UserId;
  readonly dataset: {
    readonly dataset_id: DatasetId;
    readonly version_index: number;
    readonly num_rows: number;
  } | null;
  readonly prompt_settings: JsonObject | null;
  readonly prompt: JsonObject | null;
  readonly playground_id: string | null;
  readonly group: { readonly id: ExperimentGroupId; readonly name: string } | null;
  /** Tags in the order in which they were added. */
  readonly tags: readonly ExperimentTag[];
};

/** Facts of an experiment as created. */
export const newExperiment = (
  created: Omit<ExperimentFacts, 'id' | 'updated_at' | 'tags'> & { readonly run_id: RunId },
): ExperimentFacts => ({
  id: created.run_id,
  project_id: created.project_id,
  name: created.name,
  task_type: created.task_type,
  created_at: created.created_at,
  updated_at: null,
  created_by: created.created_by,
  dataset: created.dataset,
  prompt_settings: created.prompt_settings,
  prompt: created.prompt,
  playground_id: created.playground_id,
  group: created.group,
  tags: [],
});

/** Measurements of an experiment's records, and its rank among others. */
export type ExperimentAggregates = Pick<
  ExperimentRecord,
  | 'num_spans'
  | 'num_traces'
  | 'num_sessions'
  | 'aggregate_metrics'
  | 'structured_aggregate_metrics'
  | 'aggregate_feedback'
  | 'rating_aggregates'
  | 'ranking_score'
  | 'rank'
  | 'winner'
  | 'winner_source'
> & { readonly progress_percent: number };

/** Aggregates of an experiment without records; counts are null because nothing was counted. */
export const noAggregates: ExperimentAggregates = {
  num_spans: null,
  num_traces: null,
  num_sessions: null,
  aggregate_metrics: { total_responses: 0 },
  structured_aggregate_metrics: {},
  aggregate_feedback: {},
  rating_aggregates: {},
  ranking_score: null,
  rank: null,
  winner: null,
  winner_source: null,
  progress_percent: 0,
};

/**
 * Response for an experiment. `datasetName`: the dataset's current name; null once it is deleted.
 */
export const experimentAnswer = (
  facts: ExperimentFacts,
  created_by_user: UserBlock,
  datasetName: string | null,
  { progress_percent, ...aggregates }: ExperimentAggregates,
): ExperimentRecord => {
  const { prompt_settings, prompt: given, dataset, group, playground_id, tags, ...plain } = facts;
  const settingsGiven = prompt_settings as PromptRunSettings | null;
  return {
    ...plain,
    ...aggregates,
    created_by_user,
    dataset: dataset && {
      dataset_id: dataset.dataset_id,
      version_index: dataset.version_index,
      name: datasetName,
    },
    playground_id,
    playground: playground_id === null ? null : { playground_id, name: '' },
    prompt_run_settings: settingsGiven,
    prompt_model: settingsGiven?.model_alias ?? null,
    prompt: given as ExperimentRecord['prompt'],
    tags: tagsByKey(tags),
    status: { log_generation: { progress_percent } },
    experiment_group_id: group?.id ?? null,
    experiment_group_name: group?.name ?? null,
    experiment_group_is_system: group === null ? null : false,
  };
};

/** Tags by key, in an object without a prototype: a key may be `__proto__`. */
const tagsByKey = (tags: readonly ExperimentTag[]): ExperimentRecord['tags'] => {
  const byKey = Object.create(null) as Record<string, ExperimentTag[]>;
  for (const tag of tags) (byKey[tag.key] ??= []).push(tag);
  return byKey;
};
