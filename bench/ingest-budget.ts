import { join } from 'node:path';
import { startEventStore } from '../test/support/distributed-service.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { newProject, newRun, type BenchContext } from './bench-context.js';
import { countSpans } from './ingest.js';
import { spansPerRequest } from './bodies.js';
import { measureLoad } from './load-round.js';
import type { ResultRow } from './result-rows.js';
import { resultHash } from './statistics.js';
import { countProcessorTime, noProcessorTimes, processorColumns } from './thread-times.js';

const connections = 8;
const budgets = [
  { name: 'ingest-budget', shape: 'wide', requests: 400, what: 'spans of 1 KB' },
  {
    name: 'ingest-budget-450',
    shape: 'varied',
    requests: 400,
    what: 'spans of all kinds of some 450 bytes',
  },
] as const;
/** The log on the EventStoreDB test server, whose processor time counts by itself. */
const eventStoreBudget = {
  name: 'ingest-budget-eventstore',
  shape: 'wide',
  requests: 200,
  what: 'spans of 1 KB, the log on the EventStoreDB test server',
} as const;
export const eventStoreBudgetRowName = eventStoreBudget.name;
type Budget = (typeof budgets)[number] | typeof eventStoreBudget;
const secretKey = Buffer.alloc(32, 7).toString('base64');
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

/** The same with the log on the EventStoreDB test server, which takes longer. */
export const eventStoreBudgetRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const dir = join(bench.dir, eventStoreBudget.name);
  const server = await startEventStore(`${dir}-server`);
  try {
    const env = { ASSAY_EVENTSTORE_URL: server.url, ASSAY_SECRET_KEY: secretKey };
    const service = await startService({ dir, env });
    try {
      return await budgetRow(bench, service, eventStoreBudget, server.pid());
    } finally {
      await service.stop();
    }
  } finally {
    await server.kill();
  }
};

const budgetRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  { name, shape, what, requests: usual }: Budget,
  serverPid: number | null = null,
): Promise<readonly ResultRow[]> => {
  const root = await newProject(service.client, name);
  const run = await newRun(service.client, root, 'warm-up');
  const requests = bench.smoke ? 10 : usual;
  const warmUps = requests / 2;
  const spans = requests * spansPerRequest;
  bench.say(`${name}: ${warmUps * spansPerRequest} spans to warm up, then ${spans}`);
  const load = { shape, seed: 11, connections } as const;
  await measureLoad(service, { root, run }, { ...load, from: 0, requests: warmUps });
  const place = { root, run: await newRun(service.client, root, 'measured') };
  const serverTime = serverPid === null ? null : countProcessorTime(serverPid);
  const round = await measureLoad(service, place, { ...load, from: warmUps, requests });
  const ofServer = serverTime?.(spans)?.sum;
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
        ...(ofServer !== undefined && { 'test server µs': ofServer }),
        'generator µs': round.generatorMicroseconds,
        'accepted spans/s': round.accepted,
        'visible spans/s': round.visible,
        'request p95 ms': round.requestP95Ms,
      },
      hash: resultHash(await countSpans(service, place)),
    },
  ];
};
