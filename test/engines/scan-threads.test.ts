import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { scanThreadsOf } from '../../engines/duckdb/scan-threads.js';
import { pollUntil } from '../support/poll-until.js';

describe('DuckDB scan threads', () => {
  let instance: DuckDBInstance;
  beforeEach(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  });
  afterEach(() => instance.closeSync());
  const count = async (): Promise<number> => {
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(`SELECT current_setting('threads')`);
    connection.closeSync();
    return Number(found.getRows()[0]?.[0]);
  };

  it('are one, two during a scan, and one again', async () => {
    const threads = scanThreadsOf(instance);
    expect(await count()).to.equal(1);
    const seen = await threads.runScan(() => Promise.all([count(), threads.runScan(count)]));
    expect(seen).to.deep.equal([2, 2]);
    await pollUntil('one thread again', 5_000, async () => (await count()) === 1);
  });

  it('stay two for a query soon after a failed one', async () => {
    const threads = scanThreadsOf(instance);
    const failed = await threads
      .runScan(() => Promise.reject(new Error('no')))
      .catch((error: unknown) => String(error));
    expect(failed).to.equal('Error: no');
    expect(await threads.runScan(count)).to.equal(2);
    await pollUntil('one thread again', 5_000, async () => (await count()) === 1);
  });

  it('stay unchanged when the engine is gone', async () => {
    const gone = await DuckDBInstance.create(':memory:', { threads: '1' });
    const threads = scanThreadsOf(gone);
    gone.closeSync();
    expect(await threads.runScan(async () => 'asked')).to.equal('asked');
  });
});
