import { mkdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { startEngineProcesses } from '../test/support/distributed-service.js';
import {
  newProject,
  newRun,
  waitForPosition,
  type BenchContext,
  type BenchTarget,
} from './bench-context.js';
import { loadSpans } from './large-store.js';
import { queryRows, type QueryResult } from './queries.js';
import type { ResultRow } from './result-rows.js';
import { resultHash } from './statistics.js';

const questions = ['custom-search', 'search', 'contains'] as const;
export const distributedRowNames = [
  'spread-load',
  'spread-replica-fill',
  ...questions.flatMap((name) => [`spread-${name}`, `spread-replica-${name}`]),
];

/** A replica may cost what passing by the other engines costs. */
const slowdownMax = 1.3;

/**
 * The service on the EventStoreDB test server, MongoDB and NATS, and a process beside it with a
 * replica of the records; each question also put to one machine with the same load.
 */
export const distributedRows = async (given: BenchContext): Promise<readonly ResultRow[]> => {
  const wanted = (name: string): boolean =>
    given.isWanted(name) || questions.some((one) => name === one && isQueryWanted(given, one));
  const bench: BenchContext = { ...given, spans: given.spreadSpans, isWanted: wanted };
  const alone = await singleMachineRows(bench);
  const dir = join(bench.dir, 'spread');
  await mkdir(dir, { recursive: true });
  const engines = await startEngineProcesses(dir);
  const started: ServiceProcess[] = [];
  const start = async (name: string, more: Start): Promise<ServiceProcess> => {
    const service = await startService({
      dir: join(dir, name),
      ...(more.args && { args: more.args }),
      env: {
        ASSAY_EVENTSTORE_URL: engines.eventstore.url,
        ASSAY_MONGODB_URL: engines.mongo.url,
        ASSAY_NATS_URL: engines.nats.url,
        ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ASSAY_RECORDS: more.records,
      },
    });
    started.push(service);
    return service;
  };
  try {
    const shared = await start('shared', { records: 'shared' });
    const place = await placeOf(shared);
    const load = await loadSpans(bench, shared, place);
    const rows: ResultRow[] = [{ ...load, name: 'spread-load' }];
    const { position } = await shared.client.call('POST', `${place.root}/log_streams`, {
      body: { name: 'last' },
    });
    const began = performance.now();
    const query = ['serve', '--roles', 'query'];
    const replica = await start('replica', { records: 'replica', args: query });
    bench.say('spread-replica-fill');
    await waitForPosition(replica, place, position ?? '');
    rows.push(fillRow(bench, (performance.now() - began) / 1_000, load));
    const beside = (asked: readonly QueryResult[]): readonly ResultRow[] =>
      asked.map(({ question, row }) => withComparison(row, alone.get(question.name)));
    await untilIdle(bench);
    rows.push(...beside(await queryRows(bench, shared, place, { prefix: 'spread-' })));
    await untilIdle(bench);
    rows.push(...beside(await queryRows(bench, replica, place, { prefix: 'spread-replica-' })));
    return rows;
  } finally {
    for (const one of started) await one.kill();
    await engines.stop();
  }
};

type Start = { readonly records: 'shared' | 'replica'; readonly args?: readonly string[] };

const isQueryWanted = ({ isWanted }: BenchContext, question: string): boolean =>
  ['spread', 'spread-replica'].some((kind) => isWanted(`${kind}-${question}`));

const pollIntervalMs = 3_000;
const waitMaxMs = 900_000;
const idleLeast = 0.9;
/**
 * Waits until the machine is idle: records are read once more for the history, on the cores that
 * serve requests; several machines would not share them.
 */
const untilIdle = async ({ smoke, say }: BenchContext): Promise<void> => {
  if (smoke) return;
  const began = performance.now();
  while (performance.now() - began < waitMaxMs) {
    const before = cpus().map(({ times }) => times);
    await pause(pollIntervalMs);
    const [busy, idle] = cpus().reduce(
      ([some, rest], { times }, at) => {
        const gone = times.idle - (before[at]?.idle ?? 0);
        return [some + pollIntervalMs - gone, rest + gone];
      },
      [0, 0],
    );
    if (idle / (busy + idle) >= idleLeast) break;
  }
  say(`quiet after ${Math.round((performance.now() - began) / 1_000)} s`);
};

const placeOf = async ({ client }: ServiceProcess): Promise<BenchTarget> => {
  const root = await newProject(client, 'big');
  return { root, run: await newRun(client, root, 'big') };
};

/** The row of an embedded service, by query. */
const singleMachineRows = async (bench: BenchContext): Promise<ReadonlyMap<string, ResultRow>> => {
  const service = await startService({ dir: join(bench.dir, 'alone') });
  try {
    const place = await placeOf(service);
    await loadSpans(bench, service, place);
    await untilIdle(bench);
    const asked = await queryRows(bench, service, place);
    return new Map(asked.map(({ row }) => [row.name, row]));
  } finally {
    await service.kill();
  }
};

const withComparison = (row: ResultRow, alone: ResultRow | undefined): ResultRow => {
  if (alone === undefined) return row;
  const isSame = alone.hash === row.hash;
  const what = `one machine, embedded engines; ${isSame ? 'same' : 'ANOTHER'} answer`;
  const target = row.name.startsWith('spread-replica')
    ? { most: slowdownMax * alone.measured.value }
    : { most: 5_000 };
  return { ...row, baseline: { ...alone.measured, what }, target };
};

const fillRow = (bench: BenchContext, seconds: number, load: ResultRow): ResultRow => ({
  name: 'spread-replica-fill',
  what: 'a replica that begins with nothing, from its start until it answers with all',
  parameters: { spans: bench.spans },
  unit: 'spans/s',
  measured: { value: bench.spans / seconds, spread: 0, samples: 1 },
  baseline: {
    what: 'the same spans logged and folded by the spread service',
    ...load.measured,
  },
  target: null,
  more: { seconds },
  hash: resultHash(bench.spans),
});
