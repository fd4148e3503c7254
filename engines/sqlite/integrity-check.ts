import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { Fault, redactedReason } from '../../kernel/fault.js';
import { openDatabase, type Database } from './database.js';
import { checkRows, catalogDamage } from './document-check.js';
import { corruptionError } from './document-checksums.js';
import { isDamage } from './document-damage.js';
import { documentsFile } from './document-store.js';
import { scanLog, type DamagedPosition } from './log-scan.js';
import { lastPosIn, logFile, openForReading, positionOf } from './log-schema.js';
import { openIndexCheck, checkStructure, type StructureDamage } from './log-structure.js';

/** Report of a check of the log, which repairs nothing. */
export type LogFileCheck = {
  readonly version: string;
  /** Null when they are as the service sets them. */
  readonly settings: string | null;
  readonly events: string;
  readonly unreadable: readonly DamagedPosition[];
  /** Damage of the file between its events; null when intact or not checked. */
  readonly structure: StructureDamage | null;
  /** Skipped part of the check, with the reason; null when complete. */
  readonly skipped: string | null;
};

type LogFileCheckOptions = {
  /** Checks only the end of the log, not each event. */
  readonly quick: boolean;
  /** A running service writes to the file: reads must stay short. */
  readonly isHeld: boolean;
  readonly progress: (done: number, total: number) => void;
};

const quickEvents = 10_000;
/** A longer report would say no more. */
const reportedMax = 1_000;
/** Largest file of a running service whose structure is checked: one read of half a second. */
const heldBytesMax = 64 * 1024 * 1024;

/** Checks the file. This process must have no connection to it: see `checkWriteVersion`. */
export const checkLogFile = async (
  dir: string,
  { quick, isHeld, progress }: LogFileCheckOptions,
): Promise<LogFileCheck> => {
  const version = String(openDatabase(':memory:').prepareValue('SELECT sqlite_version()').get());
  try {
    checkWriteVersion(logFile(dir));
    const database = openForReading(dir);
    try {
      return { version, ...(await checkOpenLog(dir, database, { quick, isHeld, progress })) };
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isDamage(error) && !isOtherFormat(error)) throw error;
    const problem = redactedReason(error);
    const structure = { problem, isOfIndexes: false, isIndexOnly: false };
    return { version, settings: null, events: '', unreadable: [], structure, skipped: null };
  }
};

/** True for a layout of this service or a format of SQLite that is newer, or damaged. */
const isOtherFormat = (error: unknown): boolean =>
  error instanceof Fault ||
  (error instanceof Error && 'code' in error && error.code === 'SQLITE_ERROR');

/** Byte of SQLite's header that says how the file may be written; 2: with a write-ahead log. */
const writeVersionAt = 18;
const writeVersionMax = 2;

/**
 * Throws for a file that SQLite reads but refuses to write, as its format version is damaged. To
 * close a file drops all locks that this process has on it, so no connection may be open.
 */
const checkWriteVersion = (file: string): void => {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const header = Buffer.alloc(1);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header, 0, 1, writeVersionAt);
  } finally {
    closeSync(opened);
  }
  const [version = 0] = header;
  if (version <= writeVersionMax) return;
  throw corruptionError(`malformed database header (write version ${version})`);
};

const checkOpenLog = async (
  dir: string,
  database: Database,
  { quick, isHeld, progress }: LogFileCheckOptions,
): Promise<Omit<LogFileCheck, 'version'>> => {
  const mode = String(database.pragma('journal_mode'));
  const head = lastPosIn(database);
  const unreadable: DamagedPosition[] = [];
  const indexed = openIndexCheck(database);
  let [events, unsummed] = [0, 0];
  for (const piece of scanLog(database, quick ? Math.max(0, head - quickEvents) : 0)) {
    events += piece.rows.length;
    unsummed += piece.rows.filter(({ sum }) => sum === null).length;
    unreadable.push(...piece.unreadable, ...emptyIfDamaged(() => indexed(piece.rows)));
    progress(Math.min(piece.through, head), head);
    if (piece.through >= head || unreadable.length >= reportedMax) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const isTooLarge = isHeld && statSync(logFile(dir)).size > heldBytesMax;
  const without = unsummed === 0 ? '' : `, ${unsummed} of them without a checksum yet`;
  const where = quick ? ' at its end' : '';
  return {
    settings: mode === 'wal' ? null : `journal mode ${mode}`,
    events: `${events} events${where} are as stored${without}, head ${positionOf(head)}`,
    unreadable: unreadable.slice(0, reportedMax),
    structure: quick || isTooLarge ? null : checkStructure(database),
    skipped: isTooLarge ? 'its free pages were not looked at while the service runs' : null,
  };
};

/** The structure check names an index that cannot be read at all. */
const emptyIfDamaged = (find: () => readonly DamagedPosition[]): readonly DamagedPosition[] => {
  try {
    return find();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
};

/** Finds the first event that is not as stored; null when all are. Reads in short pieces. */
export const findDamagedEvent = async (dir: string): Promise<DamagedPosition | null> => {
  const database = openForReading(dir);
  try {
    for (const { unreadable } of scanLog(database, 0)) {
      const [first] = unreadable;
      if (first !== undefined) return first;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return null;
  } finally {
    database.close();
  }
};

type DocumentsFileCheck = {
  readonly summary: string;
  readonly problem: string | null;
  /** A folder has the name of the file, so that no start can set it aside. */
  readonly isFolder: boolean;
};

/** Checks the whole file: its pages and indexes, its schema, and each row. */
const findDocumentsDamage = (database: Database): string | null => {
  const frame = catalogDamage(database);
  if (frame !== null) return frame;
  const found = String(database.pragma('integrity_check(1)'));
  if (found !== 'ok') return found;
  const pieces = checkRows(database, { indexes: false, fills: false });
  while (pieces.next().done !== true);
  return null;
};

export const checkDocumentsFile = (dir: string): DocumentsFileCheck => {
  const file = documentsFile(dir);
  if (!existsSync(file))
    return { summary: 'not there yet: built from the log', problem: null, isFolder: false };
  try {
    const database = openDatabase(file, { readOnly: true });
    try {
      const found = findDocumentsDamage(database);
      const size = `documents.sqlite, ${Math.ceil(statSync(file).size / 1_048_576)} MiB`;
      return { summary: size, problem: found, isFolder: false };
    } finally {
      database.close();
    }
  } catch (error) {
    return { summary: '', problem: redactedReason(error), isFolder: isFolder(error) };
  }
};

const isFolder = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'SQLITE_CANTOPEN_ISDIR';
