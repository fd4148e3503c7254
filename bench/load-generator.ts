import { setTimeout as pause } from 'node:timers/promises';
import { clientOf } from '../test/support/client.js';
import { cpuTime } from '../test/support/cpu-time.js';
import { bareTraceBodies, longBodies, variedBodies, wideBodies, type Bodies } from './bodies.js';
import type { LoadPlan, LoadResult } from './load.js';
import { otlpBodies } from './otlp-bodies.js';
import { summary } from './statistics.js';

/** The other end of load.ts: sends what its parent asks for, answers how it went, and ends. */

const reportEvery = 100;
const failuresMax = 20;
/** Fewer bodies are made before the clock starts, so that making them slows no request. */
const madeAheadMax = 500;

const makers: Readonly<Record<LoadPlan['shape'], (seed: number, run: string) => Bodies>> = {
  wide: wideBodies,
  varied: variedBodies,
  bare: bareTraceBodies,
  long: longBodies,
  'otlp-json': (seed) => otlpBodies(seed, 'json'),
  'otlp-proto': (seed) => otlpBodies(seed, 'proto'),
};

const bodiesOf = ({ shape, seed, run, from, requests }: LoadPlan): Bodies => {
  const make = makers[shape](seed, run);
  if (requests > madeAheadMax) return make;
  const made = Array.from({ length: requests }, (_, n) => make(from + n));
  return (n) => made[n - from] ?? make(n);
};

const placeOf = ({ shape, root, run }: LoadPlan) => {
  if (!shape.startsWith('otlp')) return { path: `${root}/traces`, headers: {} };
  const media = shape === 'otlp-json' ? 'application/json' : 'application/x-protobuf';
  const projectid = root.slice(root.lastIndexOf('/') + 1);
  return { path: '/v1/traces', headers: { projectid, logstreamid: run, 'Content-Type': media } };
};

const send = async (load: LoadPlan, answered: (count: number) => void): Promise<LoadResult> => {
  const bodies = bodiesOf(load);
  const { path, headers } = placeOf(load);
  const client = clientOf({ ...load, connections: load.connections });
  const latencies: number[] = [];
  const failures: string[] = [];
  let position = '';
  let next = 0;
  const processorMs = cpuTime();
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (next < load.requests && failures.length < failuresMax) {
      const n = next;
      next += 1;
      if (load.requestsPerSecond !== null) {
        const due = began + (n * 1_000) / load.requestsPerSecond;
        await pause(Math.max(0, due - performance.now()));
      }
      const { bytes } = bodies(load.from + n);
      const sent = performance.now();
      const reply = await client.send('POST', path, { body: bytes, headers });
      latencies.push(performance.now() - sent);
      if (reply.status !== 200) failures.push(`${reply.status} ${JSON.stringify(reply.body)}`);
      else if (reply.position !== null && reply.position > position) position = reply.position;
      if (latencies.length % reportEvery === 0) answered(latencies.length);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  const seconds = (performance.now() - began) / 1_000;
  client.close();
  return {
    requests: latencies.length,
    seconds,
    latency: summary(latencies),
    processorMs: processorMs(),
    position,
    failures,
  };
};

process.once('message', (load: LoadPlan) => {
  const tell = (message: object): void => void process.send?.(message);
  const failed = (error: unknown): LoadResult => ({
    requests: 0,
    seconds: 0,
    latency: summary([]),
    processorMs: 0,
    position: '',
    failures: [String(error)],
  });
  void send(load, (answered) => tell({ answered }))
    .catch(failed)
    .then((loaded) => process.send?.(loaded, () => process.disconnect?.()));
});
