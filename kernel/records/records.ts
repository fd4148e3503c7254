import type { Instant } from '../schema-types.js';
import type { RatingCounts } from './feedback.js';
import type { OutlineSelection, SessionScope, SpanOutline, TraceOutline } from './outlines.js';
import type { QueryContext, Position, StreamName } from '../ports.js';
import type { Shadow, DumpItem, Checkpoint, ShadowOptions } from '../documents.js';
import type { AddColumnName } from './column-names.js';
import type { RecordCells } from './record-cells.js';
import type { RunCounts, RunMeasures, TypedMetric } from './measures.js';
import type { Population, MetricType, RecordRow } from './record.js';
import type { RunRow, RunRowsPlan } from './run-rows.js';
import type {
  RecordScope,
  SearchPlan,
  RecordPage,
  SessionPlan,
  SessionPage,
  RecordSize,
  SessionTraces,
  MetadataEntryPlan,
  GroupPlan,
  StoredGroup,
  AggregatePlan,
  Aggregate,
  AggregateRefusal,
  ColumnFacts,
} from './query-plans.js';

export type GroupWrite = {
  readonly group: StreamName;
  /** True if the read model has no rows of this group yet. */
  readonly fresh: boolean;
  /** All rows of the group from now on; empty = the group is deleted. See `partial`. */
  readonly rows: readonly RecordRow[];
  /** The rows of a fresh trace, for engines with columns: `rows` are not folded before read. */
  readonly columns?: TraceColumns;
  /**
   * Partial write: `rows` are the new or changed ones, the first one among them, and the others of
   * the group stay.
   */
  readonly partial?: PartialWrite;
};
/** All records of a trace, one after another. */
export type TraceColumns = {
  readonly projectId: string;
  readonly runId: string;
  /** Number of records. */
  readonly size: number;
  /** Visits the names that may become columns, in the order of the records. */
  readonly forEachName: (add: AddColumnName) => void;
  /** The trace, then its spans by ordinal. */
  readonly records: () => Iterable<RecordCells>;
};
export type PartialWrite = {
  /**
   * Null: unchanged. Else the new inherited values of all spans of the trace (see `is_complete` and
   * `annotators` of RecordRow).
   */
  readonly inherited: InheritedMembers | null;
};
export type InheritedMembers = {
  readonly isComplete: boolean;
  readonly annotators: readonly string[];
};
export type RowOrdinals = { readonly group: StreamName; readonly ordinals: readonly number[] };
export type RecordWrites = {
  readonly groups: readonly GroupWrite[];
  /** Tombstones of runs and projects: their rows are deleted, now and whenever one arrives late. */
  readonly deletedRuns: readonly string[];
  readonly deletedProjects: readonly string[];
  /**
   * Deleted content up to here has to leave the engine's own files too, within a minute where it
   * owns them.
   */
  readonly purge?: boolean;
};

/**
 * Read model of sessions, traces and spans (CQRS query side): filter, search, group, aggregate. All
 * engines must agree with the reference implementation in kernel/. `apply` is atomic with the
 * checkpoint (see Documents), but a crash may take both back to an earlier batch (`flush`). Tenancy
 * is in every plan; an unknown project has no rows.
 */
export interface Records {
  /** Position of the last write; `logStart` before the first one. */
  checkpoint(): Promise<Position>;

