import { Fault, redactedReason } from '../../kernel/fault.js';
import type { EventReader, Position } from '../../kernel/ports.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { scanLog, type DamagedPosition } from './log-scan.js';
import { posOf, positionOf } from './log-schema.js';
import { checkStructure } from './log-structure.js';

/** Hint that a reader met damage right after this position: whoever writes looks for itself. */
export const damagedSubject = 'log.damaged';

/** Hint that an index of the log is damaged, and why. */
export const indexDamagedSubject = 'log.hidden';

export const indexDamageFault = (cause: string): Fault =>
  unlocatedDamageFault(`an index may hide events (${cause})`);

/** Of a row that is not what its digest was made of. */
export const damagedRowFault = (position: Position, why: string): Fault =>
  new Fault('log-damaged', `The log is damaged at position ${position}: ${why}`);

/** Of damage that is not at an event that can be named. */
export const unlocatedDamageFault = (why: string, cause?: unknown): Fault =>
  new Fault('log-damaged', `The log is damaged; no position can be told: ${why}`, { cause });

/** Told at each time that a question meets damage; `before` it, where that is known. */
export type ReportDamage = (cause: string, before: Position | null) => void;
type DamagePlace = { readonly before: Position; readonly said: string };

/** The structure of a file of this size is checked in half a second. */
const checkedBytesMax = 64 * 1024 * 1024;

/**
 * The reader, whose questions fail with Fault `log-damaged` where they meet damage. The message
 * says at which positions that is; or that none can be told, and why: another part of the file is
 * damaged.
 */
export const withDamageFaults = (
  reader: EventReader,
  database: Database,
  damaged: ReportDamage,
): EventReader => {
  let unplaced: string | null = null;
  const judged = (error: unknown, after: Position | null): unknown => {
    const isBad = error instanceof Fault && error.code === 'log-damaged';
    if (!isBad && !isDamage(error)) return error;
    const place = isBad
      ? placeInMessage(error)
      : after === null
        ? null
        : firstDamaged(database, after);
    if (place !== null) {
      damaged(place.said, place.before);
      return isBad ? error : new Fault('log-damaged', `The log is damaged: ${place.said}`);
    }
    unplaced ??= isBad ? null : damagedPart(database, error);
    const fault = isBad ? error : unlocatedDamageFault(String(unplaced), error);
    damaged(fault.message, null);
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
    waitForGrowth: (...asked) => watched(reader.waitForGrowth(...asked)),
  };
};

/** The place that the message of `damagedRowFault` names; null: it is another one. */
const placeInMessage = ({ message }: Fault): DamagePlace | null => {
  const [, position, why] = /at position ([0-9a-f]{16}): (.*)$/.exec(message) ?? [];
  if (position === undefined) return null;
  const before = justBefore(position as Position);
  return { before, said: `position ${position}: ${why}` };
};

/** Positions of this log have no gaps. */
const justBefore = (position: Position): Position => positionOf(Math.max(0, posOf(position) - 1));

/** The next positions after it that cannot be read; null: all of them can be. */
const firstDamaged = (database: Database, after: Position): DamagePlace | null => {
  try {
    for (const { unreadable, end } of scanLog(database, posOf(after))) {
      const [first] = unreadable;
      if (first === undefined) continue;
      const before = justBefore(first.position);
      const isOpen = end === Infinity;
      return { before, said: `${rangeOf(unreadable, isOpen)}: ${first.why}` };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return null;
};

/** The first of them, and those that follow it without a gap. */
const rangeOf = (bad: readonly DamagedPosition[], isOpen: boolean): string => {
  const [first = { position: positionOf(0) }] = bad;
  let last = posOf(first.position);
  for (const { position } of bad) if (posOf(position) === last + 1) last += 1;
  if (isOpen) return `position ${first.position} and those after it`;
  if (last === posOf(first.position)) return `position ${first.position}`;
  return `position ${first.position} to ${positionOf(last)}`;
};

/** What is damaged where each event can be read: an index, a list of erased streams, free pages. */
const damagedPart = (database: Database, error: unknown): string => {
  try {
    const [pages, size] = ['page_count', 'page_size'].map((name) => Number(database.pragma(name)));
    const isSmall = (pages ?? 0) * (size ?? 0) <= checkedBytesMax;
    const structure = isSmall ? checkStructure(database) : null;
    if (structure !== null) return structure.trouble;
  } catch (second) {
    if (!isDamage(second)) throw second;
  }
  return `it is not at an event, but in an index or a list (${redactedReason(error)})`;
};
