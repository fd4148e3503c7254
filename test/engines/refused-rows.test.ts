import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BIGINT, DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { expect } from 'chai';
import { addRow, appendChunks, openChunkBuffer } from '../../engines/duckdb/chunk-buffer.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Resolves when what nobody holds any more has been ended natively too. */
const collected = async (): Promise<void> => {
  for (let at = 0; at < 5; at += 1) {
    collect();
    await nextTurn();
  }
};

describe('rows rejected by DuckDB', () => {
  const columns = [{ type: BIGINT }];
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  before(async () => {
    instance = await DuckDBInstance.create(':memory:');
    connection = await instance.connect();
    await connection.run('CREATE TABLE once (number BIGINT UNIQUE)');
    await connection.run('INSERT INTO once VALUES (1)');
  });
  after(() => {
    connection.closeSync();
    instance.closeSync();
  });

  const refused = async (numbers: readonly number[]): Promise<void> => {
    const chunks = openChunkBuffer('once', columns);
    for (const number of numbers) addRow(chunks, [number]);
    await connection.run('BEGIN TRANSACTION');
    const outcome = await appendChunks(connection, chunks).then(
      () => 'taken',
      () => 'refused',
    );
    expect(outcome).to.equal('refused');
    await connection.run('ROLLBACK');
  };

  it('are not written when their appender is garbage-collected', async () => {
    await refused([7, 1, 8]);
    // What stood in their way is gone, as lack of memory passes.
    await connection.run('DELETE FROM once');
    await collected();
    const left = await connection.runAndReadAll('SELECT number FROM once');
    expect(left.getRows()).to.deep.equal([]);
  });
});
