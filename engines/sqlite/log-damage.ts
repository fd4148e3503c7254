import type Database from 'better-sqlite3';
import { Fault } from '../../kernel/fault.js';
import type { EventReader, Position } from '../../kernel/ports.js';
import { isDamage } from './document-damage.js';
import { scan } from './log-scan.js';
import { posOf, positionOf } from './log-schema.js';

/** Hint that a reader met damage right after this position: whoever writes looks for itself. */
export const damagedSubject = 'log.damaged';

/** Of a row that is not what its digest was made of. */
export const badRow = (position: Position, why: string): Fault =>
  new Fault('log-damaged', `The log is damaged at position ${position}: ${why}`);

/** Told at each time that a question meets damage; `before` it, where that is known. */
export type TellDamage = (cause: string, before: Position | null) => void;
type Place = { readonly before: Position; readonly said: string };

/**
 * The reader, whose questions fail with Fault `log-damaged` where they meet damage, and say at
 * which position that is when they read in log order.
 */
export const sayingDamage = (
  reader: EventReader,
  database: Database.Database,
  damaged: TellDamage,
): EventReader => {
  const judged = (error: unknown, after: Position | null): unknown => {
    const isBad = error instanceof Fault && error.code === 'log-damaged';
    if (!isBad && !isDamage(error)) return error;
    const place = after === null ? null : firstBad(database, after);
    const fault = isBad ? error : badLog(place?.said ?? String(error), error);
    damaged(place?.said ?? fault.message, place?.before ?? null);
    return fault;
  };
  const watched = async <T>(work: Promise<T>, after: Position | null = null): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw judged(error, after);
    }
  };
  return {
    ...reader,
    read: (...asked) => watched(reader.read(...asked)),
    portions: async function* portions(...asked) {
      try {
        yield* reader.portions(...asked);
      } catch (error) {
        throw judged(error, null);
      }
    },
    last: (stream) => watched(reader.last(stream)),
    page: (after, ...asked) => watched(reader.page(after, ...asked), after),
    evidence: (after, limit) => watched(reader.evidence(after, limit), after),
    evidenceAt: (position) => watched(reader.evidenceAt(position), justBefore(position)),
    tail: (...asked) => watched(reader.tail(...asked)),
    streams: (...asked) => watched(reader.streams(...asked)),
    head: () => watched(reader.head()),
    lag: (after) => watched(reader.lag(after)),
    grown: (...asked) => watched(reader.grown(...asked)),
  };
};

/** Positions of this log have no gaps. */
const justBefore = (position: Position): Position => positionOf(Math.max(0, posOf(position) - 1));

const badLog = (what: string, cause: unknown): Fault =>
  new Fault('log-damaged', `The log is damaged: ${what}`, { cause });

/** The next position after it that cannot be read; null: none of the next ones. */
const firstBad = (database: Database.Database, after: Position): Place | null => {
  try {
    for (const { unreadable } of scan(database, posOf(after))) {
      const [first] = unreadable;
      if (first === undefined) return null;
      const before = positionOf(posOf(first.position) - 1);
      return { before, said: `position ${first.position}: ${first.why}` };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return null;
};
