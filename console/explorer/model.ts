import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { CustomSearchResponse } from '../../clients/typescript/src/generated/metrics-types.js';
import type { TimeRange } from '../parts/address.js';
import type { Population } from '../../kernel/records/record.js';

/** Columns of a kind of records that has not been told which to show. */
const usualColumns: Readonly<Record<Population, readonly string[]>> = {
  session: ['created_at', 'name', 'input', 'output', 'metrics/duration_ns', 'metrics/cost'],
  trace: [
    'created_at',
    'name',
    'input',
    'output',
    'status_code',
    'metrics/duration_ns',
    'metrics/cost',
  ],
  span: [
    'created_at',
    'type',
    'name',
    'input',
    'output',
    'model',
    'status_code',
    'metrics/duration_ns',
  ],
};
/** Columns at once: a search answers 60 fields (contract 1.11), of which three are needed. */
export const columnsMax = 57;
/** Metrics of the project and ratings that are shown unasked. */
const furtherColumnsMax = 3;

/**
 * The columns that are shown: the wanted ones, or the usual ones with the first few metrics and
 * ratings of the project. Unknown names, more than 57, and without a choice empty columns, are left
 * out.
 */
export const shownColumns = (
  columns: readonly Column[],
  wanted: readonly string[] | null,
  population: Population,
): readonly Column[] => {
  const byId = new Map(columns.map((column) => [column.id, column]));
  if (wanted !== null) return wanted.flatMap((id) => byId.get(id) ?? []).slice(0, columnsMax);
  const usual = usualColumns[population].flatMap((id) => {
    const column = byId.get(id);
    return column === undefined || (column.is_empty && column.category === 'metric') ? [] : column;
  });
  const further = columns.filter(
    (column) =>
      (column.group_label === 'Custom Metrics' || column.category === 'annotation') &&
      !column.is_empty,
  );
  return [...usual, ...further.slice(0, furtherColumnsMax)];
};

/** Members of records that the explorer needs, whatever the columns are. */
const neededFields = ['type', 'trace_id', 'created_at'];

/**
 * Fields of a search (contract 5.7) for these columns. Metrics are named one by one: all of them
 * with their details are three times the bytes of a page.
 */
export const searchFields = (columns: readonly Column[]): readonly string[] => {
  const shown = columns.map(({ id }) =>
    id.startsWith('annotations/') ? 'annotation_aggregates' : id,
  );
  return [...new Set([...neededFields, ...shown])];
};

const columnWidths: Readonly<Record<string, number>> = {
  input: 130,
  output: 130,
  name: 96,
  status_code: 104,
};
const typeWidths: Readonly<Record<Column['data_type'], number>> = {
  text: 120,
  // `26 Nov 2025 18:06:28` in the widest of the fonts.
  timestamp: 168,
  string_list: 120,
  integer: 88,
  uuid: 88,
  boolean: 64,
  floating_point: 88,
};

/** Pixels that a column needs at least. */
export const columnWidth = ({ id, data_type: type }: Column): number =>
  columnWidths[id] ?? typeWidths[type];

export const isNumeric = ({ data_type: type }: Column): boolean =>
  type === 'integer' || type === 'floating_point';

/** Lengths of buckets in minutes, shortest first. */
const intervals = [1, 5, 10, 30, 60, 180, 360, 720, 1_440, 10_080, 43_200, 525_600];
const stripBucketsMax = 120;

/** The shortest interval of at most 120 buckets between two times, in milliseconds. */
export const stripInterval = (fromMs: number, toMs: number): number => {
  const minutes = Math.max(0, toMs - fromMs) / 60_000;
  return intervals.find((one) => minutes / one < stripBucketsMax) ?? 525_600;
};

export type StripBucket = {
  /** Milliseconds since 1970; the end is excluded. */
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
  readonly errors: number;
};

/** Buckets of a window with the gaps between them; `errors` answers the same about failures. */
export const stripBuckets = (
  all: CustomSearchResponse,
  errors: CustomSearchResponse | undefined,
  minutes: number,
  bounds: { readonly fromMs: number; readonly toMs: number },
): readonly StripBucket[] => {
  const counts = countsByTime(all);
  const failures = errors === undefined ? new Map<number, number>() : countsByTime(errors);
  const step = minutes * 60_000;
  const first = Math.floor(bounds.fromMs / step);
  const length = Math.min(2 * stripBucketsMax, Math.floor(bounds.toMs / step) - first + 1);
  return Array.from({ length }, (_bucket, index) => {
    const startMs = (first + index) * step;
    return {
      startMs,
      endMs: startMs + step,
      count: counts.get(startMs) ?? 0,
      errors: failures.get(startMs) ?? 0,
    };
  });
};

const countsByTime = ({ bucketed_metrics: groups, population }: CustomSearchResponse) =>
  new Map(
    (groups['all'] ?? []).map((bucket) => [
      Date.parse(bucket.start_bucket_time),
      population === 'spans' ? bucket.span_count : bucket.requests_count,
    ]),
  );

const dayMs = 86_400_000;

/** The day that ends with a record, its millisecond included. */
export const dayUpTo = (ms: number): TimeRange => ({
  from: new Date(ms - dayMs).toISOString().replace('Z', '000Z'),
  to: new Date(ms).toISOString().replace('Z', '999Z'),
});

/** `214 of 48,310 traces`; `48,310 traces` without a filter. */
export const countText = (
  matching: number | undefined,
  all: number | undefined,
  kind: string,
): string => {
  const numbers = [matching, all].map((count) => count?.toLocaleString('en') ?? '…');
  return matching === all || all === undefined
    ? `${numbers[0]} ${kind}`
    : `${numbers.join(' of ')} ${kind}`;
};
