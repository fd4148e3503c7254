import type { DeletionEvent, RecordsDeleted } from '../../events/deletions.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import {
  laterPosition,
  logStart,
  streamNameOf,
  type Event,
  type EventLog,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import {
  conflictFault,
  transact,
  transactAll,
  type Authorship,
  type StreamState,
} from '../../kernel/transact.js';
import type { DeletionId } from '../../kernel/schema-types.js';
import { deletionStream } from '../facts/deletions.js';

/** Batch size of stream writes: enough for a server, few enough for memory. */
const batchStreams = 64;

/** State of a deletion; null before it began. */
export type Deletion = { readonly deleted: RecordsDeleted; readonly erased: boolean };

export const deletions: Fold<Deletion | null, DeletionEvent> = {
  initial: null,
  evolve: (deletion, { type, data }) =>
    type === 'RecordsDeleted'
      ? { deleted: data, erased: false }
      : deletion && { ...deletion, erased: true },
};

/**
 * Deletes records: first appends the fact, which the worker completes whatever happens to the
 * caller, then a tombstone for each record. Idempotent. Returns the last position.
 */
export const deleteRecords = async (
  log: EventLog,
  deleted: RecordsDeleted,
  cause: Authorship,
): Promise<Position> => {
  const { state, position } = await transact(
    log,
    deletionStream(deleted.deletion_id),
    deletions,
    (known): Decision<DeletionEvent> =>
      known === null ? [{ type: 'RecordsDeleted', data: deleted }] : [],
    cause,
  );
  // The log's records count: a concurrent call may have begun this deletion with others.
  const last = await appendTombstones(log, state?.deleted ?? deleted, cause);
  return laterPosition(last, position);
};

/** Limit of one part: more would not fit one event of a bounded size. */
const partTracesMax = 1_000;

/**
 * Splits a deletion into parts of a bounded size, each with its own id. Sessions and the span count
 * are in the last part, after their traces.
 */
export const splitDeletion = (
  { session_ids, trace_ids, spans, ...place }: Omit<RecordsDeleted, 'deletion_id'>,
  idOf: (part: number) => DeletionId,
): readonly RecordsDeleted[] => {
  const count = Math.max(1, Math.ceil(trace_ids.length / partTracesMax));
  return Array.from({ length: count }, (_, part) => {
    const isLast = part === count - 1;
    return {
      ...place,
      deletion_id: idOf(part),
      session_ids: isLast ? session_ids : [],
      trace_ids: trace_ids.slice(part * partTracesMax, (part + 1) * partTracesMax),
      spans: isLast ? spans : 0,
    };
  });
};

/** Appends a tombstone to each record without one: the record takes no more events. */
const appendTombstones = async (
  log: EventLog,
  deleted: RecordsDeleted,
  cause: Authorship,
): Promise<Position> => {
  const tombstones = tombstonesOf(deleted);
  let last = logStart;
  for (let from = 0; from < tombstones.length; from += batchStreams) {
    const batch = new Map(tombstones.slice(from, from + batchStreams));
    const outcomes = await transactAll(
      log,
      batch,
      { load: loadLastType(log), decide: tombstoneIfMissing },
      cause,
    );
    for (const { events, position } of outcomes.values()) {
      if (position === 'conflict') throw conflictFault();
      if (events.length > 0) last = laterPosition(last, position);
    }
  }
  return last;
};

/** Type of a stream's last event; null: empty. */
const loadLastType =
  (log: EventLog) =>
  async (name: StreamName): Promise<StreamState<string | null>> => {
    const end = await log.last(name);
    return end === null
      ? { state: null, revision: 'none', position: logStart }
      : { state: end.type, revision: end.revision, position: end.position };
  };
const tombstoneIfMissing = (end: string | null, tombstone: Event): Decision<Event> =>
  end === null || end === tombstone.type ? [] : [tombstone];

/** Erases the content of the records for good. Idempotent, also after a kill. */
export const eraseRecords = async (
  log: EventLog,
  deleted: RecordsDeleted,
  cause: Authorship,
): Promise<void> => {
  await appendTombstones(log, deleted, cause);
  const { deletion_id, project_id, session_ids, trace_ids } = deleted;
  await transact(
    log,
    deletionStream(deletion_id),
    deletions,
    (known): Decision<DeletionEvent> =>
      known === null || known.erased
        ? []
        : [{ type: 'RecordsErased', data: { deletion_id, project_id, session_ids, trace_ids } }],
    cause,
  );
  const names = tombstonesOf(deleted).map(([name]) => name);
  for (let from = 0; from < names.length; from += batchStreams) {
    await Promise.all(names.slice(from, from + batchStreams).map((name) => log.erase(name)));
  }
};

const tombstonesOf = ({
  project_id,
  session_ids,
  trace_ids,
}: RecordsDeleted): readonly (readonly [StreamName, Event])[] => [
  ...session_ids.map((session_id): [StreamName, Event] => [
    streamNameOf('session', project_id, session_id),
    { type: 'SessionDeleted', data: { project_id, session_id } },
  ]),
  ...trace_ids.map((trace_id): [StreamName, Event] => [
    streamNameOf('trace', project_id, trace_id),
    { type: 'TraceDeleted', data: { project_id, trace_id } },
  ]),
];
