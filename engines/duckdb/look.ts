import { DuckDBInstance } from '@duckdb/node-api';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../kernel/fault.js';
import { fileName, readPointer } from './pointer.js';

/** The live file of the records, opened to read only; nobody else may have it open. */
export const lookAtRecords = async (
  dir: string,
): Promise<{ readonly found: string; readonly trouble: string | null }> => {
  const name = fileName(await readPointer(dir));
  const path = join(dir, name);
  if (!existsSync(path)) return { found: 'not there yet: built from the log', trouble: null };
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS looked (READ_ONLY)`);
    const rows = await connection.runAndReadAll('SELECT position, version() FROM looked.mark');
    const [[position, version] = []] = rows.getRows();
    const size = `${Math.ceil(statSync(path).size / 1_048_576)} MiB`;
    const found = `DuckDB ${String(version)}, ${name}, ${size}, at ${String(position)}`;
    return { found, trouble: null };
  } catch (error) {
    return { found: '', trouble: reasonOf(error) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
};
