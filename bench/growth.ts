import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { newProject, newRun, waitForPosition, type BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

type Growth = {
  readonly name: string;
  /** The thing that is doubled; `size` counts it. */
  readonly what: string;
  readonly size: number;
  readonly smoke: number;
  readonly rounds: number;
  /** Does it for that many and resolves when reads show it. */
  readonly work: (place: GrowthPlace, size: number) => Promise<void>;
};

const tracesAtOnce = 500;
const spansAtOnce = 1_000;

const span = (at: number) => ({ id: randomUUID(), type: 'tool', name: `step ${at}`, input: 'x' });

const growths: readonly Growth[] = [
  {
    name: 'growth-session',
    what: 'traces into one session, until reads show them, and its first page',
    size: 50_000,
    smoke: 500,
    rounds: 1,
    work: async ({ client, root, run, shown }, size) => {
      const body = { log_stream_id: run, name: 'growing' };
      const { id } = (await client.call<{ id: string }>('POST', `${root}/sessions`, { body })).body;
      await shown(portions(size, tracesAtOnce), (numbers) => ({
        path: 'traces',
        body: {
          log_stream_id: run,
          session_id: id,
          traces: numbers.map((at) => ({ input: `turn ${at}` })),
        },
      }));
      await client.call('GET', `${root}/sessions/${id}`);
    },
  },
  {
    name: 'growth-trace',
    what: 'spans into one trace, until reads show it whole',
    size: 5_000,
    smoke: 200,
    rounds: 3,
    work: async (place, size) => {
      const id = await newTrace(place);
      await place.shown(portions(size, spansAtOnce), (numbers) => ({
        path: 'spans',
        body: { trace_id: id, parent_id: id, spans: numbers.map(span) },
      }));
      await place.client.call('GET', `${place.root}/traces/${id}`);
    },
  },
  {
    name: 'growth-stream',
    what: 'changes of one trace, eight asked for at a time, until reads show the last',
    size: 50_000,
    smoke: 200,
    rounds: 1,
    work: async (place, size) => {
      const id = await newTrace(place);
      const change = ([at]: readonly number[]) => ({
        method: 'PATCH',
        path: `traces/${id}`,
        body: { output: `answer ${at}` },
      });
      await place.shown(portions(size, 1), change, 8);
    },
  },
  {
    name: 'growth-texts',
    what: 'bytes of one text of each of 20 traces, until reads show them',
    size: 524_288,
    smoke: 16_384,
    rounds: 3,
    work: async ({ run, shown }, size) => {
      await shown(portions(20, 1), () => {
        const input = `${randomUUID()} word `.repeat(Math.ceil(size / 42)).slice(0, size);
        return { path: 'traces', body: { log_stream_id: run, traces: [{ input }] } };
      });
    },
  },
];

/** Numbers from 0, so many at a time. */
const portions = (count: number, atOnce: number): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(count / atOnce) }, (_, at) =>
    Array.from({ length: Math.min(atOnce, count - at * atOnce) }, (__, n) => at * atOnce + n),
  );

const newTrace = async ({ client, root, run }: GrowthPlace): Promise<string> => {
  const id = randomUUID();
  const body = { log_stream_id: run, traces: [{ id, input: 'x' }] };
  await client.call('POST', `${root}/traces`, { body });
  return id;
};

/** A log stream of its own. */
const openPlace = async ({ client, ...service }: ServiceProcess, root: string) => {
  const run = await newRun(client, root, randomUUID());
  return {
    client,
    root,
    run,
    /** Sends the portions, so many at a time, and resolves once reads show the last. */
    shown: async (
      sent: readonly (readonly number[])[],
      askOf: (numbers: readonly number[]) => {
        readonly method?: string;
        readonly path: string;
        readonly body: object;
      },
      atOnce = 1,
    ): Promise<void> => {
      let position = '';
      const left = sent.values();
      const sendOn = async (): Promise<void> => {
        for (const numbers of left) {
          const { method = 'POST', path, body } = askOf(numbers);
          const answer = await client.call(method, `${root}/${path}`, { body });
          if (answer.position !== null && answer.position > position) position = answer.position;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, sendOn));
      await waitForPosition({ client, ...service }, { root, run }, position);
    },
  };
};
type GrowthPlace = Awaited<ReturnType<typeof openPlace>>;

export const growthRowNames = growths.map(({ name }) => name);

/** Time of twice the size over that of the size: 2 is linear, 4 quadratic. */
export const growthRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const service = await startService({ dir: join(bench.dir, 'growth') });
  try {
    const root = await newProject(service.client, 'growth');
    const rows: ResultRow[] = [];
    for (const one of growths) {
      if (bench.isWanted(one.name)) rows.push(await growthOf(bench, service, root, one));
    }
    return rows;
  } finally {
    await service.stop();
  }
};

const growthOf = async (
  bench: BenchContext,
  service: ServiceProcess,
  root: string,
  { name, what, work, ...given }: Growth,
): Promise<ResultRow> => {
  const size = bench.smoke ? given.smoke : given.size;
  const rounds = bench.smoke ? 1 : given.rounds;
  const taken = async (some: number): Promise<number> => {
    bench.say(`${name}: ${some}`);
    const began = performance.now();
    await work(await openPlace(service, root), some);
    return (performance.now() - began) / 1_000;
  };
  // What the first compiles and caches is no part of the growth.
  await work(await openPlace(service, root), Math.ceil(size / 10));
  const once: number[] = [];
  const twice: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    once.push(await taken(size));
    twice.push(await taken(size * 2));
  }
  return {
    name,
    what: `twice as many ${what}`,
    unit: '×',
    parameters: { size, twice: size * 2, rounds },
    measured: figure(summary(twice.map((seconds, at) => seconds / (once[at] ?? 1)))),
    baseline: { what: 'in proportion', value: 2, spread: 0, samples: 1 },
    target: { most: 2.5 },
    more: { 'seconds once': summary(once).median, 'seconds twice': summary(twice).median },
    hash: resultHash([name]),
  };
};
