import { byCodePoint, firstCodePoints } from '../../code-points.js';
import { bucketBounds, bucketOf, microsecondsOf } from '../time-buckets.js';
import { measuredValues, registryType } from '../column-value.js';
import { spanKinds } from '../columns.js';
import { unreachable } from '../../decision.js';
import { histogramEdges, histogramOf } from '../histogram.js';
import { matchesFilter, type ChildRecords } from '../../filter.js';
import {
  answeredValuesMax,
  answeredValuesPerCell,
  categoriesMax,
  comparedCharactersMax,
  groupName,
  groupsMax,
  measuredMetrics,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregatePlan,
  type AggregateRefusal,
  type GroupValue,
  type RecordScope,
  type Widget,
  type WidgetResult,
} from '../query-plans.js';
import type { MetricError, MetricType, MetricValue, RecordRow } from '../record.js';
import type { Instant } from '../../schema-types.js';
import { groupsOf, isLongValue } from './groups.js';

// Reference implementation for engines: small and plain, over arrays, for any number of rows that a
// test can hold.

/**
 * True if the plan considers the record: tenancy, run, window, kinds, filter. `below` finds the
 * records below it among all rows of the project.
 */
export const isConsidered = (scope: RecordScope, row: RecordRow, below: ChildRecords): boolean => {
  const { project_id: project, run_id: run, created_at: created } = row.values;
  const kinds = scope.population === 'span' ? spanKinds : [scope.population];
  return (
    project === scope.project &&
    (scope.run === null || run === scope.run) &&
    (scope.from === null || String(created) >= scope.from) &&
    (scope.to === null || String(created) <= scope.to) &&
    kinds.includes(row.kind) &&
    (scope.kinds === null || scope.kinds.includes(row.kind)) &&
    (scope.filter === null ||
      matchesFilter(
        scope.filter,
        row,
        scope.templates.map(({ id }) => id),
        below,
      ))
  );
};

/**
 * Index of child records. `rows` are all of one project. A lone trace is in no session, whatever
 * the session's id.
 */
export const indexChildren = (rows: readonly RecordRow[]): ChildRecords => {
  const found = Map.groupBy(rows, ({ kind, group, values: { session_id: session, id } }) => {
    if (kind === 'trace') return session === id ? null : `session ${String(session)}`;
    return kind === 'session' ? null : `trace ${group}`;
  });
  return ({ kind, group, values }) => {
    if (kind === 'trace') return found.get(`trace ${group}`) ?? [];
    return kind === 'session' ? (found.get(`session ${String(values['id'])}`) ?? []) : [];
  };
};

/**
 * Types of metrics outside the registry by name (contract 3.4, rule 2). `rows` are all of one
 * project.
 */
export const metricTypes = (rows: readonly RecordRow[]): ReadonlyMap<string, MetricType> => {
  const firsts = new Map<string, { at: string; type: MetricType; fraction: boolean }>();
  for (const { metrics } of rows) {
    for (const [metric, { first }] of Object.entries(metrics)) {
      if (first === undefined || registryType(metric) !== null) continue;
      const known = firsts.get(metric);
      const { at, type } = known === undefined || first.at < known.at ? first : known;
      firsts.set(metric, { at, type, fraction: first.fraction || known?.fraction === true });
    }
  }
  const typeOf = ({ type, fraction }: { type: MetricType; fraction: boolean }): MetricType =>
    type === 'integer' && fraction ? 'floating_point' : type;
  return new Map([...firsts].map(([metric, first]) => [metric, typeOf(first)]));
};

/** Prefix of a text that orders it, and that names a category or an error (contract 3.8). */
export const comparedText = (text: string): string => firstCodePoints(text, comparedCharactersMax);

/**
 * Aggregates all rows of the project (contract 4.5). Refusals in this order: a long group value,
 * too many groups, too many categories (of the first widget that has them), too many returned
 * values.
 */
export const aggregate = (
  plan: AggregatePlan,
  rows: readonly RecordRow[],
): Aggregate | AggregateRefusal => {
  const types = metricTypes(rows);
  const below = indexChildren(rows);
  const considered = rows.filter((row) => isConsidered(plan, row, below));
  const grouped = new Map<string, { values: readonly GroupValue[]; rows: RecordRow[] }>();
  for (const row of considered) {
    const values = groupsOf(plan.groupBy, row, types, below(row));
    for (const [key, one] of new Map(values.map((each) => [groupName(each), each]))) {
      const group = grouped.get(key) ?? { values: one, rows: [] };
      group.rows.push(row);
      grouped.set(key, group);
    }
  }
  if ([...grouped.values()].some(({ values }) => values.some(isLongValue))) {
    return { refused: 'long-group-value' };
  }
  if (grouped.size > groupsMax) return { refused: 'groups' };
  const crowded = plan.widgets.findIndex((widget) => hasTooManyCategories(widget, considered));
  if (crowded >= 0) return { refused: 'categories', widget: crowded };
  const edges = edgesByWidget(plan, considered);
  const groups = [...grouped]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([key, { values, rows: members }]) => ({
      key,
      values,
      buckets: bucketsOf(plan, members, edges),
    }));
  const cells = groups.reduce((sum, { buckets }) => sum + buckets.length, 0);
  const count = cells * answeredValuesPerCell(plan.widgets);
  if (count > answeredValuesMax) return { refused: 'values', count };
  return {
    total: aggregateCell(plan, considered, edges),
    groups,
    errors: errorsOf(plan, considered, rows),
  };
};

/** Edges of the histograms by widget id: those of all values considered; null without values. */
type HistogramEdges = ReadonlyMap<string, readonly number[] | null>;

