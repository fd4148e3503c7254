import { sharedLooks } from '../../kernel/turns.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Page, Position, Recorded, Decode } from '../../kernel/ports.js';
import { start } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { openErasedStreams } from './erased-streams.js';
import type { Names } from './names.js';
import { placeOf, positionOf, recordedFrom, storedFrom, type Stored } from './stored-event.js';

/** A page ends early once it holds this much, so that huge events do not pile up in memory. */
const pageBytesMax = 8 * 1024 * 1024;
const eventOverheadBytes = 1_024;
/** Events of the server asked for at once when those of others lie between ours. */
const stepMax = 1_000;
/** Places remembered from where on nothing of ours came. */
const quietMax = 16;

type Place = { readonly commit: bigint; readonly prepare: bigint };
type Needs = {
  readonly connection: Connection;
  readonly names: Names;
  readonly erased: ReturnType<typeof openErasedStreams>;
  readonly decode: Decode;
};

/**
 * The log in the order of everything on the server. What is not ours is passed over, and how far is
 * remembered, so that a reader at the end does not pass it again and again.
 */
export const openPages = ({ connection, names, erased, decode }: Needs) => {
  const { client, read } = connection;
  /**
   * The newest event of ours that anybody here has seen, and up to where there is none after it.
   */
  let newest: Position = start;
  let clear = -1n;
  const quiet = boundedMap<Position, Place>(quietMax);

  const seen = (position: Position): void => {
    if (position > newest) newest = position;
  };
  const isOurs = (streamId: string, type: string): boolean =>
    names.streamOf(streamId) !== null && !type.startsWith('$');

  /**
   * Looks backwards from the end until it meets something of ours, or what is known to be quiet.
   */
  const look = async (): Promise<Position> => {
    let from: Place | 'end' = 'end';
    let end: bigint | null = null;
    for (let step = 4; ; step = Math.min(stepMax, step * 4)) {
      const floor = placeOf(newest).commit;
      const found = await stepBack(from, step, clear > floor ? clear : floor);
      end ??= found.end;
      if (found.ours !== null) seen(found.ours);
      if (found.ours !== null || found.isOver) {
        if (end !== null && end > clear) clear = end;
        return newest;
      }
      from = found.place ?? from;
    }
  };
  const stepBack = async (from: Place | 'end', step: number, floor: bigint) => {
    const found = {
      ours: null as Position | null,
      isOver: true,
      place: null as Place | null,
      end: null as bigint | null,
    };
    await read(
      () =>
        client.readAll({
          direction: 'backwards',
          fromPosition: from,
          maxCount: step,
          requiresLeader: true,
        }),
      () => {
        let count = 0;
        found.isOver = true;
        return ({ event }) => {
          count += 1;
          found.isOver = count < step;
          if (event === undefined) return true;
          found.end ??= event.position.commit;
          found.place = event.position;
          if (event.position.commit <= floor) {
            found.isOver = true;
            return false;
          }
          if (!isOurs(event.streamId, event.type)) return true;
          found.ours = positionOf(event.position.commit);
          return false;
        };
      },
    );
    return found;
  };

  /** The data of those that lie in parts; an event whose parts are gone was erased. */
  const whole = async (stored: Stored): Promise<Stored | null> => {
    const { parts } = stored;
    if (parts === null) return stored;
    const first = Math.min(...parts);
    const bytes = new Map<number, Uint8Array>();
    const outcome = await read(
      () =>
        client.readStream(names.parts(stored.stream), {
          fromRevision: BigInt(first),
          maxCount: Math.max(...parts) - first + 1,
          requiresLeader: true,
        }),
      () =>
        ({ event }) => {
          if (event !== undefined) bytes.set(Number(event.revision), event.data as Uint8Array);
          return true;
        },
    );
    if (outcome !== 'read') return null;
    const text = Buffer.concat(parts.map((part) => bytes.get(part) ?? new Uint8Array()));
    return { ...stored, data: JSON.parse(text.toString('utf8')) as unknown };
  };

  const recorded = async (found: readonly Stored[]): Promise<readonly Recorded[]> => {
    const all = await Promise.all(found.map(whole));
    return all.flatMap((stored) => (stored === null ? [] : [recordedFrom(stored, decode)]));
  };

  /** Events of ours after `after`, at most `limit`, from the server. */
  const fetch = async (after: Position, limit: number): Promise<Stored[]> => {
    const found: Stored[] = [];
    let bytes = 0;
    let from: Place | 'start' = quiet.get(after) ?? (after === start ? 'start' : placeOf(after));
    for (;;) {
      // A step begins with the event that the one before ended with.
      const known = found.length;
      const step = Math.min(stepMax, limit - known + (from === 'start' ? 0 : 1));
      let count = 0;
      const place = { last: null as Place | null };
      const knownBytes = bytes;
      await read(
        () => client.readAll({ fromPosition: from, maxCount: step, requiresLeader: true }),
        () => {
          count = 0;
          bytes = knownBytes;
          found.length = known;
          return ({ event }) => {
            count += 1;
            if (event === undefined) return true;
            if (from !== 'start' && event.position.commit <= from.commit) return true;
            place.last = event.position;
            const stream = names.streamOf(event.streamId);
            const stored = stream === null ? null : storedFrom(stream, event);
            if (stored === null) return true;
            found.push(stored);
            seen(stored.position);
            bytes += stored.bytes + eventOverheadBytes;
            return bytes < pageBytesMax;
          };
        },
      );
      if (place.last !== null) from = place.last;
      const isFull = found.length >= limit || bytes >= pageBytesMax;
      if (isFull || count < step) break;
    }
    const through = found.at(-1)?.position ?? after;
    if (from !== 'start' && from.commit > placeOf(through).commit) quiet.set(through, from);
    return found;
  };

  return {
    head: sharedLooks(look),
    seen,
    newest: () => newest,
    recorded,
    page: async (
      after: Position,
      limit: number,
      types: readonly string[] | undefined,
      kept: readonly Stored[],
    ): Promise<Page> => {
      const [found] =
        kept.length > 0
          ? [within(kept, limit)]
          : await Promise.all([fetch(after, limit), erased.refresh()]);
      const wanted = found.filter(
        ({ stream, type }) => !erased.has(stream) && (types === undefined || types.includes(type)),
      );
      return { events: await recorded(wanted), through: found.at(-1)?.position ?? after };
    },
  };
};

const within = (kept: readonly Stored[], limit: number): readonly Stored[] => {
  let bytes = 0;
  let count = 0;
  for (const stored of kept) {
    if (count === limit || bytes >= pageBytesMax) break;
    bytes += stored.bytes + eventOverheadBytes;
    count += 1;
  }
  return kept.slice(0, count);
};
