import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startService } from '../test/support/service-process.js';
import { runAtRate, type BenchContext } from './bench-context.js';
import { requestReply, tenant } from './fairness.js';
import type { ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const perSecond = 10;
const patienceMs = 10_000;
const slowdownMax = 2;
/** Time after the first of the attack's connections was cut: then all are in use. */
const settlingMs = 2_000;

/**
 * Effect of an attack that holds all connections on a client at a new address: the time until its
 * request on a new connection is answered, retried when it is refused.
 */
export const fiveAddressesRow = async (bench: BenchContext): Promise<ResultRow> => {
  const seconds = bench.smoke ? 1 : 12;
  bench.say(`five-addresses: ${seconds} s without and with`);
  const service = await startService({ dir: join(bench.dir, 'five-addresses') });
  const attacker = fork(new URL('./attacker-process.js', import.meta.url));
  const takeAlong = (): void => void attacker.kill('SIGKILL');
  process.once('exit', takeAlong);
  try {
    const stage = await tenant(service, 'innocent');
    await requestReply(attacker, { attack: 'five-addresses', stage });
    const client = newAddressClient(stage);
    await client.asks(1);
    const calm = await client.asks(seconds);
    attacker.send('strike');
    await cutOnce(attacker);
    await pause(settlingMs);
    const beside = await client.asks(seconds);
    const [usual, found] = [summary(calm.took), summary(beside.took)];
    return {
      name: 'five-addresses',
      what: 'p99 of a request from a new address beside logins of five that do not end',
      parameters: { 'requests/s': perSecond, seconds, addresses: 5, 'connections each': 512 },
      unit: 'ms',
      measured: { value: found.p99, spread: found.spread, samples: found.samples },
      baseline: {
        what: 'p99 of the same without the attack',
        value: usual.p99,
        spread: usual.spread,
        samples: usual.samples,
      },
      target: { most: slowdownMax * usual.p99 },
      more: {
        'median ms': found.median,
        'usual median ms': usual.median,
        'slowest ms': found.max,
        'connections refused': beside.refused,
        'not answered in 10 s': beside.lost,
      },
      hash: resultHash([calm.refused, calm.lost]),
    };
  } finally {
    takeAlong();
    process.off('exit', takeAlong);
    await service.kill();
  }
};

const cutOnce = async (attacker: ChildProcess): Promise<void> => {
  const signal = AbortSignal.timeout(60_000);
  for await (const [said] of on(attacker, 'message', { signal })) {
    if ((said as Record<string, number>)['attack answered by a cut'] !== undefined) return;
  }
};

/** Each request comes from an address of its own, on a connection of its own. */
const newAddressClient = ({ url, root, apiKey }: Awaited<ReturnType<typeof tenant>>) => {
  let n = 0;
  const once200 = async (localAddress: string): Promise<void> => {
    const agent = new Agent({ keepAlive: false });
    const headers = { 'Service-API-Key': apiKey };
    const request = get(`${url}${root}`, { agent, localAddress, headers, timeout: patienceMs });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    if (response.statusCode !== 200) throw new Error(`Answered ${response.statusCode}`);
  };
  return {
    asks: async (seconds: number) => {
      const took: number[] = [];
      let refused = 0;
      let lost = 0;
      await runAtRate(perSecond, seconds, async () => {
        n += 1;
        const address = `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`;
        const began = performance.now();
        for (;;) {
          const isAnswered = await once200(address).then(
            () => true,
            () => false,
          );
          if (isAnswered) break;
          refused += 1;
          if (performance.now() - began >= patienceMs) {
            lost += 1;
            break;
          }
          await pause(20);
        }
        took.push(performance.now() - began);
      });
      return { took, refused, lost };
    },
  };
};
