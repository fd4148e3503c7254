import type { CustomMetrics } from '../../contract/metrics.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { unreachable } from '../../kernel/decision.js';
import {
  otherPopulationCode,
  structuredError,
  unknownMetricCode,
} from '../../kernel/records/evaluation-errors.js';
import { valueFault, type Fault } from '../../kernel/fault.js';
import { unclosedObject } from '../../kernel/json-text.js';
import type { JsonParts } from '../../kernel/json-chunks.js';
import {
  answeredValuesMax,
  categoriesMax,
  groupsMax,
  groupValueCharactersMax,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregateRefusal,
  type Widget,
} from '../../kernel/records/query-plans.js';
import type { MetricError } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import { measureName } from '../filters/catalogue.js';
import { groupByLoc, groupColumnName, wholeWindowMinutes, type MetricsPlan } from './plan.js';

/** A bucket of the group with these values. */
export type GroupBucket = Pick<AggregateGroup, 'values'> & {
  readonly bucket: AggregateGroup['buckets'][number];
};

/**
 * Result of custom metrics (contract 4.5). Objects with free keys are made from entries, so that a
 * widget or a group called `__proto__` is a key like any other; groups follow the order of object
 * members, whole numbers first. `elsewhere`: see `metricsOfOtherPopulation`.
 */
export const metricsParts = (
  plan: MetricsPlan,
  aggregate: Aggregate,
  elsewhere: readonly string[] = [],
): JsonParts<GroupBucket> => {
  const before = {
    group_by_columns: plan.groupBy.map(groupColumnName),
    aggregate_metrics: values(plan.widgets, aggregate.total),
  };
  const after = {
    ems_captured_error: aggregate.errors.length > 0,
    standard_errors: Object.fromEntries(
      [
        ...firstErrorPerCode(aggregate.errors),
        ...unknownMetric(plan),
        ...otherPopulation(plan, elsewhere),
      ].map((error) => [String(error.code), structuredError(error)]),
    ),
    population: `${plan.population}s`,
  };
  const groups = Object.entries(
    Object.fromEntries(aggregate.groups.map((group) => [group.key, group])),
  );
  return [
    unclosedObject(before),
    ',"bucketed_metrics":{',
    ...groups.flatMap(([key, { values: of, buckets }], at) => [
      `${at === 0 ? '' : ','}${JSON.stringify(key)}:[`,
      ...buckets.flatMap((bucket, nth) => [...(nth === 0 ? [] : [',']), { values: of, bucket }]),
      ']',
    ]),
    `},${JSON.stringify(after).slice(1)}`,
  ];
};

export const bucketOf = (plan: MetricsPlan, { values: of, bucket }: GroupBucket): Bucket => {
  const clipped = plan.intervalMinutes === wholeWindowMinutes;
  return Object.fromEntries([
    ['start_bucket_time', clipped ? later(bucket.start, plan.from) : bucket.start],
    ['end_bucket_time', clipped ? earlier(bucket.end, plan.to) : bucket.end],
    ...(of.length === 0 ? [] : [['group_by', of.length === 1 ? of[0] : of] as const]),
    ...valueEntries(plan.widgets, bucket),
  ]) as Bucket;
};

const later = (one: Instant, other: Instant | null): Instant =>
  other === null || one > other ? one : other;
const earlier = (one: Instant, other: Instant | null): Instant =>
  other === null || one < other ? one : other;

/** Converts an engine's refusal to the 422 of contract 1.11 and 4.5. */
export const metricsRefusalFault = (
  { groupBy, widgets }: MetricsPlan,
  refusal: AggregateRefusal,
): Fault => {
  const names = groupBy.map((key) => `'${groupColumnName(key)}'`).join(', ');
  const have = groupBy.length > 1 ? `columns ${names} have` : `column ${names} has`;
  switch (refusal.refused) {
    case 'groups':
      return valueFault(groupByLoc, `${have} more than ${groupsMax} groups`);
    case 'long-group-value':
      return valueFault(groupByLoc, `${have} values over ${groupValueCharactersMax} characters`);
    case 'categories':
      return valueFault(
        ['body', 'metric_details', String(refusal.widget), 'metric_name'],
        `metric '${nameOf(widgets[refusal.widget])}' has more than ${categoriesMax} categories`,
      );
    case 'values':
      return valueFault(
        ['body', 'interval_minutes'],
        `the answer would have ${refusal.count} values, more than ${answeredValuesMax}; ` +
          'a longer interval helps',
      );
    default:
      return unreachable(refusal);
  }
};

const nameOf = (widget: Widget | undefined): string =>
  widget === undefined ? '' : measureName(widget);

type Values = CustomMetrics['aggregate_metrics'];
type Bucket = CustomMetrics['bucketed_metrics'][string][number];

const values = (widgets: readonly Widget[], cell: AggregateCell): Values =>
  Object.fromEntries(valueEntries(widgets, cell)) as Values;

/** Values as entries, so that one object is made of all: a response has up to a million of them. */
const valueEntries = (widgets: readonly Widget[], cell: AggregateCell): [string, unknown][] => [
  ...widgets.map((widget): [string, unknown] => [widget.id, valueOf(widget, cell)]),
  ['requests_count', cell.requests],
  ['session_count', cell.sessions],
  ['span_count', cell.spans],
];

const valueOf = ({ id, aggregation, type }: Widget, { widgets }: AggregateCell) => {
  const value = Object.hasOwn(widgets, id) ? widgets[id] : undefined;
  if (value !== undefined) return value;
  if (aggregation !== 'Count') return null;
  return type === 'text' || type === 'string_list' ? {} : 0;
};

/** Error for requested metrics that were never recorded (contract 4.5, rule 2). */
const unknownMetric = ({ widgets }: MetricsPlan): readonly MetricError[] => {
  const unknown = widgets.filter(({ type }) => type === null).map(({ metric }) => metric);
  if (unknown.length === 0) return [];
  return [
    { code: unknownMetricCode, message: `No value was recorded for ${quotedNames(unknown)}.` },
  ];
};

/** Error for null values of metrics that only the other population has (contract 4.5, rule 2). */
const otherPopulation = (
  { population }: MetricsPlan,
  metrics: readonly string[],
): readonly MetricError[] => {
  if (metrics.length === 0) return [];
  const message =
    population === 'span'
      ? `Only traces have values of ${quotedNames(metrics)}, and spans are counted. ` +
        'Count traces, and group them by a column of their spans: any_span.model.'
      : `Only spans have values of ${quotedNames(metrics)}, which do not roll up to the traces ` +
        'that are counted. Set population to spans.';
  return [{ code: otherPopulationCode, message }];
};

const quotedNames = (metrics: readonly string[]): string =>
  [...new Set(metrics)]
    .map((name) => `'${name}'`)
    .slice(0, namesMax)
    .join(', ');
const namesMax = 20;

/**
 * One error per code. Of several messages the first in text order is shown, so that the response is
 * deterministic.
 */
const firstErrorPerCode = (errors: readonly MetricError[]): readonly MetricError[] => {
  const first = new Map<number, MetricError>();
  for (const error of errors) {
    const known = first.get(error.code);
    const isFirst =
      known === undefined ||
      known.message === null ||
      (error.message !== null && byCodePoint(error.message, known.message) < 0);
    if (isFirst) first.set(error.code, error);
  }
  return [...first.values()].sort((one, other) => one.code - other.code);
};
