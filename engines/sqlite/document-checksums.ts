import { crc32 } from 'node:zlib';
import type { Database } from './database.js';

/**
 * CRC-32 of the cells of a row, in the order of its table; null when a cell has a type that this
 * engine never writes.
 */
export const rowChecksum = (cells: readonly unknown[]): number | null =>
  cells.some((cell) => typeof cell === 'object' && cell !== null) ? null : crc32(cells.join('\0'));

/** Columns of a table, in order; empty without such a table. */
export const columnNames = (database: Database, table: string): readonly string[] =>
  database.prepareValue<[string], string>('SELECT name FROM pragma_table_info(?)').all(table);

/** Defines `row_sum(…)`, the same checksum in SQL. */
export const defineRowChecksum = (database: Database): void =>
  database.define('row_sum', { deterministic: true }, (...cells) => rowChecksum(cells));

/** Error like the one that SQLite throws for a corrupt file. */
export const corruptionError = (cause: string): Error =>
  Object.assign(new Error(cause), { code: 'SQLITE_CORRUPT' });

/**
 * Throws for a row of `width` cells, followed by its checksum, that is not as it was written. Rows
 * of a build without checksums are accepted until the background check adds one.
 */
export const checkRow = (row: readonly unknown[], width: number, table: string): void => {
  const sum = row[width] ?? null;
  if (sum === null || sum === rowChecksum(row.slice(0, width))) return;
  throw corruptionError(`a row of ${table} is not as it was written`);
};

/**
 * Stores the CRC-32 of the schema as the file's `user_version`; 0: written by a build without
 * checksums.
 */
export const stampSchema = (database: Database): void => {
  const sum = schemaChecksum(database);
  if (schemaStamp(database) !== sum) database.pragma(`user_version = ${sum}`);
};

/** Damage of the schema; null when intact. */
export const schemaDamage = (database: Database): string | null => {
  const stamp = schemaStamp(database);
  return stamp === 0 || stamp === schemaChecksum(database)
    ? null
    : 'its schema is not as it was written';
};

const schemaStamp = (database: Database): number => Number(database.pragma('user_version'));

/** Checksum as SQLite stores it: signed 32 bits, and never 0. */
const schemaChecksum = (database: Database): number => {
  const rows = database
    .prepareCells('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY name')
    .all() as readonly (readonly unknown[])[];
  return crc32(rows.flat().join('\0')) | 0 || 1;
};
