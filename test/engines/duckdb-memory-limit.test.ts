import { expect } from 'chai';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openLiveInstance, type LiveInstance } from '../../engines/duckdb/instance.js';
import { memoryLimitOf } from '../../engines/duckdb/memory-limit.js';
import { ordinalsMax } from '../../engines/duckdb/schema.js';
import { temporaryFolder } from '../support/folder.js';

const rows = 600_000;
/** Fewer than the indexes of so many rows take by themselves. */
const megabytes = 64;

/** All tables with an index have rows; their other columns have no value. */
const fill = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run(`INSERT INTO spans (key) SELECT range FROM range(${rows})`);
  await connection.run(
    `INSERT INTO traces (key) SELECT range * ${ordinalsMax} FROM range(${rows})`,
  );
  const name = `'trace-1f0e3dad-99d0-4b31-8a1e-3d5f0c2b7a66-' || gen_random_uuid()`;
  await connection.run(`INSERT INTO groups SELECT range, ${name}, 1 FROM range(${rows})`);
};

const indexesOf = async (connection: DuckDBConnection): Promise<number> => {
  const found = await connection.runAndReadAll(
    `SELECT sum(memory_usage_bytes) FROM duckdb_memory() WHERE tag = 'ART_INDEX'`,
  );
  return Number(found.getRows()[0]?.[0]) / 1e6;
};

describe('DuckDB memory limit', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let opened: LiveInstance;
  const open = async (given: number): Promise<DuckDBConnection> => {
    opened = await openLiveInstance(folder.dir, given);
    const connection = await opened.instance.connect();
    await connection.run(`USE ${opened.live.catalog}`);
    return connection;
  };
  const close = async (): Promise<void> => {
    await opened.live.close();
    opened.instance.closeSync();
  };
  before(async () => {
    folder = await temporaryFolder();
    await fill(await open(1_000));
    await close();
  });
  after(() => folder.remove());

  it('leaves room for queries beside fully loaded indexes', async () => {
    const connection = await open(megabytes);
    for (const [table, column] of [
      ['spans', 'key'],
      ['traces', 'key'],
      ['groups', 'name'],
    ]) {
      const found = await connection.runAndReadAll(
        `SELECT ${column} FROM ${table} USING SAMPLE 20000 ROWS`,
      );
      const values = found.getRows().map(([value]) => `'${String(value)}'`);
      for (let at = 0; at < values.length; at += 50) {
        const list = values.slice(at, at + 50).join(', ');
        await connection.run(`SELECT rowid FROM ${table} WHERE ${column} IN (${list})`);
      }
    }
    expect(await indexesOf(connection)).to.be.greaterThan(megabytes);
    await connection.run('SELECT count(*), max(name) FROM groups GROUP BY size');
    connection.closeSync();
    await close();
  });

  it('grows with the files', async () => {
    const connection = await open(megabytes);
    const limit = async (): Promise<string> =>
      String(
        (await connection.runAndReadAll(`SELECT current_setting('memory_limit')`)).getRows()[0],
      );
    const before = await limit();
    await connection.run(`INSERT INTO groups SELECT ${rows} + range, range, 1 FROM range(${rows})`);
    await memoryLimitOf(opened.instance)?.recordGrowth(1);
    expect(await limit()).to.equal(before);
    await memoryLimitOf(opened.instance)?.recordGrowth(rows);
    expect(await limit()).not.to.equal(before);
    connection.closeSync();
    await close();
  });
});
