import { DuckDBInstance, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { redactedReason } from '../../kernel/fault.js';
import { databaseFileName, readLiveGeneration } from './generation-files.js';
import { tableNames } from './schema.js';
import { textConstant } from './sql.js';

type FileCheck = { readonly summary: string; readonly problem: string | null };

/**
 * The live file of the records with its write-ahead log, opened to read only; nobody else may have
 * it open. All of its tables are read, and places all over its indexes: the engine compares the
 * checksum of each block that it reads. `quick`: only whether it opens.
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
    const trouble = quick ? null : await readAll(connection);
    const size = `${Math.ceil(statSync(path).size / 1_048_576)} MiB`;
    return {
      summary: `DuckDB ${String(version)}, ${name}, ${size}, at ${String(position)}`,
      problem: trouble,
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

/** Throws what the engine says against a block; answers what else is wrong. */
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

/** A block of an index has thousands of entries. */
const placesMax = 2_000;
/** So few values are looked up in the index, and not by a scan of the table. */
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
