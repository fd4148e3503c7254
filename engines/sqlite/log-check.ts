import { existsSync, statSync } from 'node:fs';
import { redactedReason } from '../../kernel/fault.js';
import { isMarkedDamaged } from '../node/file-quarantine.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { highWaterDamage, openChecksumWriter } from './event-checksums.js';
import type { LogDamage } from './log-orders.js';
import {
  isUnlisted,
  scanLog,
  type DamagedPosition,
  type ScannedRows,
  type FullEventRow,
} from './log-scan.js';
import { logFile, openForReading } from './log-schema.js';
import { isOfLookUp, openIndexCheck, checkStructure } from './log-structure.js';

/** Largest file that is checked whole at start: a tenth of a second. */
const wholeBytesMax = 16 * 1024 * 1024;
/** Size of a piece of the background check: some milliseconds. */
const pieceMax = { events: 100, bytes: 512 * 1024 };
/** Time of one pass over the log; a larger log is read more steadily. */
const passMs = 86_400_000;
/** Pauses between two pieces. After a start the pieces follow each other closely for a while. */
const pauseMsMin = 5;
const pauseMsMax = 1_000;
const hurryForMs = 5_000;

/**
 * Checks a log before any decision reads it: its schema, its structure, its indexes and each event.
 * A large log without a mark of damage has only its schema checked, and
 * `openIncrementalCheck` finds other damage later. Null when intact. Throws Fault `unavailable` for
 * the layout of a newer build.
 */
export const damageAtStart = (dir: string): LogDamage | null => {
  const file = logFile(dir);
  if (!existsSync(file)) return null;
  const isWhole = statSync(file).size <= wholeBytesMax || isMarkedDamaged(file);
  return catchDamage(() => {
    const database = openForReading(dir);
    try {
      return isWhole && !isEmpty(database) ? findDamage(database) : null;
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
    hidden ??= indexed(rows)[0] ?? unreadable.find(isUnlisted);
  }
  const hidesEvents = structure?.isOfIndexes === true || hidden !== undefined;
  if (bad !== undefined) return { cause: describePosition(bad), hidesEvents };
  return structure === null ? null : { cause: structure.problem, hidesEvents };
};

/** True while no service has written to it. */
const isEmpty = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'events'`).get() === undefined;

type CheckResult = { readonly damage: LogDamage | null; readonly pauseMs: number };

/**
 * Background check that reads the log again and again, a piece per call, on the writer's
 * connection: each event against its checksum and its digest, and each index against the events. It
 * adds missing checksums. The caller waits `pauseMs` between two calls, so that appends go on.
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

/** Adds checksums to events without one; after a full disk or a busy file the next pass does. */
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
  hidesEvents: isOfLookUp(bad) || isUnlisted(bad),
});

/** Damage returned by `find`, or thrown by SQLite in it: then no index can be trusted. */
const catchDamage = (find: () => LogDamage | null): LogDamage | null => {
  try {
    return find();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { cause: redactedReason(error), hidesEvents: true };
  }
};
