import { Type, type Static } from 'typebox';
import { errorTypes, severities } from '../kernel/records/evaluation-errors.js';
import { histogramBinsMax } from '../kernel/records/histogram.js';
import { aggregations, groupKeysMax } from '../kernel/records/query-plans.js';
import { instant, nullish, namedSchema, nullable, oneOf } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { filterNode } from './filters.js';
import { operation } from './operation.js';
import { runSelector } from './selectors.js';

/** Limit from the interface document (its part 8). */
const metricDetailsMax = 100;
export const defaultIntervalMinutes = 5;
/** A year of 365 days. */
const intervalMinutesMax = 525_600;
/** Greatest offset of any clock from UTC. */
const utcOffsetMinutesMax = 840;

/**
 * Member names next to the widgets in a response, reserved against widget ids (contract 4.5, rule
 * 7).
 */
export const reservedKeys = [
  'requests_count',
  'session_count',
  'span_count',
  'start_bucket_time',
  'end_bucket_time',
  'group_by',
] as const;

const counts = {
  requests_count: Type.Integer(),
  session_count: Type.Integer(),
  span_count: Type.Integer(),
};
const histogram = namedSchema(
  'Histogram',
  Type.Object({
    edges: Type.Array(Type.Number(), { minItems: 2, maxItems: histogramBinsMax + 1 }),
    counts: Type.Array(Type.Integer(), { minItems: 1, maxItems: histogramBinsMax }),
  }),
);
/**
 * Value of a widget id besides these members: a number, null, a histogram, or for a text `Count` a
 * map category -> count.
 */
const widgetValue = namedSchema(
  'WidgetValue',
  Type.Union([Type.Number(), Type.Null(), histogram, Type.Record(Type.String(), Type.Integer())]),
);
const aggregateMetrics = namedSchema(
  'MetricTotals',
  Type.Object(counts, { additionalProperties: widgetValue }),
);
/** Null where the column is missing or `""`. */
const groupValue = nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()]));
const bucket = namedSchema(
  'MetricBucket',
  Type.Object(
    {
      start_bucket_time: instant,
      end_bucket_time: instant,
      group_by: Type.Optional(Type.Union([groupValue, Type.Array(groupValue)])),
      ...counts,
    },
    { additionalProperties: widgetValue },
  ),
);

export const structuredErrorShape = namedSchema(
  'StructuredError',
  Type.Object({
    error_code: Type.Integer(),
    error_type: oneOf(errorTypes),
    error_group: Type.String(),
    severity: oneOf(severities),
    message: Type.String(),
    user_action: nullable(Type.String()),
    documentation_link: nullable(Type.String()),
    retriable: Type.Boolean(),
    blocking: Type.Boolean(),
    http_status_code: nullable(Type.Integer()),
    source_service: nullable(Type.String()),
    context: Type.Object({}),
  }),
);

/** Populations that can be counted. */
const countedRecords = ['traces', 'spans'] as const;

const customSearchBody = Type.Object({
  start_time: instant,
  end_time: instant,
  metric_details: Type.Array(
    namedSchema(
      'MetricDetail',
      Type.Object({
        id: Type.String({ minLength: 1, maxLength: 128 }),
        metric_name: Type.String(),
        aggregation: oneOf(aggregations),
      }),
    ),
    { maxItems: metricDetailsMax },
  ),
  ...runSelector,
  filter_tree: nullish(filterNode),
  interval_minutes: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: intervalMinutesMax,
        default: defaultIntervalMinutes,
      }),
    ),
  ),
  group_by: nullish(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: groupKeysMax })]),
  ),
  utc_offset_minutes: Type.Optional(
    nullable(
      Type.Integer({
        minimum: -utcOffsetMinutesMax,
        maximum: utcOffsetMinutesMax,
        default: 0,
      }),
    ),
  ),
  population: nullish(oneOf(countedRecords)),
});
export type CustomSearch = Static<typeof customSearchBody>;

export const customSearch = operation({
  operationId: 'customSearch',
  summary: 'Aggregate metrics over time buckets, filtered and grouped',
  description:
    'Each widget has a value over the whole window and one for each bucket and group. Traces are ' +
    'counted, unless `group_by` or the filter names a column that only spans have; `population` ' +
    'settles it, and the answer says it. `any_span.model` groups traces by a column of their ' +
    'spans, and a list groups by up to three columns.',
  example: {
    start_time: '2026-03-01T00:00:00.000000Z',
    end_time: '2026-03-02T00:00:00.000000Z',
    metric_details: [{ id: 'mean reward', metric_name: 'reward', aggregation: 'Average' }],
    log_stream_id: exampleIds.log_stream_id,
    interval_minutes: 60,
    group_by: 'name',
  },
  section: '4.5',
  method: 'POST',
  path: '/v2/projects/{project_id}/metrics/custom_search',
  kind: 'r',
  requires: 'viewer',
  body: customSearchBody,
  response: Type.Object({
    group_by_columns: Type.Array(Type.String()),
    aggregate_metrics: aggregateMetrics,
    bucketed_metrics: Type.Record(Type.String(), Type.Array(bucket)),
    ems_captured_error: Type.Boolean(),
    standard_errors: Type.Record(Type.String(), structuredErrorShape),
    population: oneOf(countedRecords),
  }),
});

export const metricOperations = [customSearch];
export type CustomMetrics = Static<typeof customSearch.response>;
