import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { openBus } from '../../engines/memory/bus.js';
import { busSuite } from '../suites/bus.js';

busSuite('memory', async () => {
  const name = randomUUID();
  return { one: openBus(name), other: openBus(name), stranger: openBus(randomUUID()) };
});

describe('in-process bus', () => {
  it('crosses threads and keeps no thread alive', async () => {
    const name = randomUUID();
    const bus = openBus(name);
    const heard = new Promise((resolve) => bus.subscribe('from the thread', resolve));
    const module = JSON.stringify(new URL('../../engines/memory/bus.js', import.meta.url).href);
    const code = `import(${module}).then(({ openBus }) => {
      openBus(${JSON.stringify(name)}).publish('from the thread', { hello: 1 });
    })`;
    const thread = new Worker(code, { eval: true });
    const ended = once(thread, 'exit');
    expect(await heard).to.deep.equal({ hello: 1 });
    expect(await ended).to.deep.equal([0]);
    await bus.close();
  });
});
