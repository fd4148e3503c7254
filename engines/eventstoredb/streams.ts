import type { StreamName } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { Names } from './names.js';
import { storedFrom, type Stored } from './stored-event.js';

/** Ids kept of streams that were read or written lately. */
const idsMax = 200_000;

/** The ids of a stream's events from its first to revision `through`. */
type Ids = { through: number; readonly ids: Set<string> };

/**
 * Reads streams, and remembers which ids are in those it read: the server takes the same events
 * again when they come with the stream's present revision, so whether an event is there already has
 * to be known before it is sent. Whoever decides has just read the stream, so this rarely costs a
 * question.
 */
export const openStreams = ({ client, read }: Connection, names: Names) => {
  const known = new Map<StreamName, Ids>();
  let count = 0;

  const forget = (stream: StreamName): void => {
    count -= known.get(stream)?.ids.size ?? 0;
    known.delete(stream);
  };
  const remember = (stream: StreamName, ids: Ids): void => {
    forget(stream);
    known.set(stream, ids);
    count += ids.ids.size;
    for (const oldest of known.keys()) {
      if (count <= idsMax || oldest === stream) break;
      forget(oldest);
    }
  };

  /** Undefined for an erased stream; empty for one that is not there. */
  const events = async (stream: StreamName, from: number): Promise<Stored[] | undefined> => {
    let found: Stored[] = [];
    const outcome = await read(
      () =>
        client.readStream(names.of(stream), { fromRevision: BigInt(from), requiresLeader: true }),
      () => {
        found = [];
        return ({ event }) => {
          const stored = event === undefined ? null : storedFrom(stream, event);
          if (stored !== null) found.push(stored);
          return true;
        };
      },
    );
    if (outcome !== 'read') forget(stream);
    if (outcome === 'erased') return undefined;
    const last = found.at(-1);
    if (from === 0 && last !== undefined) {
      remember(stream, { through: last.revision, ids: new Set(found.map(({ id }) => id)) });
    }
    return found;
  };

  return {
    events,
    /** Whether one of the ids is in the stream up to that revision. */
    holds: async (
      stream: StreamName,
      through: number,
      ids: readonly string[],
    ): Promise<boolean> => {
      let cached = known.get(stream);
      if (cached === undefined || cached.through < through) {
        await events(stream, 0);
        cached = known.get(stream);
      }
      return cached !== undefined && ids.some((id) => cached.ids.has(id));
    },
    /** After an append of ours that ended at revision `last`. */
    grew: (stream: StreamName, last: number, ids: readonly string[]): void => {
      const first = last - ids.length + 1;
      const cached = known.get(stream);
      if (first === 0) remember(stream, { through: last, ids: new Set(ids) });
      else if (cached !== undefined && cached.through === first - 1) {
        ids.forEach((id) => cached.ids.add(id));
        count += ids.length;
        cached.through = last;
      }
    },
    forget,
    /** Revision of the last event, `none` without events, undefined for an erased stream. */
    revision: async (name: string): Promise<number | 'none' | undefined> => {
      let last: number | 'none' = 'none';
      const outcome = await read(
        () =>
          client.readStream(name, {
            direction: 'backwards',
            fromRevision: 'end',
            maxCount: 1,
            requiresLeader: true,
          }),
        () =>
          ({ event }) => {
            if (event !== undefined) last = Number(event.revision);
            return true;
          },
      );
      return outcome === 'erased' ? undefined : last;
    },
  };
};
