import { join } from 'node:path';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  runLoad,
  newProject,
  newRun,
  waitForPosition,
  type BenchContext,
} from './bench-context.js';
import { spansPerRequest } from './bodies.js';
import type { LoadPlan } from './load.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const connections = 8;
export const otlpRowNames = ['ingest-otlp-json', 'ingest-otlp-proto'];

/** Ingest by OTLP, alternating with the same traces by the service's own route. */
export const otlpRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const service = await startService({ dir: join(bench.dir, 'otlp') });
  try {
    const root = await newProject(service.client, 'otlp');
    const requests = bench.smoke ? 10 : 500;
    const rounds = bench.smoke ? 1 : 3;
    const rates = new Map<LoadPlan['shape'], number[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const shape of ['wide', 'otlp-json', 'otlp-proto'] as const) {
        bench.say(`otlp: ${shape}, round ${round + 1} of ${rounds}`);
        const from = round * requests + (shape === 'otlp-proto' ? 1_000_000 : 0);
        const load = { shape, seed: 13, from, requests, connections } as const;
        const rate = await rateOf(service, root, load);
        rates.set(shape, [...(rates.get(shape) ?? []), rate]);
      }
    }
    const own = summary(rates.get('wide') ?? []);
    return (['otlp-json', 'otlp-proto'] as const).map((shape) => {
      const measured = summary(rates.get(shape) ?? []);
      return {
        name: `ingest-${shape}`,
        what: 'durable over HTTP, traces of 10 spans of 1 KB, 20 a request',
        unit: 'spans/s',
        parameters: { spans: requests * spansPerRequest, rounds, connections },
        measured: figure(measured),
        baseline: { what: 'the same by POST traces', ...figure(own) },
        target: { least: Math.round(0.6 * own.median) },
        more: { share: measured.median / own.median },
        hash: resultHash([shape]),
      };
    });
  } finally {
    await service.stop();
  }
};

/** Spans per second of a load; waits for its fold, which would slow the next one. */
const rateOf = async (
  service: ServiceProcess,
  root: string,
  load: Pick<LoadPlan, 'shape' | 'seed' | 'from' | 'requests' | 'connections'>,
): Promise<number> => {
  const place = { root, run: await newRun(service.client, root, `${load.shape} ${load.from}`) };
  const done = await runLoad(service, place, { ...load, requestsPerSecond: null });
  await waitForPosition(service, place, done.position);
  return (load.requests * spansPerRequest) / done.seconds;
};
