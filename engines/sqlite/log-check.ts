import { existsSync, statSync } from 'node:fs';
import { reasonOf } from '../../kernel/fault.js';
import { isMarkedDamaged } from '../node/broken-files.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { highWaterTrouble, openSums } from './event-sums.js';
import type { Damage } from './log-orders.js';
import { isUnmarked, scan, type BadPlace, type ScannedRows, type WholeRow } from './log-scan.js';
import { logFile, openForReading } from './log-schema.js';
import { isOfIndex, openIndexLook, structureOf } from './log-structure.js';

/** A file of this size is checked in a tenth of a second. */
const wholeBytesMax = 16 * 1024 * 1024;
/** Of one piece of the check in the running service: some milliseconds. */
const pieceMax = { events: 100, bytes: 512 * 1024 };
/** A log is looked through about once in this time, the larger the more steadily. */
const passMs = 86_400_000;
/** Between two pieces. After a start the pieces follow each other closely for a while. */
const restMsMin = 5;
const restMsMax = 1_000;
const hurryForMs = 5_000;

/**
 * Checks a log before anything is decided from it: its structure, its indexes and each event. Only
 * a small one, or one that was found damaged before; of others null is answered, and `openCheck`
 * finds it out. Null: nothing is wrong.
 */
export const damageAtStart = (dir: string): Damage | null => {
  const file = logFile(dir);
  if (!existsSync(file)) return null;
  if (statSync(file).size > wholeBytesMax && !isMarkedDamaged(file)) return null;
  return said(() => {
    const database = openForReading(dir);
    try {
      return isEmpty(database) ? null : damageIn(database);
    } finally {
      database.close();
    }
  });
};

const damageIn = (database: Database): Damage | null => {
  const structure = structureOf(database);
  let bad: BadPlace | undefined;
  let hidden: BadPlace | undefined;
  const indexed = structure === null ? () => [] : openIndexLook(database);
  for (const { rows, unreadable } of scan(database, 0)) {
    bad ??= unreadable[0];
    hidden ??= indexed(rows)[0] ?? unreadable.find(isUnmarked);
  }
  const hidesEvents = structure?.isOfIndexes === true || hidden !== undefined;
  if (bad !== undefined) return { cause: placeOf(bad), hidesEvents };
  return structure === null ? null : { cause: structure.trouble, hidesEvents };
};

/** No service has written to it yet. */
const isEmpty = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).get() === undefined;

export type Checked = { readonly damage: Damage | null; readonly restMs: number };

/**
 * Looks through the log again and again, a piece at each call, on the writer's connection: each
 * event against its checksum and its digest, and each index against the events. Events without a
 * checksum get theirs. The caller waits `restMs` between two calls, so that appends go on.
 */
export const openCheck = (database: Database): (() => Checked) => {
  const began = performance.now();
  const indexed = openIndexLook(database);
  const fill = filling(database);
  let pieces = scan(database, 0, pieceMax);
  let passBegan = began;
  const restMs = (piece: ScannedRows | null): number => {
    const now = performance.now();
    if (piece === null) return Math.max(restMsMax, passBegan + passMs - now);
    if (now - began < hurryForMs) return restMsMin;
    const left = Math.ceil((piece.end - piece.through) / pieceMax.events);
    const perPiece = (passBegan + passMs - now) / Math.max(1, left);
    return Math.min(restMsMax, Math.max(restMsMin, perPiece));
  };
  const step = (): Checked => {
    const mark = highWaterTrouble(database);
    if (mark !== null) return { damage: { cause: mark, hidesEvents: false }, restMs: restMsMax };
    const next = pieces.next();
    if (next.done === true) {
      const rest = restMs(null);
      pieces = scan(database, 0, pieceMax);
      passBegan = performance.now() + rest;
      return { damage: null, restMs: rest };
    }
    const { rows, unreadable } = next.value;
    const [first] = [...unreadable, ...indexed(rows)];
    if (first === undefined) fill(rows);
    return { damage: first === undefined ? null : damageOf(first), restMs: restMs(next.value) };
  };
  return () => {
    let checked: Checked = { damage: null, restMs: restMsMax };
    const damage = said(() => {
      checked = step();
      return checked.damage;
    });
    return { ...checked, damage };
  };
};

/** Checksums for events that have none; a full disk or a busy file leaves them to the next pass. */
const filling = (database: Database) => {
  const add = openSums(database);
  return (rows: readonly WholeRow[]): void => {
    const unsummed = rows.filter(({ sum }) => sum === null);
    if (unsummed.length === 0) return;
    try {
      database.transaction('immediate', () => unsummed.forEach(add));
    } catch (error) {
      if (isDamage(error)) throw error;
    }
  };
};

const placeOf = ({ position, why }: BadPlace): string => `position ${position}: ${why}`;

const damageOf = (bad: BadPlace): Damage => ({
  cause: placeOf(bad),
  hidesEvents: isOfIndex(bad) || isUnmarked(bad),
});

/** The damage that `look` answers, or that SQLite throws at it: then no index can be trusted. */
const said = (look: () => Damage | null): Damage | null => {
  try {
    return look();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { cause: reasonOf(error), hidesEvents: true };
  }
};
