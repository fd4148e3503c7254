import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { rightsSubject } from '../../command-api/access/rights-cache.js';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { streamNameOf } from '../../kernel/ports.js';
import { noTracing } from '../../kernel/tracing.js';
import { appendEvents } from '../../kernel/transact.js';
import { openProcessLog } from '../../service/process-log.js';
import { authorAt, testLog } from '../support/test-log.js';

describe('the log of a process', () => {
  it('times each append, drops rights that it may change, and records its position', async () => {
    const { log: opened, close } = await testLog();
    const bus = openBus(randomUUID());
    const calls: string[] = [];
    bus.subscribe(rightsSubject, () => calls.push('told others'));
    const { log, backpressure } = await openProcessLog(opened, {
      clock: systemClock,
      bus,
      metrics: { append: () => calls.push('timed'), backpressureWait: () => undefined },
      tracing: noTracing,
      rights: { invalidate: () => calls.push('dropped rights') },
      isOnlyProcess: true,
    });
    const stream = streamNameOf('user', randomUUID());
    const append = async (expected: number | 'none') => {
      const events = [{ type: 'UserRemoved', data: {} }];
      const [result] = await appendEvents(log, [{ stream, expected, events }], authorAt());
      const head = backpressure.freshness.requiredPositions?.head();
      await new Promise((resolve) => setImmediate(resolve));
      return { result, head, calls: calls.splice(0) };
    };
    const first = await append('none');
    expect(first.calls).to.deep.equal(['timed']);
    expect(first.result).to.deep.equal({ position: first.head });
    const second = await append(0);
    expect(second.calls).to.have.members(['timed', 'dropped rights', 'told others']);
    expect(second.result).to.deep.equal({ position: second.head });
    const third = await append(0);
    expect([third.result, third.head]).to.deep.equal(['conflict', second.head]);
    await close();
    await bus.close();
  });
});
