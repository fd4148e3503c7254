import { existsSync, statSync } from 'node:fs';
import { projectorStateName } from '../../kernel/documents.js';
import { logStart } from '../../kernel/ports.js';
import { openDatabase, type Database } from './database.js';
import { documentsFile } from './document-store.js';
import { lastPosIn, logFile, openForReading, positionOf } from './log-schema.js';

/** Finding and remedy, for the operator who starts a service on the folder. */
export type LostLog = { readonly found: string; readonly toDo: string };

/**
 * Detects a lost log: the folder's log is missing or empty, while its read models were folded from
 * events; it is not mounted, not restored, or gone. Null when the log has events, whatever its
 * state, or nothing was ever folded. Changes nothing; reads the read models only beside an empty
 * log.
 */
export const findLostLog = (dir: string): LostLog | null => {
  if (hasEvents(dir)) return null;
  const folded = foldedIn(dir);
  if (folded === null) return null;
  const state = existsSync(logFile(dir)) ? 'has no events' : 'is missing';
  return {
    found: `${logFile(dir)} ${state}, yet ${folded}`,
    toDo:
      'put it back with its -wal (see that its volume is mounted), or restore a backup into a ' +
      'new folder: assay restore. To begin anew and lose what was logged, use an empty folder, ' +
      'or move documents.sqlite* and records-v* away from this one',
  };
};

/**
 * Detects a truncated log: read models of the folder were folded from events after its last one.
 * Null when it is not, or one of the two cannot be read.
 */
export const findTruncatedLog = (dir: string): string | null => {
  try {
    const folded = foldedPosition(dir);
    const database = openForReading(dir);
    try {
      const head = positionOf(lastPosIn(database));
      if (folded === null || folded <= head) return null;
      return `the log ends at ${head}, and read models were folded from it up to ${folded}`;
    } finally {
      database.close();
    }
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
};

/** True also for an unreadable log: opening it gives a better error. */
const hasEvents = (dir: string): boolean => {
  try {
    // A file without bytes is not opened: SQLite would remove the write-ahead log beside it.
    if (isEmptyFile(logFile(dir))) return false;
    const database = openForReading(dir);
    try {
      if (!hasTable(database, 'events')) return false;
      return database.prepareValue(`SELECT max(pos) FROM (${ends})`).get() !== 0;
    } finally {
      database.close();
    }
  } catch (error) {
    if (isSystemError(error)) return true;
    throw error;
  }
};

/** Events of layout 1 may all have been erased: the log remembers that they existed. */
const ends = 'SELECT coalesce(max(pos), 0) AS pos FROM events UNION SELECT pos FROM high_water';

/** Last position of any read model; null when nothing was folded. */
const foldedPosition = (dir: string): string | null => {
  const file = documentsFile(dir);
  if (isEmptyFile(file)) return null;
  const database = openDatabase(file, { readOnly: true });
  try {
    if (!hasTable(database, 'generations')) return null;
    const position = database
      .prepareValue('SELECT max(position) FROM generations WHERE instr(name, ?) <> 1')
      .get(projectorStateName);
    return typeof position === 'string' && position > logStart ? position : null;
  } finally {
    database.close();
  }
};

/** Statement about the folded read models; null when nothing was folded. */
const foldedIn = (dir: string): string | null => {
  try {
    const position = foldedPosition(dir);
    if (position === null) return null;
    return `read models were folded from a log up to position ${position}`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // A start would quarantine it and empty the records.
    return 'documents.sqlite is there and cannot be read, so the folder was used';
  }
};

const isEmptyFile = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;

/** True for errors of the disk, the file system or SQLite. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'code' in error;

const hasTable = (database: Database, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;
