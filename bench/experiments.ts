import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openBus } from '../engines/memory/bus.js';
import { openEventLog } from '../engines/sqlite/event-log.js';
import { decode } from '../events/codec.js';
import { streamNameOf, type NewEvent, type StreamAppend } from '../kernel/ports.js';
import { experimentCreated } from '../test/support/experiment-facts.js';
import { appendOf, metadata } from '../test/support/new-events.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import { newProject, waitForPosition, timeRuns, type BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const groups = 100;
const tracesEach = 4;
const experimentsAtOnce = 200;
const warmUp = 20;

type Found = {
  readonly experiments: readonly { readonly name: string; readonly rank: number | null }[];
};

/**
 * Searches over many experiments, half of them in no group and so ranked together. Each search
 * filters, sorts, pages and counts another way.
 */
export const experimentRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const count = bench.smoke ? 200 : 50_000;
  const dir = join(bench.dir, 'experiments');
  const empty = await startService({ dir });
  const root = await newProject(empty.client, 'experiments');
  await empty.client.call('PUT', `${root}/experiments/ranking_criteria`, { body: { criteria } });
  await empty.stop();
  bench.say(`experiments: ${count} of them, ${tracesEach} traces each, into the log`);
  const filled = await fill(dir, root.slice(root.lastIndexOf('/') + 1), count);
  const service = await startService({ dir });
  try {
    bench.say('experiments: projecting');
    const [run = ''] = filled.runs;
    await waitForPosition(service, { root, run }, filled.position, 'experiment_id');
    return [
      await searched(bench, service, { root, count }, null),
      await searched(bench, service, { root, count }, filled.runs),
    ];
  } finally {
    await service.stop();
  }
};

const criteria = [
  { metric: 'reward', weight: 2, direction: 'higher' },
  { metric: 'toxicity', weight: 1, direction: 'lower' },
];

type Filled = { readonly runs: readonly string[]; readonly position: string };

/** Appends what creating experiments and logging into them over HTTP would, many at a time. */
const fill = async (dir: string, project: string, count: number): Promise<Filled> => {
  const bus = openBus('bench');
  const log = await openEventLog({ dir, bus, decode });
  const runs: string[] = [];
  let position = '';
  for (let from = 0; from < count; from += experimentsAtOnce) {
    const places = Array.from(
      { length: Math.min(experimentsAtOnce, count - from) },
      (_, at) => from + at,
    );
    const batch = places.flatMap((at) => {
      const run = randomUUID();
      runs.push(run);
      return [created(project, run, at), ...measured(project, run, at)];
    });
    for (const result of await log.append(batch)) {
      if (result === 'conflict') throw new Error('the log refused an append of its only writer');
      position = result.position > position ? result.position : position;
    }
  }
  await log.close();
  await bus.close();
  return { runs, position };
};

const event = (type: string, data: object): NewEvent => ({
  type,
  data,
  id: randomUUID(),
  metadata,
});

