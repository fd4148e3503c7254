import { seededRandom } from '../kernel/seeded-random.js';
import type { ServiceProcess } from '../test/support/service-process.js';
import { newRun, runAtRate, type BenchContext, type BenchTarget } from './bench-context.js';
import type { ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';
import { countProcessorTime, processorColumns } from './thread-times.js';

const eventsPerSecond = 500;
/** Every tenth trace is read back: enough to measure, few enough to disturb nothing. */
const readBackEvery = 10;

/**
 * Single traces at 500 a second; some are asked for the moment they are acknowledged. The time
 * until that answer is there holds the waiting for the read model and the read itself.
 */
export const readYourWritesRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  { root }: BenchTarget,
): Promise<ResultRow> => {
  const seconds = bench.smoke ? 1 : 20;
  bench.say(`visible: ${eventsPerSecond} events/s for ${seconds} s`);
  const run = await newRun(service.client, root, 'visible');
  const random = seededRandom(17);
  const acknowledged: number[] = [];
  const visible: number[] = [];
  const missing: string[] = [];
  const one = async (n: number): Promise<void> => {
    const trace = {
      id: random.uuid(),
      name: `trace ${n}`,
      spans: [{ type: 'tool', name: 'work' }],
    };
    const body = { log_stream_id: run, traces: [trace] };
    const sent = performance.now();
    const wrote = await service.client.call('POST', `${root}/traces`, { body });
    const answered = performance.now();
    acknowledged.push(answered - sent);
    if (n % readBackEvery !== 0) return;
    const headers = { 'X-Min-Position': wrote.position ?? '' };
    const read = await service.client.send('GET', `${root}/traces/${trace.id}`, { headers });
    visible.push(performance.now() - answered);
    if (read.status !== 200) missing.push(`${read.status} ${JSON.stringify(read.body)}`);
  };
  const processorTime = countProcessorTime(service.pid);
  await runAtRate(eventsPerSecond, seconds, one);
  const processor = processorTime(eventsPerSecond * seconds);
  if (missing.length > 0) throw new Error(`${missing.length} reads failed, as ${missing[0]}`);
  const counted = await service.client.call('POST', `${root}/traces/count`, {
    body: { log_stream_id: run },
  });
  const [seen, written] = [summary(visible), summary(acknowledged)];
  return {
    name: 'visible',
    what: 'p99 from the acknowledgement of a trace until a read shows it',
    parameters: { 'events/s': eventsPerSecond, seconds, spans: bench.spans },
    unit: 'ms',
    measured: { value: seen.p99, spread: seen.spread, samples: seen.samples },
    baseline: {
      what: 'p99 of the durable write itself',
      value: written.p99,
      spread: written.spread,
      samples: written.samples,
    },
    target: { most: 250 },
    more: {
      'p50 ms': seen.median,
      'p95 ms': seen.p95,
      'write p50 ms': written.median,
      ...processorColumns(processor, 'µs'),
    },
    hash: resultHash(counted.body),
  };
};
