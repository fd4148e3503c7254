import { writeRoute, type Route } from '../../contract/operation.js';
import {
  deletedMax,
  deleteSessions,
  deleteTraces,
  unchosenComplaints,
  type RecordDeletion,
} from '../../contract/record-deletions.js';
import { pluralize, type Complaint } from '../../kernel/fault.js';
import { logStart, type EventLog } from '../../kernel/ports.js';
import type { ProjectId, SessionId, TraceId } from '../../kernel/schema-types.js';
import { deleteRecords, splitDeletion } from '../work/record-deletions.js';

type ChosenRecords = {
  readonly sessionIds: readonly SessionId[];
  readonly traceIds: readonly TraceId[];
  readonly spans: number;
  /** True if more records match. */
  readonly more: boolean;
  /** Columns of the request that no record has. */
  readonly unknown: readonly string[];
};
/** Selects the records of a request from read models; the log decides what becomes of them. */
export type RecordSelector = {
  readonly complaints: (
    population: 'session' | 'trace',
    body: RecordDeletion,
  ) => readonly Complaint[];
  /**
   * Selects up to `limit` records in the default order of searches; a session includes its traces.
   */
  readonly choose: (
    population: 'session' | 'trace',
    project: ProjectId,
    body: RecordDeletion,
    limit: number,
  ) => Promise<ChosenRecords>;
  /** Number of matching records, and the ids of the first ones in that order. */
  readonly preview: (
    population: 'session' | 'trace',
    project: ProjectId,
    body: RecordDeletion,
    idsMax: number,
  ) => Promise<{
    readonly count: number;
    readonly ids: readonly string[];
    readonly unknown: readonly string[];
  }>;
  /** Waits, within a limit, until the read models have caught up with the log. */
  readonly caughtUp: () => Promise<unknown>;
};
type Needs = { readonly log: EventLog; readonly choice: RecordSelector };

/** Write routes of record deletions (contract 5.7). */
export const recordWrites = (needs: Needs): readonly Route[] => [
  deleteRecordsRoute(needs, deleteSessions, 'session'),
  deleteRecordsRoute(needs, deleteTraces, 'trace'),
];

const deleteRecordsRoute = (
  { log, choice }: Needs,
  operation: typeof deleteSessions,
  population: 'session' | 'trace',
): Route =>
  writeRoute(
    operation,
    async ({ body, params: { project_id: project }, cause, mint }) => {
      if (body.dry_run === true) {
        const { count, ids, unknown } = await choice.preview(population, project, body, deletedMax);
        return {
          position: await log.head(),
          notes: { 'X-Unknown-Columns': unknown },
          body: {
            message: `${pluralize(count, population)} would be deleted.`,
            deleted_count: 0,
            remaining: count > 0,
            matched_count: count,
            ids: [...ids],
          },
        };
      }
      const chosen = await choice.choose(population, project, body, deletedMax);
      const count = population === 'session' ? chosen.sessionIds.length : chosen.traceIds.length;
      const answer = {
        message: `${count} ${population}${count === 1 ? ' is' : 's are'} deleted.`,
        deleted_count: count,
        remaining: chosen.more,
      };
      if (count === 0) {
        const notes = { 'X-Unknown-Columns': chosen.unknown };
        return { position: await log.head(), body: answer, notes };
      }
      const parts = splitDeletion(
        {
          project_id: project,
          job_id: null,
          session_ids: [...chosen.sessionIds],
          trace_ids: [...chosen.traceIds],
          spans: chosen.spans,
        },
        () => mint('DeletionId'),
      );
      let position = logStart;
      for (const [at, part] of parts.entries()) {
        // Concurrent writes wait behind one part only, not behind all of them.
        if (at > 0) await choice.caughtUp();
        position = await deleteRecords(log, part, cause);
      }
      return { position, body: answer };
    },
    ({ body }) => [...unchosenComplaints(body), ...choice.complaints(population, body)],
  );
