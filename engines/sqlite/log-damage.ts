import { Fault, redactedReason } from '../../kernel/fault.js';
import { mapMethods } from '../../kernel/map-methods.js';
import { eventReads, type EventReader, type Position } from '../../kernel/ports.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { scanLog, type DamagedPosition } from './log-scan.js';
import { posOf, positionOf } from './log-schema.js';
import { checkStructure } from './log-structure.js';

/**
 * Notification that a reader found damage right after this position: the writer checks it itself.
 */
export const damagedSubject = 'log.damaged';

/** Notification that an index of the log is damaged, and why. */
export const indexDamagedSubject = 'log.hidden';

export const indexDamageFault = (cause: string): Fault =>
  unlocatedDamageFault(`an index may hide events (${cause})`);

/** Fault of a row that does not match its digest. */
export const damagedRowFault = (position: Position, why: string): Fault =>
  new Fault('log-damaged', `The log is damaged at position ${position}: ${why}`);

/** Fault of damage that is not at a known event. */
export const unlocatedDamageFault = (why: string, cause?: unknown): Fault =>
  new Fault('log-damaged', `The log is damaged; the position is unknown: ${why}`, { cause });

/** Called at each read that finds damage; `before` is the position before it, when known. */
export type ReportDamage = (cause: string, before: Position | null) => void;
type DamagePlace = { readonly before: Position; readonly text: string };

/** Largest file whose structure is checked: half a second. */
const checkedBytesMax = 64 * 1024 * 1024;

/**
 * Wraps a reader: reads that find damage fail with Fault `log-damaged`. Its message names the
 * damaged positions; or says that none is known, and which other part of the file is damaged.
 */
export const withDamageFaults = (
  reader: EventReader,
  database: Database,
  damaged: ReportDamage,
): EventReader => {
  let unplaced: string | null = null;
  const faultOf = (error: unknown, after: Position | null): unknown => {
    const isBad = error instanceof Fault && error.code === 'log-damaged';
    if (!isBad && !isDamage(error)) return error;
    const place = isBad
      ? placeInMessage(error)
      : after === null
        ? null
        : firstDamaged(database, after);
    if (place !== null) {
      damaged(place.text, place.before);
      return isBad ? error : new Fault('log-damaged', `The log is damaged: ${place.text}`);
    }
    unplaced ??= isBad ? null : damagedPart(database, error);
    const fault = isBad ? error : unlocatedDamageFault(String(unplaced), error);
    damaged(fault.message, null);
    return fault;
  };
  return mapMethods(
    reader,
    [...eventReads, 'waitForGrowth'],
    async (call, { name, values: [position] }) => {
      try {
        return await call();
      } catch (error) {
        throw faultOf(error, readsAfter.get(name)?.(position as Position) ?? null);
      }
    },
    ['portions'],
  );
};

/** Positions after which calls read, by those that they have. */
const readsAfter = new Map<string, (position: Position) => Position>([
  ['page', (position) => position],
  ['evidence', (position) => position],
  ['evidenceAt', (position) => justBefore(position)],
]);

/** Position in a message of `damagedRowFault`; null for other messages. */
const placeInMessage = ({ message }: Fault): DamagePlace | null => {
  const [, position, why] = /at position ([0-9a-f]{16}): (.*)$/.exec(message) ?? [];
  if (position === undefined) return null;
  const before = justBefore(position as Position);
  return { before, text: `position ${position}: ${why}` };
};

/** Positions of this log have no gaps. */
const justBefore = (position: Position): Position => positionOf(Math.max(0, posOf(position) - 1));

/** First unreadable positions after the given one; null when all are readable. */
const firstDamaged = (database: Database, after: Position): DamagePlace | null => {
  try {
    for (const { unreadable, end } of scanLog(database, posOf(after))) {
      const [first] = unreadable;
      if (first === undefined) continue;
      const before = justBefore(first.position);
      const isOpen = end === Infinity;
      return { before, text: `${rangeOf(unreadable, isOpen)}: ${first.why}` };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return null;
};

/** Range of the first position and those that follow it without a gap. */
const rangeOf = (bad: readonly DamagedPosition[], isOpen: boolean): string => {
  const [first = { position: positionOf(0) }] = bad;
  let last = posOf(first.position);
  for (const { position } of bad) if (posOf(position) === last + 1) last += 1;
  if (isOpen) return `position ${first.position} and those after it`;
  if (last === posOf(first.position)) return `position ${first.position}`;
  return `position ${first.position} to ${positionOf(last)}`;
};

/**
 * Damaged part of a file whose events are all readable: an index, the list of erased streams, free
 * pages.
 */
const damagedPart = (database: Database, error: unknown): string => {
  try {
    const [pages, size] = ['page_count', 'page_size'].map((name) => Number(database.pragma(name)));
    const isSmall = (pages ?? 0) * (size ?? 0) <= checkedBytesMax;
    const structure = isSmall ? checkStructure(database) : null;
    if (structure !== null) return structure.problem;
  } catch (second) {
    if (!isDamage(second)) throw second;
  }
  return `it is not at an event, but in an index or a list (${redactedReason(error)})`;
};
