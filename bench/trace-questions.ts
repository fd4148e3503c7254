import { seededRandom, type SeededRandom } from '../kernel/seeded-random.js';
import type { ServiceProcess } from '../test/support/service-process.js';
import type { BenchContext, BenchTarget } from './bench-context.js';
import { spansPerRequest, variedBodies } from './bodies.js';
import { withoutIds } from './read-one.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';
import { countProcessorTime, processorColumns } from './thread-times.js';

/** A trace of the load, as it was sent. */
type SentTrace = {
  readonly id: string;
  readonly spans: readonly { readonly id: string; readonly input: string }[];
};
type ReadRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
};
type Found = { readonly records?: readonly { readonly id: string }[] };

type TraceQuestion = {
  readonly name: string;
  readonly what: string;
  readonly times: number;
  /** The request about a trace that was drawn from the load. */
  readonly request: (trace: SentTrace, random: SeededRandom, run: string) => ReadRequest;
};

const pageOf = (run: string, filter: object): ReadRequest => ({
  method: 'POST',
  path: 'spans/search',
  body: { log_stream_id: run, limit: 100, filter_tree: filter },
});

/**
 * The four questions that systems for traces publish figures of. Each request is about another
 * trace, tag or words, so no cache answers it.
 */
const questions: readonly TraceQuestion[] = [
  {
    name: 'question-tree',
    what: 'a trace with the tree of its ten spans',
    times: 500,
    request: ({ id }) => ({ method: 'GET', path: `traces/${id}` }),
  },
  {
    name: 'question-span',
    what: 'one span',
    times: 500,
    request: ({ spans }, random) => ({
      method: 'GET',
      path: `spans/${spans[random.integer(0, spans.length - 1)]?.id}`,
    }),
  },
  {
    name: 'question-list',
    what: 'a page of 100 spans by status and tag, newest first',
    times: 200,
    request: (_trace, random, run) =>
      pageOf(run, {
        and: [
          { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 500 } },
          {
            filter: {
              type: 'collection',
              name: 'tags',
              operator: 'one_of',
              value: [`tag-${random.integer(0, 11)}`],
            },
          },
        ],
      }),
  },
  {
    name: 'question-words',
    what: 'a page of 100 spans by three words in a row of their inputs, newest first',
    times: 200,
    request: ({ spans }, random, run) => {
      const words = spans[random.integer(0, spans.length - 1)]?.input.split(' ').slice(1, 4);
      const value = words?.join(' ') ?? '';
      return pageOf(run, { filter: { type: 'text', name: 'input', operator: 'contains', value } });
    },
  },
];
export const traceQuestionRowNames = questions.map(({ name }) => name);

const warmUps = 10;
const drawSeed = 23;

/** Times of the four questions over the load of this seed, asked one after the other. */
export const traceQuestionRows = async (
  bench: BenchContext,
  service: ServiceProcess,
  place: BenchTarget,
  loadSeed: number,
): Promise<readonly ResultRow[]> => {
  const rows: ResultRow[] = [];
  for (const question of questions)
    if (bench.isWanted(question.name))
      rows.push(await questionRow(bench, service, { ...place, loadSeed }, question));
  return rows;
};

const questionRow = async (
  bench: BenchContext,
  service: ServiceProcess,
  { root, run, loadSeed }: BenchTarget & { readonly loadSeed: number },
  { name, what, times, request }: TraceQuestion,
): Promise<ResultRow> => {
  const reads = bench.smoke ? 2 : times;
  bench.say(`${name}: ${reads} times`);
  const random = seededRandom(drawSeed);
  const bodies = variedBodies(loadSeed, run);
  const requests = Math.ceil(bench.spans / spansPerRequest);
  const drawnRequest = (): ReadRequest => {
    const { traces } = bodies(random.integer(0, requests - 1));
    const bytes = traces[random.integer(0, traces.length - 1)] ?? Buffer.alloc(0);
    return request(JSON.parse(bytes.toString()) as SentTrace, random, run);
  };
  const ask = async (): Promise<{ readonly ms: number; readonly answer: unknown }> => {
    const { method, path, body } = drawnRequest();
    const began = performance.now();
    const reply = await service.client.call<Found>(method, `${root}/${path}`, body && { body });
    const ms = performance.now() - began;
    return { ms, answer: reply.body.records?.map(({ id }) => id) ?? withoutIds(reply.body) };
  };
  for (let at = 0; at < Math.min(warmUps, reads); at += 1) await ask();
  const processorTime = countProcessorTime(service.pid);
  const asked: Awaited<ReturnType<typeof ask>>[] = [];
  for (let at = 0; at < reads; at += 1) asked.push(await ask());
  const processor = processorTime(reads);
  const taken = summary(asked.map(({ ms }) => ms));
  return {
    name,
    what: `P50 of: ${what}`,
    parameters: { spans: bench.spans, reads },
    unit: 'ms',
    measured: figure(taken),
    baseline: null,
    target: null,
    more: {
      'p50 ms': taken.median,
      'p95 ms': taken.p95,
      'p99 ms': taken.p99,
      'slowest ms': taken.max,
      ...processorColumns(processor, 'ms'),
    },
    hash: resultHash(asked.map(({ answer }) => answer)),
  };
};
