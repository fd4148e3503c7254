import { join } from 'node:path';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  newProject,
  newRun,
  runLoad,
  waitForPosition,
  type BenchContext,
  type BenchTarget,
} from './bench-context.js';
import { spansPerRequest, wideBodies } from './bodies.js';
import type { ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';
import { countProcessorTime, noProcessorTimes, processorColumns } from './thread-times.js';

const rowNames = { traces: 'read-trace', spans: 'read-span' } as const;
export const readOneRowNames = Object.values(rowNames);

const nouns = { traces: 'a trace of ten spans of 1 KB', spans: 'a span of 1 KB' } as const;
const seed = 19;

/** Processor time of the service for one GET of a trace of ten spans of 1 KB, and of a span. */
export const readOneRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const requests = bench.smoke ? 5 : 100;
  const service = await startService({ dir: join(bench.dir, 'read-one') });
  try {
    const root = await newProject(service.client, 'read-one');
    const place = { root, run: await newRun(service.client, root, 'read') };
    bench.say(`${readOneRowNames.join(', ')}: ${requests * spansPerRequest} spans`);
    const load = { shape: 'wide', seed, from: 0, requests, connections: 8 } as const;
    const done = await runLoad(service, place, { ...load, requestsPerSecond: null });
    await waitForPosition(service, place, done.position);
    const rows: ResultRow[] = [];
    for (const noun of ['traces', 'spans'] as const)
      if (bench.isWanted(rowNames[noun]))
        rows.push(...(await readRow(bench, service, place, { noun, requests })));
    return rows;
  } finally {
    await service.stop();
  }
};

type Sent = { readonly id: string; readonly spans: readonly { readonly id: string }[] };

/** Reads in turn, each record once: what a cache keeps of the reads before is of no use to them. */
const readRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  { root, run }: BenchTarget,
  { noun, requests }: { readonly noun: 'traces' | 'spans'; readonly requests: number },
): Promise<readonly ResultRow[]> => {
  const name = rowNames[noun];
  const bodies = wideBodies(seed, run);
  const ids = Array.from({ length: requests }, (_, n) => bodies(n).traces)
    .flat()
    .map((bytes) => JSON.parse(bytes.toString()) as Sent)
    .map(({ id, spans }) => (noun === 'traces' ? id : (spans.at(-1)?.id ?? '')));
  const read = async (id: string): Promise<unknown> =>
    (await service.client.call('GET', `${root}/${noun}/${id}`)).body;
  const warmUps = Math.floor(ids.length / 5);
  for (const id of ids.slice(0, warmUps)) await read(id);
  const processor: number[] = [];
  const waited: number[] = [];
  const answers: unknown[] = [];
  const inAll = countProcessorTime(service.pid);
  for (const id of ids.slice(warmUps)) {
    const processorTime = countProcessorTime(service.pid);
    const began = performance.now();
    answers.push(await read(id));
    waited.push(performance.now() - began);
    processor.push((processorTime(1)?.sum ?? 0) / 1_000);
  }
  const times = inAll(processor.length);
  if (times === null) {
    bench.say(`${name}: ${noProcessorTimes}`);
    return [];
  }
  const [spent, wall] = [summary(processor), summary(waited)];
  return [
    {
      name,
      what: `processor time of the service for one GET of ${nouns[noun]}`,
      parameters: { spans: requests * spansPerRequest, reads: spent.samples },
      unit: 'ms',
      measured: { value: spent.median, spread: spent.spread, samples: spent.samples },
      baseline: null,
      target: { most: 2 },
      more: {
        'p99 ms': spent.p99,
        ...processorColumns(times, 'ms'),
        'wall p50 ms': wall.median,
        'wall p99 ms': wall.p99,
      },
      hash: resultHash(answers.map(withoutIds)),
    },
  ];
};

/** The answer without the ids of project and run and the times of changes, which runs draw anew. */
export const withoutIds = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (member, value: unknown) =>
      ['project_id', 'run_id', 'updated_at'].includes(member) ? null : value,
    ),
  );
