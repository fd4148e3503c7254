import type {
  CustomSearch,
  CustomSearchResponse,
  MetricBucket,
} from '../../clients/typescript/src/generated/metrics-types.js';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { FilterTree } from '../language/filter-tree.js';
import { seriesMax, type ChartBucket, type ChartSeries } from '../parts/chart-scale.js';

/** A window of time, to the microsecond; both ends belong to it. */
export type OverviewWindow = { readonly from: string; readonly to: string };

/** Lengths of a bucket in minutes. */
const intervals = [1, 5, 10, 30, 60, 120, 360, 720, 1_440, 10_080, 43_200, 525_600] as const;
/** Points that a chart of 320 px shows apart. */
const pointsMax = 120;

/** Lengths of a bucket that make at most 120 points of a window, the shortest first. */
export const intervalsFrom = ({ from, to }: OverviewWindow): readonly number[] => {
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000;
  const at = intervals.findIndex((one) => minutes / one < pointsMax);
  return at < 0 ? [525_600] : intervals.slice(at);
};

/** Charts are asked again after half a bucket, and at most every ten seconds. */
export const refreshMs = (bucketMinutes: number): number =>
  Math.max(10_000, bucketMinutes * 30_000);

/** Widgets that every overview has, beside the counts. */
const usualWidgets = [
  { id: 'p50', metric_name: 'metrics/duration_ns', aggregation: 'P50' },
  { id: 'p95', metric_name: 'metrics/duration_ns', aggregation: 'P95' },
  { id: 'p99', metric_name: 'metrics/duration_ns', aggregation: 'P99' },
  { id: 'cost', metric_name: 'metrics/cost', aggregation: 'Sum' },
  { id: 'input', metric_name: 'metrics/num_input_tokens', aggregation: 'Sum' },
  { id: 'output', metric_name: 'metrics/num_output_tokens', aggregation: 'Sum' },
  { id: 'tokens', metric_name: 'metrics/num_total_tokens', aggregation: 'Sum' },
] as const satisfies CustomSearch['metric_details'];

/** Metrics beside the system's that an overview shows at most. */
const metricsMax = 24;

/** A metric that applications or scorers set, as the overview shows it. */
export type ShownMetric = {
  readonly id: string;
  readonly label: string;
  readonly aggregation: 'PercentageTrue' | 'Average';
};

/** Metrics with values that are numbers or true and false, the system's own left out. */
export const shownMetrics = (columns: readonly Column[]): readonly ShownMetric[] =>
  columns
    .filter(
      ({ category, group_label, is_empty, data_type }) =>
        category === 'metric' &&
        group_label !== 'System Metrics' &&
        !is_empty &&
        ['boolean', 'integer', 'floating_point'].includes(data_type),
    )
    .slice(0, metricsMax)
    .map(({ id, label, data_type }) => ({
      id,
      label,
      aggregation: data_type === 'boolean' ? 'PercentageTrue' : 'Average',
    }));

/** All widgets of the question: the usual ones and a widget for each metric, by its id. */
export const widgetsOf = (metrics: readonly ShownMetric[]): CustomSearch['metric_details'] => [
  ...usualWidgets,
  ...metrics.map(({ id, aggregation }) => ({ id, metric_name: id, aggregation })),
];

const groupedColumns = new Set(['model', 'type', 'name', 'tags', 'status_code', 'agent_type']);

/** Columns to group by: those that have few values, and what the client sent as metadata. */
const groupColumns = (columns: readonly Column[]): readonly Column[] => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  return [...byId.values()].filter(
    ({ id, category, is_empty }) =>
      !is_empty && (category === 'user_metadata' || groupedColumns.has(id)),
  );
};

/** Prefix of a column of spans by which traces are grouped (contract 4.5, rule 6). */
const anySpan = 'any_span.';

type GroupChoice = { readonly value: string; readonly text: string };

/** Choices to group by; columns of spans alone group spans, or traces by any of their spans. */
export const groupChoices = (columns: readonly Column[]): readonly GroupChoice[] =>
  groupColumns(columns).flatMap((column) => {
    const { id, label } = column;
    if (!isOfSpansOnly(column)) return [{ value: id, text: label }];
    return [
      { value: id, text: `${label}, spans` },
      { value: anySpan + id, text: `${label} of any span, traces` },
    ];
  });

const isOfSpansOnly = ({ applicable_types: types }: Column): boolean =>
  types.length > 0 && !types.includes('trace');

/** The grouping of traces that shows what this grouping of spans does not; null: there is none. */
export const groupOfTraces = (by: string, columns: readonly Column[]): GroupChoice | null =>
  groupChoices(columns).find(({ value }) => value === anySpan + by) ?? null;

/** Condition that a record is in a group of the address; null where it cannot be said. */
export const groupTree = (
  by: string,
  columns: readonly Column[],
  value: string,
): FilterTree | null => {
  const isOfSpans = by.startsWith(anySpan);
  const column = columns.find(({ id }) => id === by.slice(isOfSpans ? anySpan.length : 0));
  const leaf = column === undefined ? null : groupLeaf(column, value);
  if (leaf === null || !isOfSpans) return leaf;
  return value === '' ? null : { any_span: leaf };
};

