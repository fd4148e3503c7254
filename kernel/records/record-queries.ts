import type { QueryContext, StreamName } from '../ports.js';
import type { QueryTable } from '../query-methods.js';
import type { RatingCounts } from './feedback.js';
import type { RunCounts, RunMeasures, TypedMetric } from './measures.js';
import type { TracesOfSessionsPlan } from './outlines.js';
import type { MetricType, Population, RecordRow } from './record.js';
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

/**
 * Query side of the records (CQRS): filter, search, group, aggregate. All engines must agree with
 * the reference implementation in kernel/. Tenancy is in every plan; an unknown project has no
 * rows.
 */
export interface RecordQueries {
  /** First row of each group, a session or a trace; a group without rows is absent. */
  firstRows(
    names: readonly StreamName[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<StreamName, RecordRow>>;
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
    plan: TracesOfSessionsPlan,
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
   * more than `runRowsMax`. As `runRows` of test/support/reference-run-rows.ts.
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
    context?: QueryContext,
  ): Promise<{ readonly token: string; readonly runs: readonly string[] | null }>;
}

/** Queries of each kind, with the position of the context among their values. */
export const recordQueries = {
  firstRows: { kind: 'groups', contextAt: 1 },
  rowsByGroup: { kind: 'groups', contextAt: 1 },
  groupBytes: { kind: 'groups', contextAt: 1 },
  tracesOfSessions: { kind: 'lookup', contextAt: 1 },
  recordsWithEntry: { kind: 'scan', contextAt: 1 },
  sessionPage: { kind: 'lookup', contextAt: 1 },
  findGroup: { kind: 'lookup', contextAt: 3 },
  groupRows: { kind: 'lookup', contextAt: 1 },
  search: { kind: 'scan', contextAt: 1 },
  cursorOf: { kind: 'scan', contextAt: 2 },
  count: { kind: 'scan', contextAt: 1 },
  aggregate: { kind: 'scan', contextAt: 1 },
  columns: { kind: 'scan', contextAt: 1 },
  metricTypes: { kind: 'lookup', contextAt: 2 },
  runCounts: { kind: 'scan', contextAt: 2 },
  ratings: { kind: 'scan', contextAt: 2 },
  runMeasures: { kind: 'scan', contextAt: 2 },
  runAverages: { kind: 'scan', contextAt: 3 },
  runRows: { kind: 'scan', contextAt: 1 },
  changedRuns: { kind: 'lookup', contextAt: 2 },
} as const satisfies QueryTable<RecordQueries>;
