import type { RecordedEvent } from '@eventstore/db-client';
import type { ReadOptions, StreamName } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { StreamNaming } from './stream-naming.js';
import { storedFrom, type EsdbEvent } from './stored-event.js';

/** Ids cached of streams that were read or written lately. */
const idsMax = 200_000;
/** A portion ends once it holds this many bytes: a few milliseconds of folding. */
const portionBytesMax = 1024 * 1024;

/** Ids of a stream's events from its first to revision `through`. */
type KnownIds = { through: number; readonly ids: Set<string> };

export type StreamReader = ReturnType<typeof openStreamReader>;

/**
 * Reads streams, and caches the ids of events read: the server accepts repeated events when they
 * come with the stream's current revision, so an append has to check for them before it sends. A
 * decision has just read the stream, so the check rarely costs a read.
 */
export const openStreamReader = (connection: Connection, names: StreamNaming) => {
  const known = openKnownIds();
  /**
   * Yields the stream in portions of about 1 MiB, or one event. An empty portion means that the
   * stream was erased meanwhile, and what came before is void.
   */
  async function* portions(
    stream: StreamName,
    { from = 0, types, limit = Infinity }: ReadOptions = {},
  ): AsyncGenerator<readonly EsdbEvent[], void> {
    let left = limit;
    for (let next = from; left > 0;) {
      const place = { stream, name: names.eventsOf(stream), from: next };
      const portion = await readPortion(connection, place, types, left);
      if (portion.outcome !== 'read') {
        known.forget(stream);
        if (next > from) yield [];
        return;
      }
      known.learn(stream, portion.found);
      const wanted = filterTypes(portion.found, types);
      if (wanted.length > 0) yield wanted;
      const last = portion.found.at(-1);
      if (portion.isOver || last === undefined) return;
      next = last.revision + 1;
      left -= wanted.length;
    }
  }
  return {
    portions,
    /** True if one of the ids is in the stream up to that revision. */
    holds: async (
      stream: StreamName,
      through: number,
      ids: readonly string[],
    ): Promise<boolean> => {
      const from = known.through(stream) + 1;
      if (from <= through) {
        for await (const portion of portions(stream, { from })) if (portion.length === 0) break;
      }
      return known.hasAny(stream, ids);
    },
    /** Records an append by this process that ended at revision `last`. */
    grew: known.grew,
    forget: known.forget,
    /** Null for an erased stream and for one without events. */
    last: async (stream: StreamName): Promise<EsdbEvent | null> => {
      const event = await readLast(connection, names.eventsOf(stream));
      return event === undefined || event === 'erased' ? null : storedFrom(stream, event);
    },
    /** Revision of the last event, `none` without events, undefined for an erased stream. */
    revision: async (name: string): Promise<number | 'none' | undefined> => {
      const event = await readLast(connection, name);
      if (event === 'erased') return undefined;
      return event === undefined ? 'none' : Number(event.revision);
    },
  };
};

/** LRU cache of event ids per stream, each from its first event on without a gap. */
const openKnownIds = () => {
  const known = new Map<StreamName, KnownIds>();
  let count = 0;
  const forget = (stream: StreamName): void => {
    count -= known.get(stream)?.ids.size ?? 0;
    known.delete(stream);
  };
  const remember = (stream: StreamName, ids: KnownIds): void => {
    forget(stream);
    known.set(stream, ids);
    count += ids.ids.size;
    for (const oldest of known.keys()) {
      if (count <= idsMax || oldest === stream) break;
      forget(oldest);
    }
  };
  const grew = (stream: StreamName, last: number, ids: readonly string[]): void => {
    const first = last - ids.length + 1;
    const cached = known.get(stream);
    if (first === 0) remember(stream, { through: last, ids: new Set(ids) });
    else if (cached !== undefined && cached.through === first - 1) {
      ids.forEach((id) => cached.ids.add(id));
      count += ids.length;
      cached.through = last;
    }
  };
  return {
    forget,
    grew,
    learn: (stream: StreamName, found: readonly EsdbEvent[]): void => {
      const [first, last] = [found[0], found.at(-1)];
      if (first === undefined || last === undefined) return;
      const ids = found.map(({ id }) => id);
      if (first.revision === 0) remember(stream, { through: last.revision, ids: new Set(ids) });
      else grew(stream, last.revision, ids);
    },
    /** Last revision up to which ids are known, -1 without any. */
    through: (stream: StreamName): number => known.get(stream)?.through ?? -1,
    hasAny: (stream: StreamName, ids: readonly string[]): boolean => {
      const cached = known.get(stream);
      return cached !== undefined && ids.some((id) => cached.ids.has(id));
    },
  };
};

/** Reads one portion from a revision on; `isOver` when the stream ends with it. */
const readPortion = async (
  { client, read }: Connection,
  { stream, name, from }: { readonly stream: StreamName; readonly name: string; from: number },
  types: readonly string[] | undefined,
  limit: number,
) => {
  const portion = { found: [] as EsdbEvent[], isOver: true };
  const outcome = await read(
    () => client.readStream(name, { fromRevision: BigInt(from), requiresLeader: true }),
    () => {
      portion.found = [];
      portion.isOver = true;
      let bytes = 0;
      let wanted = 0;
      return ({ event }) => {
        const stored = event === undefined ? null : storedFrom(stream, event);
        if (stored === null) return true;
        portion.found.push(stored);
        bytes += stored.bytes;
        wanted += filterTypes([stored], types).length;
        portion.isOver = bytes < portionBytesMax && wanted < limit;
        return portion.isOver;
      };
    },
  );
  return { ...portion, outcome };
};

const readLast = async (
  { client, read }: Connection,
  name: string,
): Promise<RecordedEvent | undefined | 'erased'> => {
  const found = { event: undefined as RecordedEvent | undefined };
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
        found.event = event;
        return true;
      },
  );
  return outcome === 'erased' ? outcome : found.event;
};

const filterTypes = (found: readonly EsdbEvent[], types: readonly string[] | undefined) =>
  types === undefined ? found : found.filter(({ type }) => types.includes(type));