const edgesByWidget = (plan: AggregatePlan, considered: readonly RecordRow[]): HistogramEdges =>
  new Map(
    plan.widgets
      .filter(({ aggregation }) => aggregation === 'Histogram')
      .map((widget) => {
        const values = valuesOf(widget, considered) as readonly number[];
        const least = values.reduce((one, other) => Math.min(one, other), Infinity);
        const greatest = values.reduce((one, other) => Math.max(one, other), -Infinity);
        const isInteger = widget.type === 'integer';
        return [widget.id, least > greatest ? null : histogramEdges(least, greatest, isInteger)];
      }),
  );

const bucketsOf = (
  plan: AggregatePlan,
  rows: readonly RecordRow[],
  edges: HistogramEdges,
): AggregateGroup['buckets'] => {
  const buckets = Map.groupBy(rows, ({ values }) =>
    bucketOf(microsecondsOf(values['created_at'] as Instant), plan),
  );
  return [...buckets]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([bucket, members]) => ({
      ...bucketBounds(bucket, plan),
      ...aggregateCell(plan, members, edges),
    }));
};

const aggregateCell = (
  plan: AggregatePlan,
  rows: readonly RecordRow[],
  edges: HistogramEdges,
): AggregateCell => {
  const ofTraces = plan.population === 'trace';
  const sessions = rows.flatMap((row) => {
    const { session_id: session, id, trace_id: trace } = row.values;
    return session === undefined || session === (ofTraces ? id : trace) ? [] : [session];
  });
  return {
    widgets: Object.fromEntries(
      plan.widgets.map((widget) => [
        widget.id,
        widgetValue(widget, valuesOf(widget, rows), edges.get(widget.id) ?? null),
      ]),
    ),
    requests: new Set(rows.map(({ group }) => group)).size,
    sessions: new Set(sessions).size,
    spans: ofTraces ? rows.reduce((sum, { spanCount }) => sum + spanCount, 0) : rows.length,
  };
};

const valuesOf = (widget: Widget, rows: readonly RecordRow[]): readonly MetricValue[] =>
  rows.flatMap((row) =>
    measuredValues(row, widget).map((value) =>
      typeof value === 'string' ? comparedText(value) : value,
    ),
  );

const isCategorical = ({ type }: Pick<Widget, 'type'>): boolean =>
  type === 'text' || type === 'string_list';

const hasTooManyCategories = (widget: Widget, rows: readonly RecordRow[]): boolean =>
  isCategorical(widget) && new Set(valuesOf(widget, rows)).size > categoriesMax;

const widgetValue = (
  { aggregation, type }: Widget,
  values: readonly MetricValue[],
  edges: readonly number[] | null,
): WidgetResult => {
  if (isCategorical({ type })) return countCategories(values as readonly string[]);
  if (aggregation === 'Count') return values.length;
  if (values.length === 0) return null;
  if (aggregation === 'Histogram') return histogramOf(edges, values as readonly number[]);
  if (aggregation === 'PercentageTrue' || aggregation === 'PercentageFalse') {
    const wanted = aggregation === 'PercentageTrue';
    return values.filter((value) => value === wanted).length / values.length;
  }
  return aggregateNumbers(aggregation, values as readonly number[]);
};

/** Counts by category, in an object without a prototype: a category may be called `__proto__`. */
const countCategories = (values: readonly string[]): Readonly<Record<string, number>> => {
  const counts = Object.create(null) as Record<string, number>;
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

const aggregateNumbers = (
  aggregation: Exclude<
    Widget['aggregation'],
    'Count' | 'PercentageTrue' | 'PercentageFalse' | 'Histogram'
  >,
  values: readonly number[],
): number | null => {
  const sum = () => values.reduce((total, value) => total + value, 0);
  switch (aggregation) {
    case 'Sum':
      return finiteOrNull(sum());
    case 'Average':
      return finiteOrNull(sum() / values.length);
    case 'Min':
      return values.reduce((least, value) => Math.min(least, value));
    case 'Max':
      return values.reduce((most, value) => Math.max(most, value));
    case 'P50':
    case 'P90':
    case 'P95':
    case 'P99':
      return nearestRank(Number(aggregation.slice(1)), values);
    default:
      return unreachable(aggregation);
  }
};

/** Null for a sum beyond the range of doubles, which has no JSON form. */
const finiteOrNull = (sum: number): number | null => (Number.isFinite(sum) ? sum : null);

/** Nearest-rank percentile: of n values in ascending order the one at ⌈P·n/100⌉, counted from 1. */
const nearestRank = (percent: number, values: readonly number[]): number | null =>
  values.toSorted((one, other) => one - other)[Math.ceil((percent * values.length) / 100) - 1] ??
  null;

/**
 * Errors of the requested metrics, on the records considered and the spans below considered traces:
 * one error per code, with the least message in code point order. By code.
 */
const errorsOf = (
  plan: AggregatePlan,
  considered: readonly RecordRow[],
  rows: readonly RecordRow[],
): readonly MetricError[] => {
  const traces = new Set(considered.map(({ group }) => group));
  const looked =
    plan.population === 'span' ? considered : rows.filter((row) => traces.has(row.group));
  const messages = new Map<number, string | null>();
  for (const { errors } of looked) {
    for (const metric of new Set(measuredMetrics(plan.widgets))) {
      const error = Object.hasOwn(errors, metric) ? errors[metric] : undefined;
      if (error === undefined) continue;
      const message = error.message === null ? null : comparedText(error.message);
      messages.set(error.code, leastMessage(messages.get(error.code) ?? null, message));
    }
  }
  return [...messages]
    .sort(([one], [other]) => one - other)
    .map(([code, message]) => ({ code, message }));
};

const leastMessage = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other;
  return byCodePoint(one, other) <= 0 ? one : other;
};