  /**
   * Optional prefetch: prepares the next batch while the current one commits. No visible effect.
   */
  prefetch(writes: RecordWrites): Promise<void>;
  apply(writes: RecordWrites, checkpoint: Checkpoint): Promise<void>;
  /**
   * Makes everything applied durable: no crash takes it back. To be called before anything that
   * relies on it is stored elsewhere. Absent: `apply` does.
   */
  flush?(): Promise<void>;
  /** First row of each group, a session or a trace; a group without rows is absent. */
  firstRows(names: readonly StreamName[]): Promise<ReadonlyMap<StreamName, RecordRow>>;
  /** Outlines of the spans of each group, by ordinal; a group without spans is absent. */
  spanOutlines(
    names: readonly StreamName[],
  ): Promise<ReadonlyMap<StreamName, readonly SpanOutline[]>>;
  /** Rows of groups at these ordinals, unordered; missing ones are left out. */
  rowsByOrdinal(places: readonly RowOrdinals[]): Promise<readonly RecordRow[]>;
  /** Filters the sessions that have a trace. */
  sessionsWithTraces(sessions: readonly SessionScope[]): Promise<readonly SessionScope[]>;
  /** Outlines of the traces of a session, by `at`. */
  traceOutlines(session: SessionScope, part: OutlineSelection): Promise<readonly TraceOutline[]>;
  /** Rows by group, ordered by ordinal; a group without rows is absent. */
  rowsByGroup(
    names: readonly StreamName[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>>;
  /** Stored bytes of all rows of each group; a group without rows is absent. */
  groupBytes(
    names: readonly StreamName[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<StreamName, number>>;
  /**
   * Takes sessions in the given order until their traces would exceed `tracesMax` (always at least
   * one session). Traces are unordered.
   */
  tracesOfSessions(
    project: string,
    sessions: readonly string[],
    tracesMax: number,
    context?: QueryContext,
  ): Promise<readonly SessionTraces[]>;
  /**
   * Records that have the metadata entry, whether its key is a column or not (contract 1.11),
   * unordered; fewer than `limit` means all.
   */
  recordsWithEntry(plan: MetadataEntryPlan, context?: QueryContext): Promise<readonly RecordSize[]>;
  /**
   * Traces of a session by `created_at`, then `id`. Ends early as a search page does, by the bytes
   * of all rows of their groups.
   */
  sessionPage(plan: SessionPlan, context?: QueryContext): Promise<SessionPage>;
  /** Finds the group that holds the record, or null. */
  findGroup(
    project: string,
    population: Population,
    id: string,
    context?: QueryContext,
  ): Promise<StreamName | null>;
  /** Reads the group that holds the record in one snapshot, or null. */
  groupRows(plan: GroupPlan, context?: QueryContext): Promise<StoredGroup | null>;
  search(plan: SearchPlan, context?: QueryContext): Promise<RecordPage>;
  /**
   * Cursor of a search (`SearchPlan.after`) behind the record with this id, whether the search
   * finds it or not; of spans that share the id, behind the last one in the order. Null: the
   * project has no such record.
   */
  cursorOf(plan: SearchPlan, id: string, context?: QueryContext): Promise<string | null>;
  count(plan: RecordScope, context?: QueryContext): Promise<number>;
  aggregate(plan: AggregatePlan, context?: QueryContext): Promise<Aggregate | AggregateRefusal>;
  columns(plan: RecordScope, context?: QueryContext): Promise<ColumnFacts>;
  /**
   * Types of metrics outside the registry (contract 3.4, rule 2); a metric without any value is
   * absent.
   */
  metricTypes(
    project: string,
    names: readonly string[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<string, MetricType>>;
  /** Counts of each of these runs, in their order. */
  runCounts(
    project: string,
    runs: readonly string[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<string, RunCounts>>;
  /**
   * Counts of current ratings on the project's traces in these runs (null: in all), one for each
   * run and rated template, by run then template in code point order: as `countRatings` of
   * kernel/records/feedback.ts over those traces.
   */
  ratings(
    project: string,
    runs: readonly string[] | null,
    context?: QueryContext,
  ): Promise<readonly RatingCounts[]>;
  /**
   * Statistics of each of these runs; one without traces and sessions is absent. As `runMeasures`
   * of kernel/records/reference/run-measures.ts.
   */
  runMeasures(
    project: string,
    runs: readonly string[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<string, RunMeasures>>;
  /**
   * Averages of the metrics in their order, for these runs, null = every run of the project; used
   * for ranking. As `runAverages` of kernel/records/reference/run-measures.ts.
   */
  runAverages(
    project: string,
    metrics: readonly TypedMetric[],
    runs: readonly string[] | null,
    context?: QueryContext,
  ): Promise<ReadonlyMap<string, readonly (number | null)[]>>;
  /**
   * Measurements of each of these runs on each row of a dataset, unordered; null when there are
   * more than `runRowsMax`. As `runRows` of kernel/records/reference/run-rows.ts.
   */
  runRows(plan: RunRowsPlan, context?: QueryContext): Promise<readonly RunRow[] | null>;
  /**
   * Cache invalidation: runs whose traces may have changed since `token` was returned; results read
   * after it stay valid for others. `runs` null: any may have changed, which an engine may always
   * return.
   */
  changedRuns(
    project: string,
    token: string | null,
  ): Promise<{ readonly token: string; readonly runs: readonly string[] | null }>;
  /**
   * Time since which deleted content waits for removal from the files; null: none waits. Absent
   * where an external engine has the files, or in a process that does not write them.
   */
  erasingSince?(): Instant | null;
  /** Dump by group, rows by ordinal. */
  dump(): AsyncIterable<DumpItem>;
  shadow(copying?: ShadowOptions): Promise<Shadow<Records>>;
  /** Durable shadow copy with that id; see `Documents.resume`. */
  resume(id: string): Promise<Shadow<Records> | null>;
  close(): Promise<void>;
}

/** Incident of the record store, for operators: each failure, and the reaction. */
export type Incident = {
  readonly kind: IncidentKind;
  /** `dropped`: the file was moved to `kept`, and a new one is filled from the log. */
  readonly did: 'nothing' | 'reopened' | 'dropped';
  readonly cause: string;
  readonly kept?: string;
};
export type IncidentKind = 'out-of-memory' | 'invalidated' | 'corrupt' | 'failed';
