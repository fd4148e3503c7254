import type { EventReader, StreamName } from '../../kernel/ports.js';
import type { EventLoopShare } from '../node/event-loop-share.js';
import type { Database } from './database.js';

/** Names read per step: a millisecond. */
const stepNames = 1_000;
/** Cost of a name, in characters of an event, by which event-loop time is shared. */
const nameCost = 100;

type StreamRow = { readonly name: StreamName; readonly isErased: 0 | 1 };

/**
 * Lists stream names in order (cursor pagination by name). An erased stream keeps its events'
 * envelopes, so it is skipped here, and other reads run between two steps. `checkOpen` throws once
 * the reader is closed.
 */
export const openStreamList = (
  database: Database,
  checkOpen: () => unknown,
  loopShare: EventLoopShare,
): EventReader['streams'] => {
  const statement = database.prepare<[string, string, number], StreamRow>(
    `SELECT stream AS name, stream IN (SELECT stream FROM erased) AS isErased
     FROM events WHERE stream > ? AND stream < ? AND rev = 0 ORDER BY stream LIMIT ? + 0`,
  );
  return async (prefix, after, limit) => {
    const found: StreamName[] = [];
    let from: string = after ?? prefix;
    for (let step = Math.min(limit, stepNames); found.length < limit; step = stepNames) {
      const { names } = await loopShare.run(() => {
        checkOpen();
        const some = statement.all(from, `${prefix}\u{10FFFF}`, step);
        return { names: some, cost: some.length * nameCost };
      });
      for (const { name, isErased } of names) {
        if (isErased === 0 && found.length < limit) found.push(name);
      }
      from = names.at(-1)?.name ?? from;
      if (names.length < step) break;
    }
    return found;
  };
};
