import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { countProcessorTime, processorColumns } from '../../bench/thread-times.js';

const busyOnce = `
  for (let n = 0; n < 1e7; n += 1);
  require('node:worker_threads').parentPort.postMessage('done');
  setInterval(() => undefined, 1e6);
`;

describe('the processor time of the bench', () => {
  it('counts each thread of a process under its part, and nothing without /proc', async () => {
    const since = countProcessorTime(process.pid);
    const worker = new Worker(busyOnce, { eval: true, name: 'read-side' });
    await once(worker, 'message');
    const times = since(2);
    await worker.terminate();
    if (!existsSync('/proc/self/schedstat')) {
      expect(times).to.equal(null);
      return;
    }
    const { sum, ...parts } = times ?? expect.fail('no times');
    expect(parts['read side']).to.be.above(0);
    expect(parts['log writer']).to.equal(0);
    expect(Object.values(parts).reduce((all, one) => all + one, 0)).to.be.closeTo(sum, 0.001);
  });
  it('leaves the columns out where no times are known', () => {
    expect(countProcessorTime(0)(1)).to.equal(null);
    expect(processorColumns(null, 'µs')).to.deep.equal({});
  });
});
