import { Type } from 'typebox';
import { aggregations, type Aggregation } from '../../kernel/records/query-plans.js';
import { Fault } from '../../kernel/fault.js';
import { oneOf, type JsonObject } from '../../kernel/schema-types.js';
import { conditionMembers, argumentPathOf, filterTreeOf } from './conditions.js';
import { unknownColumnNotes } from './record-tools.js';
import {
  boundMember,
  projectMember,
  readTool,
  runMembers,
  windowMembers,
  type McpTool,
} from './tool.js';

/** Default window. A bucket of everything ends where 1970 begins (contract 4.5). */
const unboundedWindow = {
  start_time: '1970-01-01T00:00:00Z',
  end_time: '9999-12-31T23:59:59Z',
} as const;

type Bucket = JsonObject & { readonly requests_count: number };
type AggregateAnswer = {
  readonly group_by_columns: readonly string[];
  readonly aggregate_metrics: JsonObject;
  readonly bucketed_metrics: Readonly<Record<string, readonly Bucket[]>>;
  readonly standard_errors: Readonly<Record<string, JsonObject>>;
  readonly population: string;
};
type Detail = {
  readonly metric: string;
  readonly aggregation: Aggregation;
  readonly id?: string;
};

const aggregateMetrics = readTool({
  name: 'aggregate_metrics',
  title: 'Aggregate metrics',
  description:
    'Averages, sums, percentiles, histograms and counts of metrics over traces or spans: in all, ' +
    'by the values of a column (group_by), by time (interval_minutes). Traces are counted unless ' +
    'group_by or a condition names a column that only spans have, such as model or type; ' +
    'any_span.model groups traces by the models of their spans. Common metrics: duration_ns, ' +
    'cost, num_total_tokens, toxicity; list_columns has the others.',
  list: 'groups',
  members: {
    ...projectMember,
    metrics: Type.Array(
      Type.Object(
        {
          metric: Type.String({ description: 'cost, reward, annotations/TEMPLATE …' }),
          aggregation: oneOf(aggregations),
          id: Type.Optional(Type.String({ description: 'Its name in the answer.' })),
        },
        { additionalProperties: false },
      ),
      { maxItems: 50, description: 'Empty: only count requests, sessions and spans.' },
    ),
    group_by: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 3 })], {
        description:
          'A column or up to three: model, name, tags, user_metadata/KEY …; any_span.COLUMN ' +
          'groups traces by a column of their spans.',
      }),
    ),
    interval_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 525_600, description: '60 for hours, 1440 for days.' }),
    ),
    utc_offset_minutes: Type.Optional(
      Type.Integer({
        minimum: -840,
        maximum: 840,
        description: 'Of the local time in which buckets begin: -300 for UTC-5.',
      }),
    ),
    population: Type.Optional(oneOf(['traces', 'spans'])),
    ...conditionMembers,
    ...runMembers,
    ...windowMembers,
    starting_token: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    ...boundMember,
  },
  run: async (asked, { call, names }) => {
    const { interval_minutes = null, starting_token = 0 } = asked;
    const projectId = await names.project(asked.project);
    const { body, unknownColumns } = await call<AggregateAnswer>(
      'POST',
      `/projects/${projectId}/metrics/custom_search`,
      {
        body: {
          ...(await names.run(projectId, asked)),
          start_time: asked.start_time ?? unboundedWindow.start_time,
          end_time: asked.end_time ?? unboundedWindow.end_time,
          metric_details: detailsOf(asked.metrics),
          interval_minutes,
          group_by: asked.group_by ?? null,
          utc_offset_minutes: asked.utc_offset_minutes ?? 0,
          population: asked.population ?? null,
          filter_tree: filterTreeOf(asked),
        },
        place: argumentPathOf(asked),
      },
    );
    const groups = groupsOf(body, interval_minutes !== null);
    return {
      head: {
        population: body.population,
        totals: body.aggregate_metrics,
        ...(asked.group_by !== undefined && { group_by: asked.group_by }),
        ...errorsOf(body),
      },
      items: groups.slice(starting_token),
      start: starting_token,
      next: null,
      hint: 'a longer interval or narrower conditions make it shorter',
      notes: unknownColumnNotes(unknownColumns),
    };
  },
});

const detailsOf = (metrics: readonly Detail[]): readonly JsonObject[] => {
  const details = metrics.map(({ metric, aggregation, id }) => ({
    id: id ?? `${snakeCase(aggregation)}_${metric.replace(/^metrics\//, '')}`.slice(0, 128),
    metric_name: metric,
    aggregation,
  }));
  const ids = details.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw new Fault('invalid', `two metrics would be called ${twice}: give one another id`);
  }
  return details;
};

const snakeCase = (word: string): string =>
  word.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** In time order as the service has them; without, the largest group first. */
const groupsOf = (
  { bucketed_metrics, group_by_columns }: AggregateAnswer,
  isByTime: boolean,
): readonly JsonObject[] => {
  if (!isByTime && group_by_columns.length === 0) return [];
  const all = Object.values(bucketed_metrics).flat();
  if (isByTime) return all;
  return [...all]
    .sort((one, other) => other.requests_count - one.requests_count)
    .map(({ start_bucket_time: _start, end_bucket_time: _end, ...rest }) => rest);
};

const errorsOf = ({ standard_errors }: AggregateAnswer): JsonObject => {
  const said = Object.entries(standard_errors).map(([code, { message = null }]) => [code, message]);
  return said.length === 0 ? {} : { evaluation_errors: Object.fromEntries(said) as JsonObject };
};

/** Tools that aggregate records. */
export const metricTools: readonly McpTool[] = [aggregateMetrics];
