import type { Filter } from '../filter.js';
import type { WantedContents } from './record-contents.js';
import type { MeasureTarget } from './column-value.js';
import { histogramBinsMax, type Histogram } from './histogram.js';
import type { FeedbackTemplate } from './feedback.js';
import type { StreamName } from '../ports.js';
import type { SortOrder } from '../documents.js';
import type { Instant } from '../schema-types.js';
import type { RecordKind, Population, RecordRow, MetricError } from './record.js';

/** Scope of every query of records. Tenancy comes first: a plan always has a project. */
export type RecordScope = {
  readonly project: string;
  readonly run: string | null;
  /** Range of `created_at`, both ends included. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly filter: Filter | null;
  readonly population: Population;
  /** Kinds of span to include; null = all of the population. */
  readonly kinds: readonly RecordKind[] | null;
  /**
   * Live annotation templates of the project, for `fully_annotated` and the types of their columns.
   */
  readonly templates: readonly FeedbackTemplate[];
};

/** Scope of all traces of a project. */
export const allTracesScope = (
  project: string,
): RecordScope & { readonly population: 'trace' } => ({
  project,
  run: null,
  from: null,
  to: null,
  filter: null,
  population: 'trace',
  kinds: null,
  templates: [],
});

export type SearchPlan = RecordScope & {
  /** Null: `created_at` descending, then `id` descending. */
  readonly sort: SortOrder | null;
  readonly offset: number;
  readonly limit: number;
  /** Limit of the rows' stored bytes; absent = `pageBytesMax`. */
  readonly bytesMax?: number;
  /** Contents that rows are read with; the others are missing in them. Absent = all. */
  readonly contents?: WantedContents;
  /**
   * Cursor pagination: set for a page of a full scan, from its beginning (null), after the previous
   * page (its `next`) or after a record (`Records.cursorOf`), unaffected by insertions and
   * deletions since. `offset` counts from there.
   */
  readonly after?: string | null;
};
/** Page size limit (contract 1.11): more would crowd out other memory of the process. */
export const pageBytesMax = 8 * 1_048_576;
/**
 * Page of records. Ends early, with at least one row, before its rows exceed the byte limit: then
 * `more` is true.
 */
export type RecordPage = {
  readonly rows: readonly RecordRow[];
  readonly more: boolean;
  /** Cursor of a full scan with more rows; opaque outside the engine. */
  readonly next?: string;
};

export type SessionPlan = Pick<SearchPlan, 'project' | 'offset' | 'limit' | 'bytesMax'> & {
  readonly session: string;
};
/** Group that has rows, and their stored bytes. */
export type StoredGroupSize = { readonly group: StreamName; readonly bytes: number };
/** Reads a record by id, with the rest of its group unless `alone`, up to a byte limit. */
export type GroupPlan = {
  readonly project: string;
  readonly population: Population;
  readonly id: string;
  readonly bytesMax: number;
  /** Reads the record without the rest of its group. */
  readonly alone?: boolean;
};
/** `rows`: those that the plan reads, by ordinal; null if they exceed the limit. */
export type StoredGroup = StoredGroupSize & { readonly rows: readonly RecordRow[] | null };
export type SessionPage = { readonly traces: readonly StoredGroupSize[]; readonly more: boolean };

/** Size of a session or trace, for its deletion; a session itself has no spans. */
export type RecordSize = { readonly id: string; readonly spanCount: number };
export type SessionTraces = { readonly session: string; readonly traces: readonly RecordSize[] };

/** Entry of user metadata, both parts compared exactly. */
export type MetadataEntryPlan = {
  readonly project: string;
  readonly population: 'session' | 'trace';
  readonly key: string;
  readonly value: string;
  readonly limit: number;
};

/**
 * Prefix of a text that counts for ordering, categories and error messages (contract 3.8).
 * `contains` searches the whole text.
 */
export const comparedCharactersMax = 4_096;

type MeasuredType = NonNullable<MeasureTarget['type']>;
const numbers: readonly MeasuredType[] = ['integer', 'floating_point'];
const booleans: readonly MeasuredType[] = ['boolean'];

/** Types of the values that each aggregation is of (contract 4.5, rule 3, in its order). */
const aggregatedTypes = {
  Count: [...numbers, ...booleans, 'text', 'string_list'],
  Sum: numbers,
  Average: numbers,
  Min: numbers,
  Max: numbers,
  P50: numbers,
  P90: numbers,
  P95: numbers,
  P99: numbers,
  PercentageTrue: booleans,
  PercentageFalse: booleans,
  Histogram: numbers,
} as const satisfies Readonly<Record<string, readonly MeasuredType[]>>;
export type Aggregation = keyof typeof aggregatedTypes;
export const aggregations = Object.keys(aggregatedTypes) as readonly Aggregation[];

