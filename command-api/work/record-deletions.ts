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

/** So many streams are written at once: enough for a server, few enough for memory. */
const batchStreams = 64;

/** What a deletion stream says; null before it was begun. */
export type Deletion = { readonly deleted: RecordsDeleted; readonly erased: boolean };

export const deletions: Fold<Deletion | null, DeletionEvent> = {
  initial: null,
  evolve: (deletion, { type, data }) =>
    type === 'RecordsDeleted'
      ? { deleted: data, erased: false }
      : deletion && { ...deletion, erased: true },
};

/**
 * Deletes these records: first the fact, which the worker acts on whatever becomes of the caller,
 * then each record for itself. Repeating it changes nothing. Answers the last position.
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
  // What the log has counts: somebody else may have begun this deletion with other records.
  const last = await appendTombstones(log, state?.deleted ?? deleted, cause);
  return laterPosition(last, position);
};

/** More would not fit one event of a bounded size. */
const partTracesMax = 1_000;

/**
 * A deletion in parts of a bounded size, each with an id of its own. Sessions come last, when their
 * traces are gone; so do the spans.
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

/** A tombstone for each record that has none: from there on nothing is added to it. */
const appendTombstones = async (
  log: EventLog,
  deleted: RecordsDeleted,
  cause: Authorship,
): Promise<Position> => {
  const tombstones = tombstonesOf(deleted);
  let last = logStart;
  for (let from = 0; from < tombstones.length; from += batchStreams) {
    const asked = new Map(tombstones.slice(from, from + batchStreams));
    const outcomes = await transactAll(
      log,
      asked,
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

/** What the last event of a stream is; null: there is none. */
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

/** Content of the records is gone for good when it resolves. Repeatable, also after a kill. */
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
