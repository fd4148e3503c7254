import type { Instant } from '../schema-types.js';
import type { RatingCounts } from './feedback.js';
import type { OutlineSelection, SessionScope, SpanOutline, TraceOutline } from './outlines.js';
import type { QueryContext, Position, StreamName } from '../ports.js';
import type { Shadow, DumpItem, Checkpoint, ShadowOptions } from '../documents.js';
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
  readonly inherited: InheritedMembers | null;
};
export type InheritedMembers = {
  readonly isComplete: boolean;
  readonly annotators: readonly string[];
};
export type RowOrdinals = { readonly group: StreamName; readonly ordinals: readonly number[] };
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

  /**
   * These writes are likely to be applied after those that are being applied now: does what can be
   * done for them meanwhile. It changes nothing that anybody sees, and need not be called.
   */
  prefetch(writes: RecordWrites): Promise<void>;
  apply(writes: RecordWrites, checkpoint: Checkpoint): Promise<void>;
  /** The first row of each group, a session or a trace; a group without rows is absent. */
  firstRows(names: readonly StreamName[]): Promise<ReadonlyMap<StreamName, RecordRow>>;
  /** Of the spans of each group, by ordinal; a group without spans is absent. */
  spanOutlines(
    names: readonly StreamName[],
  ): Promise<ReadonlyMap<StreamName, readonly SpanOutline[]>>;
  /** Rows of groups at these ordinals, in no order; what is not there is left out. */
  rowsByOrdinal(places: readonly RowOrdinals[]): Promise<readonly RecordRow[]>;
  /** Those of the sessions that have a trace. */
  sessionsWithTraces(sessions: readonly SessionScope[]): Promise<readonly SessionScope[]>;
  /** Of the traces of a session, by `at`. */
  traceOutlines(session: SessionScope, part: OutlineSelection): Promise<readonly TraceOutline[]>;
  /** Rows by group, ordered by ordinal; a group without rows is absent. */
  rowsByGroup(
    names: readonly StreamName[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<StreamName, readonly RecordRow[]>>;
  /** Bytes of all rows of each group as they are stored; a group without rows is absent. */
  groupBytes(
    names: readonly StreamName[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<StreamName, number>>;
  /**
   * Of these sessions the first ones, in their order, as many as have at most `tracesMax` traces
   * together, and the very first whatever it has; their traces in no order.
   */
  tracesOfSessions(
    project: string,
    sessions: readonly string[],
    tracesMax: number,
    asking?: QueryContext,
  ): Promise<readonly SessionTraces[]>;
  /**
   * Some records that have the entry, whether its key is a column or not (contract 1.11), in no
   * order; fewer than `limit` are all.
   */
  recordsWithEntry(plan: MetadataEntryPlan, asking?: QueryContext): Promise<readonly RecordSize[]>;
  /**
   * Traces of a session by `created_at`, then `id`. Ends early as a page of a search does, by what
   * all rows of their groups weigh.
   */
  sessionPage(plan: SessionPlan, asking?: QueryContext): Promise<SessionPage>;
  /** The group that holds the record, or null. */
  findGroup(
    project: string,
    population: Population,
    id: string,
    asking?: QueryContext,
  ): Promise<StreamName | null>;
  /** The group that holds the record, as of one moment, or null. */
  groupRows(plan: GroupPlan, asking?: QueryContext): Promise<StoredGroup | null>;
  search(plan: SearchPlan, asking?: QueryContext): Promise<RecordPage>;
  count(plan: RecordScope, asking?: QueryContext): Promise<number>;
  aggregate(plan: AggregatePlan, asking?: QueryContext): Promise<Aggregate | AggregateRefusal>;
  columns(plan: RecordScope, asking?: QueryContext): Promise<ColumnFacts>;
  /**
   * Types of metrics outside the registry (contract 3.4, rule 2); a metric that never had a value
   * is absent.
   */
  metricTypes(
    project: string,
    names: readonly string[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<string, MetricType>>;
  /** Of each of these runs, in their order. */
  runCounts(
    project: string,
    runs: readonly string[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<string, RunCounts>>;
  /**
   * Current ratings of the project's traces in these runs (null: in all), one tally for each run
   * and template with some, by run then template in code point order: as `talliesOf` of
   * kernel/records/feedback.ts over those traces.
   */
  ratings(
    project: string,
    runs: readonly string[] | null,
    asking?: QueryContext,
  ): Promise<readonly RatingCounts[]>;
  /**
   * Of each of these runs; one without traces and sessions is absent. As `runMeasures` of
   * kernel/records/reference/run-measures.ts.
   */
  runMeasures(
    project: string,
    runs: readonly string[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<string, RunMeasures>>;
  /**
   * Averages of the metrics in their order, of these runs, null = of every run of the project: what
   * ranking compares. As `runAverages` of kernel/records/reference/run-measures.ts.
   */
  runAverages(
    project: string,
    metrics: readonly TypedMetric[],
    runs: readonly string[] | null,
    asking?: QueryContext,
  ): Promise<ReadonlyMap<string, readonly (number | null)[]>>;
  /**
   * What each of these runs has on each row of a dataset, in no order; null when that is more than
   * `runRowsMax`. As `runRows` of kernel/records/reference/run-rows.ts.
   */
  runRows(plan: RunRowsPlan, asking?: QueryContext): Promise<readonly RunRow[] | null>;
  /**
   * Runs whose traces may have changed since `token` was answered, so that what was asked after it
   * can be kept. `runs` null: any may have. An engine may always say so.
   */
  changedRuns(
    project: string,
    token: string | null,
  ): Promise<{ readonly token: string; readonly runs: readonly string[] | null }>;
  /**
   * Since when content that was deleted has waited to leave the files; null: none does. Absent
   * where an engine elsewhere has the files, or in a process that does not write them.
   */
  erasingSince?(): Instant | null;
  /** By group, rows by ordinal. */
  dump(): AsyncIterable<DumpItem>;
  shadow(copying?: ShadowOptions): Promise<Shadow<Records>>;
  /** The lasting copy of that id, as Documents has it. */
  resume(id: string): Promise<Shadow<Records> | null>;
  close(): Promise<void>;
}

/** What an operator should know about the store of the records: each failure, and what followed. */
export type Incident = {
  readonly kind: IncidentKind;
  /** `dropped`: the file was set aside as `kept`, and the log fills a new one. */
  readonly did: 'nothing' | 'reopened' | 'dropped';
  readonly cause: string;
  readonly kept?: string;
};
export type IncidentKind = 'out-of-memory' | 'invalidated' | 'corrupt' | 'failed';
