import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFileName, readLiveGeneration } from '../engines/duckdb/generation-files.js';
import { runAssay, startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  runLoad,
  memoryOf,
  newProject,
  newRun,
  waitForPosition,
  type BenchContext,
  type BenchTarget,
} from './bench-context.js';
import { spansPerRequest, tracesPerRequest, variedBodies } from './bodies.js';
import { directQueryRows, queryRows } from './queries.js';
import { readWholeLog } from './log-replay.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';
import { readYourWritesRow } from './read-your-writes.js';
import { traceQuestionRowNames, traceQuestionRows } from './trace-questions.js';

const connections = 8;
const loadSeed = 13;

export const largeStoreRowNames = [
  'load',
  'custom-search',
  'search',
  'contains',
  ...traceQuestionRowNames,
  'memory-big',
  'disk-big',
  'visible',
  'start-big',
  'rebuild',
];

/** A service with many spans in it: questions, freshness, start, memory, rebuild. */
export const largeStoreRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const dir = join(bench.dir, 'big');
  const service = await startService({ dir });
  const rows: ResultRow[] = [];
  let asked: Awaited<ReturnType<typeof queryRows>> = [];
  let place: BenchTarget;
  try {
    const root = await newProject(service.client, 'big');
    place = { root, run: await newRun(service.client, root, 'big') };
    rows.push(await loadSpans(bench, service, place));
    asked = await queryRows(bench, service, place);
    rows.push(...(await traceQuestionRows(bench, service, place, loadSeed)));
    rows.push(memoryRow(bench, service));
    if (bench.isWanted('visible')) rows.push(await readYourWritesRow(bench, service, place));
  } finally {
    await service.stop();
  }
  rows.push(await diskRow(bench, dir, place));
  rows.push(...(await directQueryRows(bench, dir, place, asked)));
  if (bench.isWanted('start-big')) rows.push(await startRow(bench, dir));
  if (bench.isWanted('rebuild')) rows.push(await rebuildRow(bench, dir));
  return rows;
};

/** Loads as many spans as the bench asks for, and waits until reads show them. */
export const loadSpans = async (
  bench: BenchContext,
  service: ServiceProcess,
  place: BenchTarget,
): Promise<ResultRow> => {
  const requests = Math.ceil(bench.spans / spansPerRequest);
  const spans = requests * spansPerRequest;
  bench.say(`load: ${spans} varied spans over HTTP`);
  const began = performance.now();
  let said = began;
  const load = { shape: 'varied', seed: loadSeed, from: 0, requests, connections } as const;
  const done = await runLoad(service, place, { ...load, requestsPerSecond: null }, (answered) => {
    if (performance.now() - said < 5_000) return;
    said = performance.now();
    bench.say(`load: ${Math.round((answered / requests) * 100)} %`);
  });
  bench.say(`load: accepted at ${Math.round(spans / done.seconds)} spans/s, projecting`);
  await waitForPosition(service, place, done.position);
  const seconds = (performance.now() - began) / 1_000;
  const body = { log_stream_id: place.run };
  const counted = await service.client.call('POST', `${place.root}/spans/count`, { body });
  return {
    name: 'load',
    what: 'small spans of all kinds until reads show all of them',
    parameters: { spans, connections },
    unit: 'spans/s',
    measured: { value: spans / seconds, spread: 0, samples: 1 },
    baseline: {
      what: 'accepted',
      value: spans / done.seconds,
      spread: 0,
      samples: 1,
    },
    target: null,
    more: { 'request p95 ms': done.latency.p95 },
    hash: resultHash(counted.body),
  };
};

const memoryRow = (bench: BenchContext, service: ServiceProcess): ResultRow => {
  const { now, highest } = memoryOf(service.pid);
  return {
    name: 'memory-big',
    what: 'resident after the load and the questions',
    parameters: { spans: bench.spans },
    unit: 'MB',
    measured: { value: now, spread: 0, samples: 1 },
    baseline: null,
    target: { most: 1_024 },
    more: { highest },
    hash: resultHash(null),
  };
};

/** Disk bytes of each span, its share of its trace included. */
const diskRow = async (
  bench: BenchContext,
  dir: string,
  { run }: BenchTarget,
): Promise<ResultRow> => {
  const bytesOf = async (name: string): Promise<number> =>
    (await stat(join(dir, name))).size / bench.spans;
  const bodies = variedBodies(loadSeed, run);
  const sent = Array.from({ length: 20 }, (_, n) => bodies(n).bytes.length / spansPerRequest);
  const log = await bytesOf('log.sqlite');
  const records = await bytesOf(databaseFileName(await readLiveGeneration(dir)));
  return {
    name: 'disk-big',
    what: 'bytes on disk for a span, log and records',
    parameters: { spans: bench.spans },
    unit: 'bytes',
    measured: { value: log + records, spread: 0, samples: 1 },
    baseline: { what: 'bytes sent for a span', ...figure(summary(sent)) },
    target: null,
    more: { log, records },
    hash: resultHash(null),
  };
};

const startRow = async (bench: BenchContext, dir: string): Promise<ResultRow> => {
  const times = bench.smoke ? 1 : 3;
  bench.say(`start-big: ${times} starts`);
  const starts: number[] = [];
  const health: unknown[] = [];
  for (let at = 0; at < times; at += 1) {
    const service = await startService({ dir });
    starts.push(service.startMs);
    health.push((await service.client.call('GET', '/v2/healthcheck')).body);
    await pause(bench.smoke ? 0 : 500);
    await service.stop();
  }
  return {
    name: 'start-big',
    what: 'from spawn to ready on the folder of the load',
    parameters: { spans: bench.spans, events: bench.spans / 10, starts: times },
    unit: 'ms',
    measured: figure(summary(starts)),
    baseline: null,
    target: { most: 2_000 },
    more: { slowest: Math.max(...starts) },
    hash: resultHash(health),
  };
};

const rebuildRow = async (bench: BenchContext, dir: string): Promise<ResultRow> => {
  bench.say('rebuild: the whole log once, then all read models');
  const read = await readWholeLog(dir);
  const began = performance.now();
  const { code, output } = await runAssay(dir, 'rebuild', '--all');
  const seconds = (performance.now() - began) / 1_000;
  if (code !== 0) throw new Error(`rebuild ended with ${code}:\n${output}`);
  return {
    name: 'rebuild',
    what: 'all read models beside the old ones, with the start of the process',
    parameters: { events: read.events, 'spans an event': spansPerRequest / tracesPerRequest },
    unit: 'events/s',
    measured: { value: read.events / seconds, spread: 0, samples: 1 },
    baseline: {
      what: 'reading the log once, every event parsed, nothing folded',
      value: read.events / read.seconds,
      spread: 0,
      samples: 1,
    },
    target: { least: 20_000 },
    more: { seconds },
    hash: resultHash(read.events),
  };
};
