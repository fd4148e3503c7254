import { join } from 'node:path';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { newProject, newRun, type BenchContext } from './bench-context.js';
import { countSpans } from './ingest.js';
import { spansPerRequest } from './bodies.js';
import { measureLoad } from './load-round.js';
import type { ResultRow } from './result-rows.js';
import { resultHash } from './statistics.js';
import { noProcessorTimes, processorColumns } from './thread-times.js';

const connections = 8;
const budgets = [
  { name: 'ingest-budget', shape: 'wide', what: 'spans of 1 KB' },
  { name: 'ingest-budget-450', shape: 'varied', what: 'spans of all kinds of some 450 bytes' },
] as const;
export const ingestBudgetRowNames = budgets.map(({ name }) => name);

/**
 * Processor time of the service a span by thread, from the request until reads show it: a round to
 * warm up, then the one that is measured, so that two trees can be run in turn within minutes.
 */
export const ingestBudgetRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const rows: ResultRow[] = [];
  for (const budget of budgets.filter(({ name }) => bench.isWanted(name))) {
    const service = await startService({ dir: join(bench.dir, budget.name) });
    try {
      rows.push(...(await budgetRow(bench, service, budget)));
    } finally {
      await service.stop();
    }
  }
  return rows;
};

const budgetRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  { name, shape, what }: (typeof budgets)[number],
): Promise<readonly ResultRow[]> => {
  const root = await newProject(service.client, name);
  const run = await newRun(service.client, root, 'warm-up');
  const warmUps = bench.smoke ? 5 : 200;
  const requests = bench.smoke ? 10 : 400;
  const spans = requests * spansPerRequest;
  bench.say(`${name}: ${warmUps * spansPerRequest} spans to warm up, then ${spans}`);
  const load = { shape, seed: 11, connections } as const;
  await measureLoad(service, { root, run }, { ...load, from: 0, requests: warmUps });
  const place = { root, run: await newRun(service.client, root, 'measured') };
  const round = await measureLoad(service, place, { ...load, from: warmUps, requests });
  if (round.processor === null) {
    bench.say(`${name}: ${noProcessorTimes}`);
    return [];
  }
  return [
    {
      name,
      what: `processor time of the service for one span, ${what}`,
      parameters: { spans, connections },
      unit: 'µs',
      measured: { value: round.processor.sum, spread: 0, samples: 1 },
      baseline: null,
      target: null,
      more: {
        ...processorColumns(round.processor, 'µs'),
        'generator µs': round.generatorMicroseconds,
        'accepted spans/s': round.accepted,
        'visible spans/s': round.visible,
        'request p95 ms': round.requestP95Ms,
      },
      hash: resultHash(await countSpans(service, place)),
    },
  ];
};
