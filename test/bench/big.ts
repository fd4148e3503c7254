import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileName, readPointer } from '../../engines/duckdb/pointer.js';
import { assay, startService, type ServiceProcess } from '../support/service-process.js';
import {
  loaded,
  memoryOf,
  newProject,
  newRun,
  projected,
  type Bench,
  type Place,
} from './bench.js';
import { spansPerRequest, tracesPerRequest, variedBodies } from './bodies.js';
import { askedStraight, questionRows } from './questions.js';
import { readWholeLog } from './read-log.js';
import { figure, type Row } from './row.js';
import { resultHash, summary } from './stats.js';
import { visibleRow } from './visible.js';

const connections = 8;
const loadSeed = 13;

export const bigRowNames = [
  'load',
  'custom-search',
  'search',
  'contains',
  'memory-big',
  'disk-big',
  'visible',
  'start-big',
  'rebuild',
];

/** A service with many spans in it: questions, freshness, start, memory, rebuild. */
export const bigRows = async (bench: Bench): Promise<readonly Row[]> => {
  const dir = join(bench.dir, 'big');
  const service = await startService({ dir });
  const rows: Row[] = [];
  let asked: Awaited<ReturnType<typeof questionRows>> = [];
  let place: Place;
  try {
    const root = await newProject(service.client, 'big');
    place = { root, run: await newRun(service.client, root, 'big') };
    rows.push(await fill(bench, service, place));
    asked = await questionRows(bench, service, place);
    rows.push(memoryRow(bench, service));
    if (bench.wanted('visible')) rows.push(await visibleRow(bench, service, place));
  } finally {
    await service.stop();
  }
  rows.push(await diskRow(bench, dir, place));
  rows.push(...(await askedStraight(bench, dir, place, asked)));
  if (bench.wanted('start-big')) rows.push(await startRow(bench, dir));
  if (bench.wanted('rebuild')) rows.push(await rebuildRow(bench, dir));
  return rows;
};

/** Loads as many spans as the bench asks for, and waits until reads show them. */
export const fill = async (bench: Bench, service: ServiceProcess, place: Place): Promise<Row> => {
  const requests = Math.ceil(bench.spans / spansPerRequest);
  const spans = requests * spansPerRequest;
  bench.say(`load: ${spans} varied spans over HTTP`);
  const began = performance.now();
  let said = began;
  const load = { shape: 'varied', seed: loadSeed, from: 0, requests, connections } as const;
  const done = await loaded(service, place, { ...load, requestsPerSecond: null }, (answered) => {
    if (performance.now() - said < 5_000) return;
    said = performance.now();
    bench.say(`load: ${Math.round((answered / requests) * 100)} %`);
  });
  bench.say(`load: accepted at ${Math.round(spans / done.seconds)} spans/s, projecting`);
  await projected(service, place, done.position);
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

const memoryRow = (bench: Bench, service: ServiceProcess): Row => {
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

/** What lies on the disk of each span, its share of its trace included. */
const diskRow = async (bench: Bench, dir: string, { run }: Place): Promise<Row> => {
  const bytesOf = async (name: string): Promise<number> =>
    (await stat(join(dir, name))).size / bench.spans;
  const bodies = variedBodies(loadSeed, run);
  const sent = Array.from({ length: 20 }, (_, n) => bodies(n).bytes.length / spansPerRequest);
  const log = await bytesOf('log.sqlite');
  const records = await bytesOf(fileName(await readPointer(dir)));
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

const startRow = async (bench: Bench, dir: string): Promise<Row> => {
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

const rebuildRow = async (bench: Bench, dir: string): Promise<Row> => {
  bench.say('rebuild: the whole log once, then all read models');
  const read = await readWholeLog(dir);
  const began = performance.now();
  const { code, output } = await assay(dir, 'rebuild', '--all');
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
