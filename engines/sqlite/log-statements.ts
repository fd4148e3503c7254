import { redactedReason } from '../../kernel/fault.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { unlocatedDamageFault } from './log-damage.js';
import type { FullEventRow } from './log-scan.js';
import {
  envelopeColumns,
  fullColumns,
  isCurrent,
  openForReading,
  prepareLast,
} from './log-schema.js';

/**
 * Opens the file with the statements of a reader. Throws Fault `log-damaged` for a file that cannot
 * be read at all.
 */
export const openLogFile = (dir: string) => {
  try {
    const database = openForReading(dir);
    try {
      return { database, statements: currentStatements(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw isDamage(error)
      ? unlocatedDamageFault(`the file cannot be read (${redactedReason(error)})`)
      : error;
  }
};

/** LogStatements, prepared again once a writer has migrated the log to the layout of this build. */
const currentStatements = (database: Database): (() => LogStatements) => {
  let isNew = isCurrent(database);
  let statements = prepareStatements(database);
  return () => {
    if (!isNew && isCurrent(database)) {
      isNew = true;
      statements = prepareStatements(database);
    }
    return statements;
  };
};

/**
 * Sorts only positions and fetches rows one by one; without the subquery SQLite sorts whole rows.
 */
export const positionsOfTypes = `SELECT pos FROM events
  WHERE type IN (SELECT value FROM json_each(?)) AND pos > ? AND pos <= ?`;

const prepareStatements = (database: Database) => {
  const columns = fullColumns(database);
  const envelopes = envelopeColumns(database);
  const ofIt = 'NOT EXISTS (SELECT 1 FROM erased WHERE erased.stream = ?) AND stream = ?';
  return {
    ofStream: database.prepare<[string, string, number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ? ORDER BY rev LIMIT ? + 0`,
    ),
    ofStreamAndTypes: database.prepare<[string, string, number, string, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ?
      AND type IN (SELECT value FROM json_each(?)) ORDER BY rev LIMIT ? + 0`,
    ),
    lastOf: database.prepare<[string, string], FullEventRow>(
      `SELECT ${envelopes} FROM events WHERE ${ofIt} ORDER BY rev DESC LIMIT 1`,
    ),
    after: database.prepare<[number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE pos > ? ORDER BY pos LIMIT ? + 0`,
    ),
    before: database.prepare<[number, number], FullEventRow>(
      `SELECT ${columns} FROM events
      WHERE pos < ? AND data IS NOT '' ORDER BY pos DESC LIMIT ? + 0`,
    ),
    ofTypes: database.prepare<[string, number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE pos IN (${positionsOfTypes})
      AND data IS NOT '' ORDER BY pos`,
    ),
    last: prepareLast(database),
    highWater: database.prepareValue<[], number>('SELECT pos FROM high_water'),
  };
};
export type LogStatements = ReturnType<typeof prepareStatements>;
