import { crc32 } from 'node:zlib';
import type { Database } from './database.js';

/**
 * CRC-32 of the cells of a row, in the order of its table; null where one has a type that nothing
 * here writes.
 */
export const rowChecksum = (cells: readonly unknown[]): number | null =>
  cells.some((cell) => typeof cell === 'object' && cell !== null) ? null : crc32(cells.join('\0'));

/** The columns of a table, in its order; none without such a table. */
export const columnNames = (database: Database, table: string): readonly string[] =>
  database.prepareValue<[string], string>('SELECT name FROM pragma_table_info(?)').all(table);

/** `row_sum(…)` is the same in SQL. */
export const defineRowChecksum = (database: Database): void =>
  database.define('row_sum', { deterministic: true }, (...cells) => rowChecksum(cells));

/** What SQLite throws for a file that is not what it wrote. */
export const corruptionError = (cause: string): Error =>
  Object.assign(new Error(cause), { code: 'SQLITE_CORRUPT' });

/**
 * Throws where a row of `width` cells, with its checksum behind them, is not what was written. A
 * row of a build without checksums has none until the check of the file comes by.
 */
export const checkRow = (row: readonly unknown[], width: number, of: string): void => {
  const sum = row[width] ?? null;
  if (sum === null || sum === rowChecksum(row.slice(0, width))) return;
  throw corruptionError(`a row of ${of} is not as it was written`);
};

/**
 * A file has the CRC-32 of its schema as its `user_version`; 0: a build without checksums made it.
 */
export const stampSchema = (database: Database): void => {
  const sum = schemaChecksum(database);
  if (schemaStamp(database) !== sum) database.pragma(`user_version = ${sum}`);
};

/** What is wrong with the schema; null: nothing. */
export const schemaDamage = (database: Database): string | null => {
  const stamp = schemaStamp(database);
  return stamp === 0 || stamp === schemaChecksum(database)
    ? null
    : 'its schema is not as it was written';
};

const schemaStamp = (database: Database): number => Number(database.pragma('user_version'));

/** As SQLite keeps it: 32 bits with a sign, and never 0. */
const schemaChecksum = (database: Database): number => {
  const rows = database
    .prepareCells('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY name')
    .all() as readonly (readonly unknown[])[];
  return crc32(rows.flat().join('\0')) | 0 || 1;
};
