import { expect } from 'chai';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openRecords } from '../../engines/duckdb/records.js';
import { start } from '../../kernel/ports.js';
import { recordsSuite } from '../suites/records.js';
import { temporaryFolder } from '../support/folder.js';
import { putRows, scopeOf, traceRow } from '../support/record-rows.js';

recordsSuite('DuckDB', async () => {
  const { dir, remove } = await temporaryFolder();
  let records = await openRecords({ dir });
  return {
    records,
    reopen: async () => {
      await records.close();
      records = await openRecords({ dir });
      return records;
    },
    close: async () => {
      await records.close();
      await remove();
    },
  };
});

describe('the files of DuckDB', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());
  const openedOnce = async (): Promise<void> => {
    const records = await openRecords({ dir: folder.dir });
    await putRows(records, [traceRow(1)]);
    await records.close();
  };

  it('lose what a crash left of a copy, and keep the live one', async () => {
    await openedOnce();
    await writeFile(join(folder.dir, 'records-7.duckdb'), 'torn');
    await writeFile(join(folder.dir, 'records-7.duckdb.wal'), 'torn');
    const records = await openRecords({ dir: folder.dir });
    expect(await records.count(scopeOf())).to.equal(1);
    const left = await readdir(folder.dir);
    expect(left.filter((name) => name.startsWith('records-7'))).to.deep.equal([]);
    await records.close();
  });

  it('begin anew when they are of another version, so that the log fills them again', async () => {
    await openedOnce();
    const instance = await DuckDBInstance.create(join(folder.dir, 'records-1.duckdb'));
    const connection = await instance.connect();
    await connection.run("UPDATE schema_version SET version = 'old'");
    connection.closeSync();
    instance.closeSync();
    const records = await openRecords({ dir: folder.dir });
    expect(await records.checkpoint()).to.equal(start);
    expect(await records.count(scopeOf())).to.equal(0);
    await records.close();
  });
});
