import { DuckDBInstance, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { redactedReason } from '../../kernel/fault.js';
import { databaseFileName, readLiveGeneration } from './generation-files.js';
import { tableNames } from './schema.js';
import { textConstant } from './sql.js';

type FileCheck = { readonly summary: string; readonly problem: string | null };

/**
 * Checks the live file of the records, as of its last flush, opened read-only; no other process may
 * have it open. Reads all tables and samples all indexes: the engine verifies the checksum of
 * each block it reads. `quick`: only opens the file.
 */
export const checkRecordsFile = async (
  dir: string,
  { quick = false }: { readonly quick?: boolean } = {},
): Promise<FileCheck> => {
  const name = databaseFileName(await readLiveGeneration(dir));
  const path = join(dir, name);
  if (!existsSync(path)) return { summary: 'not there yet: built from the log', problem: null };
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH ${textConstant(path)} AS looked (READ_ONLY)`);
    await connection.run('USE looked');
    const [[position, version] = []] = await rowsOf(
      connection,
      'SELECT position, version() FROM mark',
    );
    const problem = quick ? null : await readAll(connection);
    const size = `${Math.ceil(statSync(path).size / 1_048_576)} MiB`;
    return {
      summary: `DuckDB ${String(version)}, ${name}, ${size}, at ${String(position)}`,
      problem,
    };
  } catch (error) {
    return { summary: '', problem: redactedReason(error) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};

const rowsOf = async (connection: DuckDBConnection, sql: string): Promise<DuckDBValue[][]> =>
  (await connection.runAndReadAll(sql)).getRows();

/** Tables with an index, and its column. */
const indexed = [
  ['sessions', 'key'],
  ['traces', 'key'],
  ['spans', 'key'],
  ['texts', 'key'],
  ['groups', 'name'],
] as const;

/**
 * Reads every table and index. Throws the engine's error about a block; returns any other defect.
 */
const readAll = async (connection: DuckDBConnection): Promise<string | null> => {
  for (const table of tableNames) {
    await rowsOf(connection, `SELECT bit_xor(hash(one)) FROM ${table} AS one`);
  }
  for (const [table, column] of indexed) {
    if (await isIndexMissingRows(connection, table, column))
      return `an index of ${table} misses rows`;
  }
  return null;
};

/** Index look-ups per table: a block of an index has thousands of entries. */
const placesMax = 2_000;
/** Values per look-up, few enough that the engine uses the index and does not scan. */
const placesAtOnce = 100;

const isIndexMissingRows = async (
  connection: DuckDBConnection,
  table: string,
  column: string,
): Promise<boolean> => {
  const step = `(SELECT count(*) // ${placesMax} + 1 FROM ${table})`;
  const rows = await rowsOf(
    connection,
    `SELECT DISTINCT CAST(${column} AS VARCHAR) FROM ${table} WHERE rowid % ${step} = 0`,
  );
  for (let at = 0; at < rows.length; at += placesAtOnce) {
    const values = rows.slice(at, at + placesAtOnce).map(([value]) => textConstant(String(value)));
    const found = await rowsOf(
      connection,
      `SELECT count(DISTINCT ${column}) FROM ${table} WHERE ${column} IN (${values.join(', ')})`,
    );
    if (Number(found[0]?.[0]) !== values.length) return true;
  }
  return false;
};
