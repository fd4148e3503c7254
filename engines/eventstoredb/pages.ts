import { boundedMap } from '../../kernel/bounded-map.js';
import { start, type Position } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { ErasedStreams } from './erased-streams.js';
import type { Names } from './names.js';
import { placeOf, storedFrom, type Place, type Stored } from './stored-event.js';

/** A page ends early once it holds this much, so that huge events do not pile up in memory. */
const pageBytesMax = 8 * 1024 * 1024;
const eventOverheadBytes = 1_024;
/** Events of the server asked for at once when those of others lie between ours. */
const stepMax = 1_000;
/** Places remembered from where on nothing of ours came. */
const quietMax = 16;

type Needs = {
  readonly connection: Connection;
  readonly names: Names;
  readonly erased: ErasedStreams;
  /** The log's head is at least here. */
  readonly seen: (position: Position) => void;
};

/** Events that were not erased, up to `through`. */
export type StoredPage = { readonly stored: readonly Stored[]; readonly through: Position };

/**
 * The log in the order of everything on the server. What is not ours is passed over, and how far is
 * remembered, so that a reader at the end does not pass it again and again. `kept` may spare a
 * question to the server.
 */
export const openPages = ({ connection, names, erased, seen }: Needs) => {
  const { client, read } = connection;
  const quiet = boundedMap<Position, Place>(quietMax);

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

  return async (after: Position, limit: number, kept: readonly Stored[]): Promise<StoredPage> => {
    const [found] =
      kept.length > 0
        ? [within(kept, limit)]
        : await Promise.all([fetch(after, limit), erased.refresh()]);
    return {
      stored: found.filter(({ stream }) => !erased.has(stream)),
      through: found.at(-1)?.position ?? after,
    };
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
