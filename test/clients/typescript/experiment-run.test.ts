import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ExperimentProgress } from '../../../clients/typescript/src/experiment-run.js';
import { Assay } from '../../../clients/typescript/src/node.js';
import { expectNotWorse } from '../../../clients/typescript/src/testing.js';
import { sharedApp } from '../../support/app.js';
import { upload } from '../../support/datasets.js';

type ExperimentComparison = Awaited<ReturnType<Assay['experiments']['compare']>>;
type Row = Readonly<Record<string, unknown>>;
const answer = (row: Row): string => String(row['question']).replace('q', 'a');
const right = (row: Row, output: string): boolean => output === row['output'];

describe('experiments that the TypeScript client runs', () => {
  let assay: Assay;
  let dataset: string;
  before(async () => {
    const { url, apiKey } = await sharedApp();
    const { id } = await new Assay({ url, apiKey }).projects.create({ name: randomUUID() });
    assay = new Assay({ url, apiKey, project: id });
    const file = 'question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n';
    dataset = (await upload(await sharedApp(), { file, parts: { name: `rows ${randomUUID()}` } }))
      .body.id;
  });
  after(() => assay.close());

  const traces = async (experiment_id: string) =>
    (await assay.traces.search({ experiment_id, sort: { name: 'input' } })).records;

  it('have a trace for each row with its reference and metrics', async () => {
    const { name } = await assay.datasets.get({ dataset_id: dataset });
    const run = await assay.runExperiment({
      name: 'first',
      dataset: name,
      task: answer,
      evaluators: { right, none: () => null },
    });
    expect(run).to.include({ rows: 4, ran: 4, skipped: 0, failed: 0, comparison: null });
    expect(run.experiment.dataset).to.include({ dataset_id: dataset, version_index: 1 });
    const { rows } = await assay.datasets.content({ dataset_id: dataset });
    const found = await traces(run.experiment.id);
    const of = (row: (typeof found)[number]) => [
      row.user_metadata['dataset_row_id'],
      row.dataset_input,
      row.output,
      row.dataset_output,
      row.metrics['right'],
    ];
    expect(found.map(of)).to.deep.equal(
      rows.map(({ row_id, values_dict: { question, output } }) => [
        row_id,
        question,
        output,
        output,
        true,
      ]),
    );
  });

  it('go on after errors of the task and of evaluators', async () => {
    const seen: ExperimentProgress[] = [];
    const run = await assay.runExperiment({
      name: 'second',
      dataset,
      task: async (row) => {
        if (row['question'] === 'q2') throw new Error('no such question');
        return answer(row);
      },
      evaluators: {
        score: (_, output) => {
          if (output === 'a3') throw new Error('odd');
          return 0.5;
        },
      },
      concurrency: 2,
      onProgress: (progress) => seen.push(progress),
    });
    expect(run).to.deep.include({ ran: 4, failed: 1, evaluatorErrors: { score: 1 } });
    expect(seen.at(-1)).to.deep.equal({ name: 'second', done: 4, total: 4, failed: 1 });
    const [, second, third] = await traces(run.experiment.id);
    expect(second?.status_code).to.equal(500);
    expect(second?.user_metadata['error.message']).to.contain('no such question');
    expect(third?.user_metadata['evaluator_error.score']).to.contain('odd');
    const other = (await upload(await sharedApp(), { parts: { name: randomUUID() } })).body.id;
    const refused = await assay
      .runExperiment({ name: 'second', dataset: other, task: answer })
      .catch((error: unknown) => error);
    expect(String(refused)).to.contain('runs on another dataset or version');
  });

  it('are compared with a baseline', async () => {
    const evaluators = { right };
    await assay.runExperiment({ name: 'bad', dataset, task: () => 'x', evaluators });
    const { comparison } = await assay.runExperiment({
      name: 'good',
      dataset,
      task: answer,
      evaluators,
      baseline: 'bad',
      metrics: ['right'],
    });
    expectNotWorse(comparison as ExperimentComparison, { metric: 'right', atLeast: 1 });
    expect(() =>
      expectNotWorse(comparison as ExperimentComparison, { metric: 'right', atLeast: 1.5 }),
    ).to.throw('below the bar of 1.5');
  });

  it('resolve the baseline before the first row', async () => {
    const asked: unknown[] = [];
    const task = (row: Row) => asked.push(row);
    for (const baseline of ['bda', randomUUID(), 'first']) {
      const name = baseline === 'first' ? 'first' : 'late';
      const refused = await assay
        .runExperiment({ name, dataset, task, baseline })
        .catch((error: unknown) => error);
      expect(String(refused)).to.match(
        /no experiment of the name "bda"|Experiment not found|"first" is its own baseline/,
      );
    }
    expect(asked).to.deep.equal([]);
    const late = { name: 'name', operator: 'eq', value: 'late' } as const;
    expect((await assay.experiments.search({ filters: [late] })).experiments).to.deep.equal([]);
  });
});