/** Condition that a record is in a group; its value is the group's key, empty: none. */
const groupLeaf = (column: Column, value: string): FilterTree | null => {
  const { filter_type: type, id: name } = column;
  if (type === 'text') {
    return value === ''
      ? { filter: { type, name, operator: 'is_null' } }
      : { filter: { type, name, operator: 'eq', value } };
  }
  if (value === '') return null;
  if (type === 'number') return { filter: { type, name, operator: 'eq', value: Number(value) } };
  if (type === 'boolean')
    return { filter: { type, name, operator: 'eq', value: value === 'true' } };
  if (type === 'collection')
    return { filter: { type, name, operator: 'contains', value: [value] } };
  return null;
};

const instantOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
/** The last microsecond before a time in milliseconds. */
const endBefore = (ms: number): string => new Date(ms - 1).toISOString().replace('Z', '999Z');

/** The window of the same length right before. */
export const windowBefore = ({ from, to }: OverviewWindow): OverviewWindow => {
  const begin = Date.parse(from);
  return { from: instantOf(2 * begin - Date.parse(to)), to: endBefore(begin) };
};

/** Length of a window in words: `45 min`, `24 h`, `7 days`. */
export const lengthText = ({ from, to }: OverviewWindow): string => {
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours <= 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
};

/** The window moved by a share of its length. */
export const movedWindow = ({ from, to }: OverviewWindow, share: number): OverviewWindow => {
  const by = Math.round((Date.parse(to) - Date.parse(from)) * share);
  return {
    from: instantOf(Date.parse(from) + by),
    to: instantOf(Date.parse(to) + by),
  };
};

/** Every bucket of the window, empty ones included, oldest first (contract 4.5, rule 5). */
export const bucketsOf = (
  { from, to }: OverviewWindow,
  intervalMinutes: number,
): readonly ChartBucket[] => {
  const step = intervalMinutes * 60_000;
  const first = Math.floor(Date.parse(from) / step) * step;
  const count = Math.floor((Date.parse(to) - first) / step) + 1;
  return Array.from({ length: count }, (_bucket, index) => ({
    start: instantOf(first + index * step),
    end: instantOf(first + (index + 1) * step),
  }));
};

/** The window from the first to the last of these buckets, to the microsecond. */
export const windowOfBuckets = (first: ChartBucket, last: ChartBucket): OverviewWindow => ({
  from: first.start,
  to: endBefore(Date.parse(last.end)),
});

/** Reads a measure of a bucket or of totals; null where no record has a value. */
export const measureOf = (values: object, measure: string): number | null => {
  const value = (values as Readonly<Record<string, unknown>>)[measure];
  return typeof value === 'number' ? value : null;
};

/** Counts and sums are 0 in a bucket without records, other measures have no value there. */
type MeasureKind = 'count' | 'metric';

/** The series of one group: a value for each bucket. */
export const seriesOf = (
  filled: readonly MetricBucket[],
  buckets: readonly ChartBucket[],
  measure: string,
  kind: MeasureKind,
): readonly (number | null)[] => {
  const byStart = new Map(filled.map((bucket) => [bucket.start_bucket_time, bucket]));
  return buckets.map(({ start }) => {
    const bucket = byStart.get(start);
    const value = bucket === undefined ? null : measureOf(bucket, measure);
    return value ?? (kind === 'count' ? 0 : null);
  });
};

/** Plural of the records that an answer counts: only llm spans have a model. */
export const countedNoun = (answer: CustomSearchResponse): string => {
  if (answer.population === 'traces') return 'Traces';
  return answer.group_by_columns.includes('model') ? 'LLM spans' : 'Spans';
};

/** Name of a population's count among the measures. */
export const countOf = ({ population }: CustomSearchResponse): 'requests_count' | 'span_count' =>
  population === 'spans' ? 'span_count' : 'requests_count';

type OverviewGroup = {
  /** Key of the group; empty: records without a value. Null: all further groups together. */
  readonly value: string | null;
  readonly label: string;
  readonly count: number;
  readonly keys: readonly string[];
};

/** Groups by their count: at most eight, and one for the rest. */
export const groupsOf = (answer: CustomSearchResponse): readonly OverviewGroup[] => {
  const count = countOf(answer);
  const groups = Object.entries(answer.bucketed_metrics)
    .map(([value, buckets]) => ({
      value,
      label: value === '' ? 'without a value' : value,
      count: buckets.reduce((sum, bucket) => sum + bucket[count], 0),
      keys: [value],
    }))
    .sort((one, other) => other.count - one.count);
  if (groups.length <= seriesMax) return groups;
  const rest = groups.slice(seriesMax);
  return [
    ...groups.slice(0, seriesMax),
    {
      value: null,
      label: `${rest.length} more`,
      count: rest.reduce((sum, group) => sum + group.count, 0),
      keys: rest.flatMap(({ keys }) => keys),
    },
  ];
};

/** A line for each of the first eight groups. */
export const groupSeries = (
  answer: CustomSearchResponse,
  buckets: readonly ChartBucket[],
  measure: string,
  kind: MeasureKind,
): readonly ChartSeries[] =>
  groupsOf(answer)
    .filter(({ value }) => value !== null)
    .map(({ label, value }) => ({
      label,
      values: seriesOf(answer.bucketed_metrics[value ?? ''] ?? [], buckets, measure, kind),
    }));

/** The share of failed records in each bucket; null where there are no records. */
export const sharesOf = (
  failed: readonly (number | null)[],
  all: readonly (number | null)[],
): readonly (number | null)[] =>
  all.map((count, index) => (count === null || count === 0 ? null : (failed[index] ?? 0) / count));

/** The relative change; null where there is nothing to compare with. */
export const changeOf = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : (now - before) / before;
