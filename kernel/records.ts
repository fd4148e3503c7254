import type { RatingTally } from './feedback.js';
import type { RollUp } from './columns.js';
import type { Filter } from './filter.js';
import type { OutlinePart, SessionScope, SpanOutline, TraceOutline } from './outlines.js';
import type { Asking, Beside, DumpItem, Mark, Position, Sort, StreamName } from './ports.js';
import type { RunCounts, RunMeasures, TypedMetric } from './run-measures.js';
import type { Instant, JsonObject } from './shapes.js';

export type SpanKind = 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
export type RecordKind = 'session' | 'trace' | SpanKind;
export type Population = 'session' | 'trace' | 'span';
export type MetricType = 'integer' | 'floating_point' | 'boolean' | 'text';
export type MetricValue = number | boolean | string;

/**
 * What a filter, a sort or a group sees of a column: null = no value. Dates and ids in canonical
 * text.
 */
export type ColumnValue = string | number | boolean | readonly string[] | null;

/**
 * One session, trace or span as the read model holds it. `values` has the standard columns of
 * contract 3.3 that have a value; `id`, `created_at`, `project_id` and `run_id` are always there,
 * on sessions too. -0 is stored as 0. `body` has the members of the record as read (contract 5.7)
 * that `values` and `metrics` cannot give back.
 */
export type RecordRow = {
  /** The stream the row was folded from: all rows of a trace share it. */
  readonly group: StreamName;
  /** Place within the group: 0 the trace, then its spans in the order of arrival. */
  readonly ordinal: number;
  readonly kind: RecordKind;
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** By metric name, without `metrics/`. Own values and roll-ups (contract 3.4). */
  readonly metrics: Readonly<Record<string, MetricCell>>;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** `<metric>_ems_error_code` and `<metric>_error_message` by metric (contract 3.9). */
  readonly errors: Readonly<Record<string, MetricError>>;
  /**
   * `<template id>/<user id>` for each current rating of the trace. Its spans have the same, as they
   * have its `is_complete`: engines may keep both once, with the trace. Of a
   * session: the pairs that all its traces have, and `<template id>/` for a template that each of
   * its traces has some rating of.
   */
  readonly annotators: readonly string[];
  /** Of a trace: all its spans. Of others 0. */
  readonly spanCount: number;
  readonly body: JsonObject;
};

/** `rolledUp`: not the record's own. */
export type MetricCell = {
  readonly value: MetricValue;
  readonly rolledUp: boolean;
  /**
   * Of an own value of a metric outside the registry: what its first value in the log was, for
   * contract 3.4 rule 2. `at` = position and ordinal as sortable text. `fraction`: it ever received
   * one.
   */
  readonly first?: { readonly at: string; readonly type: MetricType; readonly fraction: boolean };
  /**
   * Of an own value that is no number, outside the registry: what the spans below roll up to. It is
   * what shows when the metric's type is a number, since a value that does not fit is as if absent
   * (contract 7 on 3.4).
   */
  readonly rollUp?: number;
  /**
   * Outside the registry: how numbers of this metric roll up, as the scorer that made them says.
   * Absent: by their average.
   */
  readonly method?: RollUp;
};
export type MetricError = { readonly code: number; readonly message: string | null };

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
  /** Live annotation templates of the project: what `fully_annotated` asks for. */
  readonly templates: readonly string[];
};

export type SearchPlan = RecordScope & {
  /** Null: `created_at` descending, then `id` descending. */
  readonly sort: Sort | null;
  readonly offset: number;
  readonly limit: number;
  /** Of the rows as they are stored; absent = `pageBytesMax`. */
  readonly bytesMax?: number;
};
/** Contract 1.11: more of them at once would crowd out what else the process has to hold. */
export const pageBytesMax = 8 * 1_048_576;
/** It ends early, with at least one row, before its rows exceed their bytes: then `more` is true. */
export type RecordPage = { readonly rows: readonly RecordRow[]; readonly more: boolean };

export type SessionPlan = Pick<SearchPlan, 'project' | 'offset' | 'limit' | 'bytesMax'> & {
  readonly session: string;
};
/** A group that has rows, and their bytes as they are stored. */
export type Weighed = { readonly group: StreamName; readonly bytes: number };
export type SessionPage = { readonly traces: readonly Weighed[]; readonly more: boolean };

