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
  /** More records match than these. */
  readonly more: boolean;
  /** Columns of the request that nobody recorded. */
  readonly unknown: readonly string[];
};
/** Which records a request chooses: where to look, and the log says what becomes of them. */
export type RecordSelector = {
  readonly complaints: (
    population: 'session' | 'trace',
    body: RecordDeletion,
  ) => readonly Complaint[];
  /** At most `limit` records in the default order of searches; a session brings its traces. */
  readonly choose: (
    population: 'session' | 'trace',
    project: ProjectId,
    body: RecordDeletion,
    limit: number,
  ) => Promise<ChosenRecords>;
  /** How many there are, and the ids of the first ones in that order. */
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
  /** Waits for a while until what is recorded can be found. */
  readonly caughtUp: () => Promise<unknown>;
};
type Needs = { readonly log: EventLog; readonly choice: RecordSelector };

/** The deletions of contract 5.7. */
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
        // What others record meanwhile waits behind one part and not behind all of them.
        if (at > 0) await choice.caughtUp();
        position = await deleteRecords(log, part, cause);
      }
      return { position, body: answer };
    },
    ({ body }) => [...unchosenComplaints(body), ...choice.complaints(population, body)],
  );
