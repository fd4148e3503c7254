import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'chai';
import { threadsOf } from '../../engines/duckdb/threads.js';
import { until } from '../support/until.js';

describe('threads of DuckDB', () => {
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

  it('are one, two while something scans, and one again', async () => {
    const threads = threadsOf(instance);
    expect(await count()).to.equal(1);
    const seen = await threads.scanning(() => Promise.all([count(), threads.scanning(count)]));
    expect(seen).to.deep.equal([2, 2]);
    await until('one thread again', 5_000, async () => (await count()) === 1);
  });

  it('are two for whoever asks soon after a question that failed', async () => {
    const threads = threadsOf(instance);
    const failed = await threads
      .scanning(() => Promise.reject(new Error('no')))
      .catch((error: unknown) => String(error));
    expect(failed).to.equal('Error: no');
    expect(await threads.scanning(count)).to.equal(2);
    await until('one thread again', 5_000, async () => (await count()) === 1);
  });

  it('stay as they are when the engine is gone', async () => {
    const gone = await DuckDBInstance.create(':memory:', { threads: '1' });
    const threads = threadsOf(gone);
    gone.closeSync();
    expect(await threads.scanning(async () => 'asked')).to.equal('asked');
  });
});