/** A session or a trace as those who delete it need it; a session itself has no spans. */
export type RecordSize = { readonly id: string; readonly spanCount: number };
export type SessionTraces = { readonly session: string; readonly traces: readonly RecordSize[] };

/** An entry of user metadata, both parts compared as they are. */
export type EntryPlan = {
  readonly project: string;
  readonly population: 'session' | 'trace';
  readonly key: string;
  readonly value: string;
  readonly limit: number;
};

/**
 * What counts of a longer text where texts are ordered, counted as categories or told as an error:
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

export type Widget = {
  readonly id: string;
  readonly metric: string;
  readonly aggregation: Aggregation;
  /** The metric's type; values of another type are invisible. Null: no value in the project. */
  readonly type: MetricType | null;
};

export type AggregatePlan = RecordScope & {
  readonly population: 'trace' | 'span';
  readonly widgets: readonly Widget[];
  readonly intervalMinutes: number;
  /** A column id of the catalogue that can be grouped by (contract 4.5, rule 6). */
  readonly groupBy: string | null;
};

export type AggregateCell = {
  /** By widget id: a number, null without values, or for a text Count category -> count. */
  readonly widgets: Readonly<Record<string, number | null | Readonly<Record<string, number>>>>;
  readonly requests: number;
  readonly sessions: number;
  readonly spans: number;
};
export type AggregateGroup = {
  /** The value as string (contract 4.5, rule 6); `all` without group_by. */
  readonly key: string;
  readonly value: string | number | boolean | null;
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

export const groupsMax = 1_000;
export const categoriesMax = 1_000;
export const answeredValuesMax = 1_000_000;
export const groupValueCharactersMax = 1_024;

/** What the column catalogue needs to know of the records considered (contract 4.1). */
export type ColumnFacts = {
  /** Standard columns that have a value on some record: not absent, null, `""` or `[]`. */
  readonly present: readonly string[];
  /** Names of metrics with a value, own or rolled up, of the metric's type. By name. */
  readonly metrics: readonly string[];
  /** By code point order, at most 1,000. */
  readonly userMetadata: readonly string[];
};

export type GroupWrite = {
  readonly group: StreamName;
  /** True when the read model has no rows of this group yet. */
  readonly fresh: boolean;
  /** All rows of the group from now on; none = the group is gone. See `kept`. */
  readonly rows: readonly RecordRow[];
  /**
   * Set: `rows` are those that are new or changed, the first one among them, and the others of the
   * group stay.
   */
  readonly kept?: KeptRows;
};
export type KeptRows = {
  /**
   * Null: unchanged. Else what all spans of the trace have from now on, since it is the trace's
   * (see `is_complete` and `annotators` of RecordRow).
   */
  readonly copies: Copies | null;
};
export type Copies = {
  readonly isComplete: boolean;
  readonly annotators: readonly string[];
};
export type RowPlaces = { readonly group: StreamName; readonly ordinals: readonly number[] };
export type RecordWrites = {
  readonly groups: readonly GroupWrite[];
  /** Runs and projects that were deleted: their rows go, now and whenever one arrives late. */
  readonly deletedRuns: readonly string[];
  readonly deletedProjects: readonly string[];
  /**
   * What was deleted up to here has to leave the engine's own files too, within a minute where it
   * owns them.
   */
  readonly purge?: boolean;
};

/**
 * Sessions, traces and spans: filter, search, group, aggregate. All engines answer as the reference
 * evaluator in kernel/ does. `apply` is one step with the checkpoint (see Documents). Tenancy is in
 * every plan; an unknown project has no rows.
 */
export interface Records {
  /** `start` when nothing was applied yet. */
  checkpoint(): Promise<Position>;

  apply(writes: RecordWrites, mark: Mark): Promise<void>;
  /** The first row of each group, a session or a trace; a group without rows is absent. */
  heads(names: readonly StreamName[]): Promise<ReadonlyMap<StreamName, RecordRow>>;
  /** Of the spans of each group, by ordinal; a group without spans is absent. */
  spanOutlines(
    names: readonly StreamName[],
  ): Promise<ReadonlyMap<StreamName, readonly SpanOutline[]>>;
  /** Rows of groups at these ordinals, in no order; what is not there is left out. */
  rowsAt(places: readonly RowPlaces[]): Promise<readonly RecordRow[]>;
  /** Those of the sessions that have a trace. */
  sessionsWithTraces(sessions: readonly SessionScope[]): Promise<readonly SessionScope[]>;
  /** Of the traces of a session, by `at`. */
  traceOutlines(session: SessionScope, part: OutlinePart): Promise<readonly TraceOutline[]>;
  /** Rows by group, ordered by ordinal; a group without rows is absent. */
  groups(
    names: readonly StreamName[],
    asking?: Asking,
  ): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>>;
  /** Bytes of all rows of each group as they are stored; a group without rows is absent. */
  weights(names: readonly StreamName[], asking?: Asking): Promise<ReadonlyMap<StreamName, number>>;
  /**
   * Of these sessions the first ones, in their order, as many as have at most `tracesMax` traces
   * together, and the very first whatever it has; their traces in no order.
   */
  tracesOfSessions(
    project: string,
    sessions: readonly string[],
    tracesMax: number,
    asking?: Asking,
  ): Promise<readonly SessionTraces[]>;
  /**
   * Some records that have the entry, whether its key is a column or not (contract 1.11), in no
   * order; fewer than `limit` are all.
   */
  withEntry(plan: EntryPlan, asking?: Asking): Promise<readonly RecordSize[]>;
  /**
   * Traces of a session by `created_at`, then `id`. Ends early as a page of a search does, by what
   * all rows of their groups weigh.
   */
  sessionPage(plan: SessionPlan, asking?: Asking): Promise<SessionPage>;
  /** The group that holds the record, or null. */
  locate(
    project: string,
    population: Population,
    id: string,
    asking?: Asking,
  ): Promise<StreamName | null>;
  search(plan: SearchPlan, asking?: Asking): Promise<RecordPage>;
  count(plan: RecordScope, asking?: Asking): Promise<number>;
  aggregate(plan: AggregatePlan, asking?: Asking): Promise<Aggregate | AggregateRefusal>;
  columns(plan: RecordScope, asking?: Asking): Promise<ColumnFacts>;
  /**
   * Types of metrics outside the registry (contract 3.4, rule 2); a metric that never had a value
   * is absent.
   */
  metricTypes(
    project: string,
    names: readonly string[],
    asking?: Asking,
  ): Promise<ReadonlyMap<string, MetricType>>;
  /** Of each of these runs, in their order. */
  runCounts(
    project: string,
    runs: readonly string[],
    asking?: Asking,
  ): Promise<ReadonlyMap<string, RunCounts>>;
  /**
   * Current ratings of the project's traces in these runs (null: in all), one tally for each run
   * and template with some, by run then template in code point order: as `talliesOf` of
   * kernel/feedback.ts over those traces.
   */
  ratings(
    project: string,
    runs: readonly string[] | null,
    asking?: Asking,
  ): Promise<readonly RatingTally[]>;
  /**
   * Of each of these runs; one without traces and sessions is absent. As `runMeasures` of
   * kernel/run-measures.ts.
   */
  runMeasures(
    project: string,
    runs: readonly string[],
    asking?: Asking,
  ): Promise<ReadonlyMap<string, RunMeasures>>;
  /**
   * Averages of the metrics in their order, of these runs, null = of every run of the project: what
   * ranking compares. As `runAverages` of kernel/run-measures.ts.
   */
  runAverages(
    project: string,
    metrics: readonly TypedMetric[],
    runs: readonly string[] | null,
    asking?: Asking,
  ): Promise<ReadonlyMap<string, readonly (number | null)[]>>;
  /**
   * Runs whose traces may have changed since `token` was answered, so that what was asked after it
   * can be kept. `runs` null: any may have. An engine may always say so.
   */
  runsChanged(
    project: string,
    token: string | null,
  ): Promise<{ readonly token: string; readonly runs: readonly string[] | null }>;
  /** By group, rows by ordinal. */
  dump(): AsyncIterable<DumpItem>;
  beside(): Promise<Beside<Records>>;
  close(): Promise<void>;
}

/** What an operator should know of the store of the records: each failure, and what came of it. */
export type Incident = {
  readonly kind: TroubleKind;
  /** `dropped`: the file was lost, and the log fills a new one. */
  readonly did: 'nothing' | 'reopened' | 'dropped';
  readonly cause: string;
};
export type TroubleKind = 'out-of-memory' | 'invalidated' | 'corrupt' | 'failed';
