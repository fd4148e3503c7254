import { join } from 'node:path';
import { seededRandom } from '../kernel/seeded-random.js';
import { clientOf } from '../test/support/client.js';
import { basic } from '../test/support/logins.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { newProject, runAtRate, type BenchContext } from './bench-context.js';
import type { ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const badPerSecond = 200;
const readsPerSecond = 100;
const slowdownMax = 2;

/**
 * Target D7. A steady reader while wrong passwords come in, each of another person from another
 * address: none is refused without the work of comparing it, unless too many wait for that.
 */
export const badPasswordRow = async (bench: BenchContext): Promise<ResultRow> => {
  const rounds = bench.smoke ? 1 : 2;
  const seconds = bench.smoke ? 1 : 12;
  bench.say(`bad-passwords: ${rounds} times ${seconds} s without and with ${badPerSecond}/s`);
  const service = await startService({
    dir: join(bench.dir, 'bad-passwords'),
    env: { ASSAY_TRUSTED_PROXIES: '127.0.0.1' },
  });
  try {
    const root = await newProject(service.client, 'bad passwords');
    const attack = attackOn(service);
    const without: number[] = [];
    const beside: number[] = [];
    const besideOne: number[] = [];
    const read = (taken: number[]) =>
      runAtRate(readsPerSecond, seconds, async () => {
        const began = performance.now();
        await service.client.call('GET', root);
        taken.push(performance.now() - began);
      });
    await Promise.all([read([]), attack.send(1, anywhere)]);
    // In turn, so that whatever else the machine does falls on all.
    for (let round = 0; round < rounds; round += 1) {
      await read(without);
      await Promise.all([read(beside), attack.send(seconds, anywhere)]);
      await Promise.all([read(besideOne), attack.send(seconds, () => '10.0.0.1')]);
    }
    const [calm, busy] = [summary(without), summary(beside)];
    const said = attack.answered();
    attack.close();
    return {
      name: 'bad-passwords',
      what: 'p99 of a read beside wrong passwords, each of another person from another address',
      parameters: {
        'bad/s': badPerSecond,
        'reads/s': readsPerSecond,
        'seconds each': seconds * rounds,
      },
      unit: 'ms',
      measured: { value: busy.p99, spread: busy.spread, samples: busy.samples },
      baseline: {
        what: 'p99 of the same reads without them',
        value: calm.p99,
        spread: calm.spread,
        samples: calm.samples,
      },
      target: { most: slowdownMax * calm.p99 },
      more: {
        'median beside ms': busy.median,
        'median without ms': calm.median,
        'slowest beside ms': busy.max,
        'p99 beside those of one address ms': summary(besideOne).p99,
        ...Object.fromEntries([...said].map(([status, count]) => [`answered ${status}`, count])),
      },
      hash: resultHash([busy.samples, calm.samples]),
    };
  } finally {
    await service.kill();
  }
};

const places = seededRandom(41);
const anywhere = (): string =>
  ['10', ...Array.from({ length: 3 }, () => places.integer(1, 254))].join('.');

/** Sends for so many seconds; throws when one is let in or fails for another reason. */
const attackOn = ({ url }: ServiceProcess) => {
  const client = clientOf({ url, apiKey: null, connections: 1_000 });
  const random = seededRandom(31);
  const answered = new Map<number, number>();
  return {
    send: (seconds: number, address: () => string): Promise<void> =>
      runAtRate(badPerSecond, seconds, async () => {
        const wrong = basic(`${random.uuid()}@example.org`, random.uuid());
        const headers = { ...wrong, 'X-Forwarded-For': address() };
        const { status } = await client.send('GET', '/v2/projects', { headers });
        if (![401, 429, 503].includes(status)) throw new Error(`Answered ${status}`);
        answered.set(status, (answered.get(status) ?? 0) + 1);
      }),
    answered: (): ReadonlyMap<number, number> => answered,
    close: () => client.close(),
  };
};
