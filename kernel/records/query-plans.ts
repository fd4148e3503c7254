import type { Filter } from '../filter.js';
import type { MeasureTarget } from './column-value.js';
import type { FeedbackTemplate } from './feedback.js';
import type { StreamName } from '../ports.js';
import type { SortOrder } from '../documents.js';
import type { Instant } from '../schema-types.js';
import type { RecordKind, Population, RecordRow, MetricError } from './record.js';

/** What every question about records names. Tenancy comes first: no plan without a project. */
export type RecordScope = {
  readonly project: string;
  readonly run: string | null;
  /** Both ends included, by `created_at`. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly filter: Filter | null;
  readonly population: Population;
  /** Only these kinds of span; null = all of the population. */
  readonly kinds: readonly RecordKind[] | null;
  /**
   * Live annotation templates of the project: what `fully_annotated` asks for, and the types of
   * their columns.
   */
  readonly templates: readonly FeedbackTemplate[];
};

/** The traces of a project, all of them. */
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
  /** Of the rows as they are stored; absent = `pageBytesMax`. */
  readonly bytesMax?: number;
  /**
   * Set: a stretch of a walk through all of them, from its beginning (null) or from where the
   * stretch before ended (its `next`), however many came or went since. `offset` is 0 then.
   */
  readonly after?: string | null;
};
/** Contract 1.11: more of them at once would crowd out what else the process has to hold. */
export const pageBytesMax = 8 * 1_048_576;
/**
 * It ends early, with at least one row, before its rows exceed their bytes: then `more` is true.
 */
export type RecordPage = {
  readonly rows: readonly RecordRow[];
  readonly more: boolean;
  /** Of a stretch of a walk with more after it: what only the engine reads. */
  readonly next?: string;
};

export type SessionPlan = Pick<SearchPlan, 'project' | 'offset' | 'limit' | 'bytesMax'> & {
  readonly session: string;
};
/** A group that has rows, and their bytes as they are stored. */
export type StoredGroupSize = { readonly group: StreamName; readonly bytes: number };
/** A record by its id, with as much around it as may be read at once. */
export type GroupPlan = {
  readonly project: string;
  readonly population: Population;
  readonly id: string;
  readonly bytesMax: number;
};
/** `rows`: all of the group, by ordinal; null where they weigh more than was asked for. */
export type StoredGroup = StoredGroupSize & { readonly rows: readonly RecordRow[] | null };
export type SessionPage = { readonly traces: readonly StoredGroupSize[]; readonly more: boolean };

/** A session or a trace as its deletion needs it; a session itself has no spans. */
export type RecordSize = { readonly id: string; readonly spanCount: number };
export type SessionTraces = { readonly session: string; readonly traces: readonly RecordSize[] };

/** An entry of user metadata, both parts compared as they are. */
export type MetadataEntryPlan = {
  readonly project: string;
  readonly population: 'session' | 'trace';
  readonly key: string;
  readonly value: string;
  readonly limit: number;
};

/**
 * How much of a text counts where texts are ordered, counted as categories or reported as an error:
 * its beginning (contract 3.8). `contains` looks at all of it.
 */
export const comparedCharactersMax = 4_096;

export type Aggregation =
  | 'Count'
  | 'Sum'
  | 'Average'
  | 'Min'
  | 'Max'
  | 'P50'
  | 'P90'
  | 'P95'
  | 'P99'
  | 'PercentageTrue'
  | 'PercentageFalse';

/**
 * The type is that of the metric, and values of another type are invisible. Null: the metric has no
 * value in the project.
 */
export type Widget = MeasureTarget & {
  readonly id: string;
  readonly aggregation: Aggregation;
};

/**
 * A column that records are grouped by (contract 4.5, rule 6). `any_span`: a column of the spans of
 * a trace, so that a trace is in the group of each of its spans' values. All columns `any_span` of
 * one plan are those of one and the same span.
 */
export type GroupKey = { readonly column: string; readonly of: 'record' | 'any_span' };

export type AggregatePlan = RecordScope & {
  readonly population: 'trace' | 'span';
  readonly widgets: readonly Widget[];
  readonly intervalMinutes: number;
  /** Minutes east of UTC: buckets are whole multiples of the interval in that local time. */
  readonly offsetMinutes: number;
  /** At most `groupKeysMax`, none twice. */
  readonly groupBy: readonly GroupKey[];
};

/** The metrics among what is measured: evaluations of them may have failed. */
export const measuredMetrics = (widgets: readonly MeasureTarget[]): readonly string[] =>
  widgets.flatMap(({ metric, source }) => (source === undefined ? [metric] : []));

export type AggregateCell = {
  /** By widget id: a number, null without values, or for a text Count category -> count. */
  readonly widgets: Readonly<Record<string, number | null | Readonly<Record<string, number>>>>;
  readonly requests: number;
  readonly sessions: number;
  readonly spans: number;
};
export type GroupValue = string | number | boolean | null;
export type AggregateGroup = {
  /** See `groupName`. */
  readonly key: string;
  /** Of each column of `groupBy`, in its own type; null where it is missing or `''`. */
  readonly values: readonly GroupValue[];
  /** By ascending time, none empty. */
  readonly buckets: readonly (AggregateCell & { readonly start: Instant; readonly end: Instant })[];
};
export type Aggregate = {
  readonly total: AggregateCell;
  /** By key in code point order. */
  readonly groups: readonly AggregateGroup[];
  /**
   * Evaluation errors of the metrics asked for, on the records considered and, for traces, the
   * spans below them.
   */
  readonly errors: readonly MetricError[];
};
/** Why an aggregate is refused, as the planner words it (contract 1.11, 4.5). */
export type AggregateRefusal =
  | { readonly refused: 'groups' }
  | { readonly refused: 'long-group-value' }
  | { readonly refused: 'categories'; readonly widget: number }
  | { readonly refused: 'values'; readonly count: number };

/**
 * What a group is called (contract 4.5, rule 6): `all` without columns, of one column its value as
 * string, of several the JSON of the list of their values.
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
export const groupValueCharactersMax = 1_024;

/** What the column catalogue needs to know about the records considered (contract 4.1). */
export type ColumnFacts = {
  /** Standard columns that have a value on some record: not absent, null, `""` or `[]`. */
  readonly present: readonly string[];
  /** Names of metrics with a value, own or rolled up, of the metric's type. By name. */
  readonly metrics: readonly string[];
  /** By code point order, at most 1,000. */
  readonly userMetadata: readonly string[];
  /** Ids of annotation templates, deleted ones too, by which some record is rated. By id. */
  readonly templates: readonly string[];
};

/** Contract 4.1, rule 3. */
export const userMetadataKeysMax = 1_000;
