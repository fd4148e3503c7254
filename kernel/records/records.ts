import type { Instant } from '../schema-types.js';
import type { OutlineSelection, SessionScope, SpanOutline, TraceOutline } from './outlines.js';
import type { Position, StreamName } from '../ports.js';
import type { Shadow, DumpItem, Checkpoint, ShadowOptions } from '../documents.js';
import type { AddColumnName } from './column-names.js';
import type { RecordCells } from './record-cells.js';
import type { RecordQueries } from './record-queries.js';
import type { RecordRow } from './record.js';

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

/** Read model of sessions, traces and spans: kept by folding the log, and queried. */
export interface Records extends RecordFolding, RecordQueries {}

/** The records as requests see them. */
export type ReadableRecords = RecordQueries & Pick<RecordFolding, 'checkpoint' | 'close'>;

/**
 * Folding side of the records. `apply` is atomic with the checkpoint (see Documents), but a crash
 * may take both back to an earlier batch (`flush`).
 */
export interface RecordFolding {
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
  /**
   * `dropped`: the file was moved to `kept`, and a new one is filled from the log. `uncompacted`:
   * it was not copied without deleted rows; reported once, until a copy succeeds.
   */
  readonly did: 'nothing' | 'reopened' | 'dropped' | 'uncompacted';
  readonly cause: string;
  readonly kept?: string;
};
export type IncidentKind = 'out-of-memory' | 'invalidated' | 'corrupt' | 'failed';