/** Aggregations of values of a type; all of a metric without values, whose type is null. */
export const aggregationsOf = (type: MeasureTarget['type']): readonly Aggregation[] =>
  aggregations.filter(
    (name) => type === null || (aggregatedTypes[name] as readonly MeasuredType[]).includes(type),
  );

/**
 * Type of the metric; values of another type are invisible. Null: the metric has no value in the
 * project.
 */
export type Widget = MeasureTarget & {
  readonly id: string;
  readonly aggregation: Aggregation;
};

/**
 * Column that records are grouped by (contract 4.5, rule 6). `any_span`: a column of the spans of a
 * trace, so that a trace is in the group of each of its spans' values. All columns `any_span` of
 * one plan are those of one and the same span.
 */
export type GroupKey = { readonly column: string; readonly of: 'record' | 'any_span' };

export type AggregatePlan = RecordScope & {
  readonly population: 'trace' | 'span';
  readonly widgets: readonly Widget[];
  readonly intervalMinutes: number;
  /** Minutes east of UTC: buckets are whole multiples of the interval in that local time. */
  readonly offsetMinutes: number;
  /** At most `groupKeysMax`, without repeats. */
  readonly groupBy: readonly GroupKey[];
};

/** Metrics among the measured quantities; their evaluations may have failed. */
export const measuredMetrics = (widgets: readonly MeasureTarget[]): readonly string[] =>
  widgets.flatMap(({ metric, source }) => (source === undefined ? [metric] : []));

export type WidgetResult = number | null | Histogram | Readonly<Record<string, number>>;

export type AggregateCell = {
  /**
   * Result by widget id: a number, a histogram, null without values, or for a text Count category
   * -> count.
   */
  readonly widgets: Readonly<Record<string, WidgetResult>>;
  readonly requests: number;
  readonly sessions: number;
  readonly spans: number;
};
export type GroupValue = string | number | boolean | null;
export type AggregateGroup = {
  /** Key built by `groupName`. */
  readonly key: string;
  /** Value of each `groupBy` column in its own type; null where it is missing or `''`. */
  readonly values: readonly GroupValue[];
  /** Non-empty buckets by ascending time. */
  readonly buckets: readonly (AggregateCell & { readonly start: Instant; readonly end: Instant })[];
};
export type Aggregate = {
  readonly total: AggregateCell;
  /** Groups by key in code point order. */
  readonly groups: readonly AggregateGroup[];
  /**
   * Evaluation errors of the requested metrics, on the records considered and, for traces, the
   * spans below them.
   */
  readonly errors: readonly MetricError[];
};
/** Reason why an aggregate is refused, for the planner's message (contract 1.11, 4.5). */
export type AggregateRefusal =
  | { readonly refused: 'groups' }
  | { readonly refused: 'long-group-value' }
  | { readonly refused: 'categories'; readonly widget: number }
  | { readonly refused: 'values'; readonly count: number };

/**
 * Key of a group (contract 4.5, rule 6): `all` without columns, for one column its value as string,
 * for several the JSON of the list of their values.
 */
export const groupName = (values: readonly GroupValue[]): string => {
  const [only = null] = values;
  if (values.length > 1) return JSON.stringify(values);
  return values.length === 0 ? 'all' : String(only ?? '');
};

export const groupsMax = 1_000;
export const groupKeysMax = 3;
export const categoriesMax = 1_000;
export const answeredValuesMax = 1_000_000;
/** Values of a cell that count against `answeredValuesMax` (contract 1.11). */
export const answeredValuesPerCell = (widgets: readonly Pick<Widget, 'aggregation'>[]): number =>
  widgets.reduce(
    (sum, { aggregation }) => sum + (aggregation === 'Histogram' ? histogramBinsMax : 1),
    cellCounts,
  );
/** Requests, sessions and spans. */
const cellCounts = 3;
export const groupValueCharactersMax = 1_024;

/** Facts about the records considered that the column catalogue needs (contract 4.1). */
export type ColumnFacts = {
  /** Standard columns that have a value on some record: not absent, null, `""` or `[]`. */
  readonly present: readonly string[];
  /** Names of metrics with a value, own or rolled up, of the metric's type. By name. */
  readonly metrics: readonly string[];
  /** Keys in code point order, at most 1,000. */
  readonly userMetadata: readonly string[];
  /** Ids of annotation templates, deleted ones too, that some record is rated by. By id. */
  readonly templates: readonly string[];
};

/** Key limit (contract 4.1, rule 3). */
export const userMetadataKeysMax = 1_000;
