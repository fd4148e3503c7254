import { expect } from 'chai';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openConnections } from '../../engines/duckdb/connections.js';
import { temporaryFolder } from '../support/folder.js';

describe('connections of a file of records', () => {
  it('write it while the engine has not cleared away another write', async () => {
    const folder = await temporaryFolder();
    const instance = await DuckDBInstance.create(join(folder.dir, 'records.duckdb'));
    const connections = await openConnections(instance, 'records');
    const other = await instance.connect();
    await other.run('BEGIN TRANSACTION; CREATE TABLE left_over (id INTEGER)');
    const written = connections.checkpoint();
    // Long enough for the engine to begin with the other statement.
    await other.run('SELECT sum(range) FROM range(50000000)');
    await other.run('ROLLBACK');
    expect(await written).to.equal(undefined);
    other.closeSync();
    await connections.close();
    instance.closeSync();
    await folder.remove();
  });
});
