import { existsSync, statSync } from 'node:fs';
import { redactedReason } from '../../kernel/fault.js';
import { isMarkedDamaged } from '../node/file-quarantine.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { highWaterDamage, openChecksumWriter } from './event-checksums.js';
import type { LogDamage } from './log-orders.js';
import {
  isUnmarked,
  scanLog,
  type DamagedPosition,
  type ScannedRows,
  type FullEventRow,
} from './log-scan.js';
import { logFile, openForReading } from './log-schema.js';
import { isOfIndex, openIndexCheck, checkStructure } from './log-structure.js';

/** A file of this size is checked in a tenth of a second. */
const wholeBytesMax = 16 * 1024 * 1024;
/** Of one piece of the check in the running service: some milliseconds. */
const pieceMax = { events: 100, bytes: 512 * 1024 };
/** A log is looked through about once in this time, the larger the more steadily. */
const passMs = 86_400_000;
/** Between two pieces. After a start the pieces follow each other closely for a while. */
const pauseMsMin = 5;
const pauseMsMax = 1_000;
const hurryForMs = 5_000;

/**
 * Checks a log before anything is decided from it: its structure, its indexes and each event. Only
 * a small one, or one that was found damaged before; of others null is answered, and
 * `openIncrementalCheck` finds it out. Null: nothing is wrong.
 */
export const damageAtStart = (dir: string): LogDamage | null => {
  const file = logFile(dir);
  if (!existsSync(file)) return null;
  if (statSync(file).size > wholeBytesMax && !isMarkedDamaged(file)) return null;
  return catchDamage(() => {
    const database = openForReading(dir);
    try {
      return isEmpty(database) ? null : findDamage(database);
    } finally {
      database.close();
    }
  });
};

const findDamage = (database: Database): LogDamage | null => {
  const structure = checkStructure(database);
  let bad: DamagedPosition | undefined;
  let hidden: DamagedPosition | undefined;
  const indexed = structure === null ? () => [] : openIndexCheck(database);
  for (const { rows, unreadable } of scanLog(database, 0)) {
    bad ??= unreadable[0];
    hidden ??= indexed(rows)[0] ?? unreadable.find(isUnmarked);
  }
  const hidesEvents = structure?.isOfIndexes === true || hidden !== undefined;
  if (bad !== undefined) return { cause: describePosition(bad), hidesEvents };
  return structure === null ? null : { cause: structure.trouble, hidesEvents };
};

/** No service has written to it yet. */
const isEmpty = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).get() === undefined;

type CheckResult = { readonly damage: LogDamage | null; readonly pauseMs: number };

/**
 * Looks through the log again and again, a piece at each call, on the writer's connection: each
 * event against its checksum and its digest, and each index against the events. Events without a
 * checksum get theirs. The caller waits `pauseMs` between two calls, so that appends go on.
 */
export const openIncrementalCheck = (database: Database): (() => CheckResult) => {
  const began = performance.now();
  const indexed = openIndexCheck(database);
  const fill = openChecksumFill(database);
  let pieces = scanLog(database, 0, pieceMax);
  let passBegan = began;
  const restMs = (piece: ScannedRows | null): number => {
    const now = performance.now();
    if (piece === null) return Math.max(pauseMsMax, passBegan + passMs - now);
    if (now - began < hurryForMs) return pauseMsMin;
    const left = Math.ceil((piece.end - piece.through) / pieceMax.events);
    const perPiece = (passBegan + passMs - now) / Math.max(1, left);
    return Math.min(pauseMsMax, Math.max(pauseMsMin, perPiece));
  };
  const step = (): CheckResult => {
    const mark = highWaterDamage(database);
    if (mark !== null) return { damage: { cause: mark, hidesEvents: false }, pauseMs: pauseMsMax };
    const next = pieces.next();
    if (next.done === true) {
      const rest = restMs(null);
      pieces = scanLog(database, 0, pieceMax);
      passBegan = performance.now() + rest;
      return { damage: null, pauseMs: rest };
    }
    const { rows, unreadable } = next.value;
    const [first] = [...unreadable, ...indexed(rows)];
    if (first === undefined) fill(rows);
    return { damage: first === undefined ? null : damageOf(first), pauseMs: restMs(next.value) };
  };
  return () => {
    let checked: CheckResult = { damage: null, pauseMs: pauseMsMax };
    const damage = catchDamage(() => {
      checked = step();
      return checked.damage;
    });
    return { ...checked, damage };
  };
};

/** Checksums for events that have none; a full disk or a busy file leaves them to the next pass. */
const openChecksumFill = (database: Database) => {
  const add = openChecksumWriter(database);
  return (rows: readonly FullEventRow[]): void => {
    const unsummed = rows.filter(({ sum }) => sum === null);
    if (unsummed.length === 0) return;
    try {
      database.transaction('immediate', () => unsummed.forEach(add));
    } catch (error) {
      if (isDamage(error)) throw error;
    }
  };
};

const describePosition = ({ position, why }: DamagedPosition): string =>
  `position ${position}: ${why}`;

const damageOf = (bad: DamagedPosition): LogDamage => ({
  cause: describePosition(bad),
  hidesEvents: isOfIndex(bad) || isUnmarked(bad),
});

/** The damage that `look` answers, or that SQLite throws at it: then no index can be trusted. */
const catchDamage = (look: () => LogDamage | null): LogDamage | null => {
  try {
    return look();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { cause: redactedReason(error), hidesEvents: true };
  }
};