const created = (project: string, run: string, at: number): StreamAppend => {
  const place = at % groups;
  const group = { id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}` };
  return appendOf(
    streamNameOf('run', run),
    'none',
    event('ExperimentCreated', {
      ...experimentCreated({
        run_id: run,
        project_id: project,
        organization_id: project,
        name: `prompt ${(at * 7_919) % 1_000} of ${at}`,
        created_by: project,
        created_at: instantAt(at),
      }),
      group: at % 2 === 0 ? null : { ...group, name: `group ${place}` },
    }),
  );
};

const instantAt = (at: number): string =>
  new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString().replace('Z', '000Z');

const measured = (project: string, run: string, at: number): readonly StreamAppend[] =>
  metricsOf(at).map((metrics) => {
    const trace = randomUUID();
    return appendOf(
      streamNameOf('trace', project, trace),
      'none',
      event('TraceLogged', {
        project_id: project,
        run_id: run,
        run_kind: 'experiment',
        trace_id: trace,
        session_id: null,
        is_complete: true,
        logging_method: 'api_direct',
        client_version: null,
        trace: {
          type: 'trace',
          id: trace,
          created_at: instantAt(at),
          input: 'question',
          output: 'answer',
          metrics,
        },
        spans: [],
      }),
    );
  });

const metricsOf = (at: number): readonly object[] =>
  Array.from({ length: tracesEach }, (_, place) => ({
    reward: ((at + place) * 31) % 7,
    toxicity: (((at * 13 + place) % 100) + 1) / 101,
    solved: (at + place) % 3 === 0,
    num_input_tokens: 100 + (at % 50),
    cost: (at % 90) / 1_000,
  }));

const logInto = async (
  client: ServiceProcess['client'],
  root: string,
  run: string,
  at: number,
): Promise<void> => {
  const traces = metricsOf(at).map((metrics) => ({ input: 'question', output: 'answer', metrics }));
  await client.call('POST', `${root}/traces`, { body: { experiment_id: run, traces } });
};

/** `ids`: something is logged into one of these before each search, which is not timed. */
const searched = async (
  bench: BenchContext,
  { client }: ServiceProcess,
  { root, count }: { readonly root: string; readonly count: number },
  ids: readonly string[] | null,
): Promise<ResultRow> => {
  const name = ids === null ? 'experiment-search' : 'experiment-search-written';
  const times = bench.smoke ? 4 : 200;
  bench.say(`${name}: ${times} times`);
  const answers: unknown[] = [];
  let round = 0;
  const ask = async (): Promise<void> => {
    const body = questionAt(round, count);
    const { body: found } = await client.call<Found>('POST', `${root}/experiments/search`, {
      body,
    });
    answers.push(found.experiments.map((one) => [one.name, one.rank]));
  };
  // The first ones are interpreted, not compiled: a service that has run for a while is asked.
  for (; round < warmUp; round += 1) await ask();
  answers.length = 0;
  const taken: number[] = [];
  for (; round < warmUp + times; round += 1) {
    if (ids !== null) {
      const run = ids[(round * 977) % ids.length] ?? '';
      await logInto(client, root, run, round);
      // Until reads show it: what is timed is the search, not the projection.
      await client.call('GET', `${root}/experiments/${run}/tags`);
      await client.call('POST', `${root}/traces/count`, { body: { experiment_id: run } });
    }
    taken.push(...(await timeRuns(1, ask)));
  }
  const summed = summary(taken);
  return {
    name,
    what:
      ids === null
        ? 'p95 of: a search over experiments, filtered, sorted, counted and ranked, a page of 100'
        : 'the same, each after traces were logged into one of them',
    parameters: { experiments: count, 'traces each': tracesEach, times },
    unit: 'ms',
    measured: { ...figure(summed), value: summed.p95 },
    baseline: null,
    target: { most: 50 },
    more: { 'median ms': summed.median, 'slowest ms': summed.max },
    hash: resultHash(answers),
  };
};

const questionAt = (round: number, count: number): object => {
  const contains = { name: 'name', operator: 'contains', value: `prompt ${round * 3} of` };
  const folded = { ...contains, value: `PROMPT ${round % 10}`, case_sensitive: false };
  const recent = { name: 'created_at', operator: 'gte', value: '2020-01-01T00:00:00Z' };
  const group = { name: 'experiment_group_name', operator: 'eq', value: `group ${round % groups}` };
  const questions: readonly object[] = [
    { filters: [recent], starting_token: (round * 37) % Math.max(1, count - 100) },
    { filters: [folded], sort: { name: 'name' }, starting_token: 100 },
    { filters: [contains, recent], sort: { name: 'created_at', ascending: true } },
    { filters: [group], sort: { name: 'name', ascending: false } },
  ];
  return { limit: 100, include_counts: true, ...questions[round % questions.length] };
};
