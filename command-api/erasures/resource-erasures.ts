import type { Position, StoredEvent, StreamName } from '../../kernel/ports.js';
import type { Authorship } from '../../kernel/transact.js';
import { reactionAuthorship } from '../work/service-authorship.js';
import {
  isPastLateWrites,
  type ErasureNeeds,
  type ErasureProcess,
} from './run-and-project-erasures.js';

/** Bounds of one step: events scanned, and streams erased. */
const stepEvents = 2_000;
const stepStreams = 20;

/** A resource of the organisation whose deletion erases the streams of its parts. */
export type DeletedResource<Id extends string> = {
  /** Event of its deletion. */
  readonly deletion: string;
  /** The deleted id; null where its erasure is complete. */
  readonly idOf: (event: StoredEvent) => Promise<Id | null>;
  /** Common prefix of its parts' streams. */
  readonly prefixOf: (id: Id) => string;
  /** Called before the streams are erased. */
  readonly recordErased?: (
    id: Id,
    streams: readonly StreamName[],
    authorship: Authorship,
  ) => Promise<unknown>;
  readonly recordComplete: (id: Id, authorship: Authorship) => Promise<unknown>;
};

type Deletion = {
  readonly event: StoredEvent;
  /** Cursor before the event. */
  readonly before: Position;
  /** Monotonic time at which the deletion was seen. */
  readonly seenMs: number;
  /** Progress of the current pass; null between passes. */
  readonly pass: { readonly isLast: boolean; readonly visited: StreamName | null } | null;
};

/**
 * Process manager of a deletion: erases every stream of its parts, also those of lost races that
 * nothing names. A second pass runs when late writes are impossible. Idempotent: after a kill it
 * resumes from the cursor.
 */
export const openResourceErasures = <Id extends string>(
  { log, clock, ids, after }: ErasureNeeds,
  resource: DeletedResource<Id>,
): ErasureProcess => {
  const pending = new Map<Id, Deletion>();
  let position = after;

  const findDeletions = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, [resource.deletion]);
    for (const event of page.events) {
      const id = await resource.idOf(event);
      if (id === null) continue;
      const seenMs = clock.milliseconds();
      const pass = { isLast: isPastLateWrites(event.metadata.at, seenMs, clock), visited: null };
      pending.set(id, { event, before: position, seenMs, pass });
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  const visit = async (
    id: Id,
    deletion: Deletion,
    pass: NonNullable<Deletion['pass']>,
  ): Promise<void> => {
    const authorship = reactionAuthorship({ clock, ids }, deletion.event);
    const found = await log.streams(resource.prefixOf(id), pass.visited, stepStreams);
    if (found.length > 0) await resource.recordErased?.(id, found, authorship);
    await Promise.all(found.map((name) => log.erase(name)));
    const last = found.at(-1);
    if (last !== undefined && found.length === stepStreams) {
      pending.set(id, { ...deletion, pass: { ...pass, visited: last } });
    } else if (!pass.isLast) pending.set(id, { ...deletion, pass: null });
    else {
      await resource.recordComplete(id, authorship);
      pending.delete(id);
    }
  };

  return {
    step: async () => {
      for (const [id, deletion] of pending) {
        if (deletion.pass === null) continue;
        await visit(id, deletion, deletion.pass);
        return true;
      }
      if (await findDeletions()) return true;
      for (const [id, deletion] of pending) {
        if (!isPastLateWrites(deletion.event.metadata.at, deletion.seenMs, clock)) continue;
        pending.set(id, { ...deletion, pass: { isLast: true, visited: null } });
        return true;
      }
      return false;
    },
    pending: () => [...pending.values()].map(({ event }) => event.metadata.at),
    cursor: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};
