import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { formRequest } from '../test/support/multipart-forms.js';
import { sandboxOf, taskOf, testCache } from '../test/support/sandboxes.js';
import { startService, type ServiceProcess } from '../test/support/service-process.js';
import {
  scorerParts,
  validatePath,
  type RequestedTask,
  type Task,
} from '../test/support/scorer-validations.js';
import { newProject, timeRuns, type BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { percentile, resultHash, summary } from './statistics.js';

const trivial = 'def scorer_fn(*, node_output, **k) -> int:\n    return len(node_output)\n';
const hungry = 'def scorer_fn(**k) -> int:\n    while True: pass\n';
const rowsCount = 1_000;
const requestsCount = 2_000;

/** Cost of code scorers, for themselves and for others. */
export const scorerRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => [
  ...(bench.isWanted('scorer-start') ? [await coldStart(bench)] : []),
  ...(bench.isWanted('scorer-late') ? [await lateness(bench)] : []),
  ...(['scorer-rows', 'scorer-neighbours'].some(bench.isWanted) ? await overHttp(bench) : []),
];

const common = { unit: 'ms', baseline: null } as const;

const coldStart = async (bench: BenchContext): Promise<ResultRow> => {
  const sandbox = sandboxOf('strict');
  await sandbox.ready();
  const runs = bench.smoke ? 2 : 40;
  const said = new Set<string>();
  const took = await timeRuns(runs, async () => {
    said.add((await sandbox.run(taskOf(trivial))).verdict);
  });
  await sandbox.close();
  return {
    ...common,
    name: 'scorer-start',
    what: 'one row of a trivial scorer, from nothing to the verdict, 95 % are faster',
    parameters: { runs },
    measured: { ...figure(summary(took)), value: slowest(took, 0.95) },
    target: { most: 800 },
    more: { median: summary(took).median },
    hash: resultHash([...said]),
  };
};

/** Endless loops in Python, C and JavaScript. */
const endless = [
  hungry,
  'def scorer_fn(**k) -> int:\n    return sum(range(10**12))\n',
  "from pyodide.code import run_js\ndef scorer_fn(**k) -> int:\n    run_js('for (;;) {}')\n",
];
const wallMs = 2_000;

const lateness = async (bench: BenchContext): Promise<ResultRow> => {
  const sandbox = sandboxOf('strict', { wallMs });
  await sandbox.ready();
  const rounds = bench.smoke ? 1 : 8;
  const said = new Set<string>();
  const late: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const source of endless) {
      const took = await timeRuns(1, async () => {
        const verdict = await sandbox.run(taskOf(source));
        said.add(verdict.verdict === 'invalid' ? verdict.kind : verdict.verdict);
      });
      late.push(...took.map((one) => one - wallMs));
    }
  }
  await sandbox.close();
  return {
    ...common,
    name: 'scorer-late',
    what: 'how long after its limit an endless scorer is gone, the slowest',
    parameters: { rounds, 'limit ms': wallMs },
    measured: { ...figure(summary(late)), value: Math.max(...late) },
    target: { most: 500 },
    more: { median: summary(late).median },
    hash: resultHash([...said]),
  };
};

const slowest = (values: readonly number[], share: number): number =>
  percentile(
    values.toSorted((one, other) => one - other),
    share,
  );

const overHttp = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const service = await startService({
    dir: join(bench.dir, 'scorers'),
    env: { ASSAY_SANDBOX: 'strict', ASSAY_SANDBOX_DIR: testCache },
  });
  try {
    const root = await newProject(service.client, 'scorers');
    const dataset = await datasetOf(service);
    // The first one also waits for the probes.
    await validated(service, dataset, trivial);
    const rounds = bench.smoke ? 1 : 5;
    const lasts: unknown[] = [];
    const took = await timeRuns(rounds, async () => {
      lasts.push((await validated(service, dataset, trivial)).result);
    });
    const calm = await answers(service, root);
    for (let at = 0; at < 4; at += 1) await asked(service, dataset, hungry);
    await pause(1_000);
    const busy = await answers(service, root);
    return [
      {
        ...common,
        name: 'scorer-rows',
        what: 'rows of a dataset validated, from the request to the poll that says completed',
        parameters: { rows: rowsCount, rounds },
        measured: figure(summary(took)),
        target: { most: 2_000 },
        more: {},
        hash: resultHash(lasts.slice(0, 1)),
      },
      {
        unit: 'ms',
        name: 'scorer-neighbours',
        what: 'a read beside endless scorers, 99 % are faster',
        parameters: { requests: requestsCount, scorers: 4 },
        measured: { ...figure(summary(busy)), value: slowest(busy, 0.99) },
        baseline: {
          what: 'the same read without them',
          ...figure(summary(calm)),
          value: slowest(calm, 0.99),
        },
        target: null,
        more: { 'median beside scorers': summary(busy).median },
        hash: resultHash([requestsCount]),
      },
    ];
  } finally {
    await service.kill();
  }
};

const datasetOf = async ({ client }: ServiceProcess): Promise<string> => {
  const rows = Array.from({ length: rowsCount }, (_, at) => `question ${at},answer ${at}`);
  const file = ['input,output', ...rows].join('\n');
  const parts = [
    { name: 'name', content: 'rows' },
    { name: 'file', content: file, fileName: 'rows.csv' },
  ];
  return (await client.call<{ id: string }>('POST', '/v2/datasets', formRequest(parts))).body.id;
};

const asked = async (
  { client }: ServiceProcess,
  dataset: string,
  source: string,
): Promise<string> => {
  const parts = scorerParts(source, { dataset_id: dataset, limit: String(rowsCount) });
  const path = `${validatePath}/dataset`;
  return (await client.call<RequestedTask>('POST', path, formRequest(parts))).body.task_id;
};

const validated = async (
  service: ServiceProcess,
  dataset: string,
  source: string,
): Promise<Task> => {
  const id = await asked(service, dataset, source);
  for (;;) {
    const { body } = await service.client.call<Task>('GET', `${validatePath}/${id}`);
    if (body.status === 'completed') return body;
    if (body.status === 'failed') throw new Error(JSON.stringify(body));
    await pause(20);
  }
};

const answers = (service: ServiceProcess, root: string): Promise<readonly number[]> =>
  timeRuns(requestsCount, () => service.client.call('GET', root));
