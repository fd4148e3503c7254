import { expect } from 'chai';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { clientOf } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { uuid } from '../support/recorded-project.js';
import { startService } from '../support/service-process.js';
import { newRun } from './kill-loop.js';

const needles = Array.from({ length: 100 }, (_, n) => `n${String(n).padStart(4, '0')}`);
// Each of them is found in each text, at its end only.
const text = `${'x'.repeat(230_000)}${needles.join('')}`;
/** The heaviest filter on texts that is allowed (contract 1.11). */
const all = {
  type: 'text',
  name: 'input',
  operator: 'contains',
  value: needles,
  case_sensitive: false,
};
const none = Array.from({ length: 90 }, (_, n) => ({
  filter: { ...all, value: `none ${n}` },
}));
const heavy = { filters: [all], filter_tree: { or: none }, limit: 1 };

describe('a service under queries that are too heavy', function () {
  it('answers others beside them, ends them with their clients, stops within 10 s', async () => {
    const folder = await temporaryFolder();
    const service = await startService({ dir: folder.dir });
    const { client, url, apiKey } = service;
    const [project, other] = [await newRun(client, 'heavy'), await newRun(client, 'other')];
    const traces = Array.from({ length: 30 }, (_, n) => ({ id: uuid(n), input: text }));
    const body = { log_stream_id: project.run, traces };
    await client.call('POST', `${project.root}/traces`, { body });
    const lone = { log_stream_id: other.run, traces: [{ id: uuid(900), input: 'short' }] };
    await client.call('POST', `${other.root}/traces`, { body: lone });
    const counted = await client.call<{ total_count: number }>(
      'POST',
      `${project.root}/traces/count`,
      { body: {} },
    );
    expect(counted.body.total_count).to.equal(30);

    let answered = 0;
    const attack = () => {
      const attacker = clientOf({ url, apiKey });
      for (let count = 0; count < 6; count += 1) {
        attacker
          .send('POST', `${project.root}/traces/search`, { body: heavy })
          .finally(() => (answered += 1))
          .catch(() => null);
      }
      return attacker;
    };
    const search = { body: { limit: 1 } };
    const first = attack();
    // Behind the six, on a connection of its own.
    await client.call('POST', `${other.root}/traces/search`, search);
    // In the order of coming it would be answered after five of them at least.
    expect(answered).to.be.below(5);

    first.close();
    const answering = idleAwareClock();
    await client.call('POST', `${project.root}/traces/search`, search);
    expect(answering()).to.be.below(10_000);

    attack();
    await client.call('POST', `${other.root}/traces/search`, search);
    const stopping = idleAwareClock();
    const exit = await service.stop();
    expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
    expect(stopping()).to.be.below(10_000);
    await folder.remove();
  });
});
