import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Assay } from '../../../clients/typescript/src/node.js';
import { expectNotWorse } from '../../../clients/typescript/src/testing.js';
import { sharedApp } from '../../support/app.js';
import { upload } from '../../support/datasets.js';

type Row = Readonly<Record<string, unknown>>;
const answer = (row: Row): string => String(row['question']).replace('q', 'a');
const right = (row: Row, output: string): boolean => output === row['output'];
/** Right for two rows of four. */
const half = (row: Row): string => (/[12]/.test(answer(row)) ? answer(row) : 'x');

describe('evaluators of experiments that the TypeScript client runs', () => {
  let assay: Assay;
  let dataset: string;
  let lines: string[];
  before(async () => {
    const file = 'question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n';
    dataset = (await upload(await sharedApp(), { file, parts: { name: `rows ${randomUUID()}` } }))
      .body.id;
  });
  beforeEach(async () => {
    const { url, apiKey } = await sharedApp();
    const { id } = await new Assay({ url, apiKey }).projects.create({ name: randomUUID() });
    lines = [];
    const logger = { onWarning: (line: string) => lines.push(line) };
    assay = new Assay({ url, apiKey, project: id, logger });
  });
  afterEach(() => assay.close());

  const values = async (experiment_id: string, metric = 'right') =>
    (await assay.traces.search({ experiment_id, sort: { name: 'input' } })).records.map(
      ({ metrics }) => metrics[metric],
    );

  it('have one type: numbers beside booleans are booleans where they are 0 or 1', async () => {
    const evaluators = { right };
    await assay.runExperiment({ name: 'all', dataset, task: answer, evaluators });
    const mixed = await assay.runExperiment({
      name: 'half',
      dataset,
      task: half,
      evaluators: { right: (row, output) => (right(row, output) ? true : 0) },
      baseline: 'all',
      concurrency: 1,
    });
    expect(mixed).to.deep.include({ converted: { right: 2 }, evaluatorErrors: {} });
    expect(await values(mixed.experiment.id)).to.deep.equal([true, true, false, false]);
    expect(() => expectNotWorse(mixed, { metric: 'right', atLeast: -0.02 })).to.throw('below the');
    const rates = await assay.runExperiment({
      name: 'rates',
      dataset,
      task: half,
      evaluators: { right: (row, output) => (right(row, output) ? 1 : 0.5) },
    });
    expect(rates).to.deep.include({ converted: { right: 2 }, evaluatorErrors: { right: 2 } });
    expect(rates.firstErrors['right']).to.equal(
      '0.5 is a number, and the first value of "right" in the project was a boolean. Return a ' +
        'boolean, 0 or 1, or name the metric differently',
    );
    expect(await values(rates.experiment.id)).to.deep.equal([true, true, undefined, undefined]);
  });

  it('have one type: booleans beside numbers are 1 and 0, texts are errors', async () => {
    const outcomes = { a1: 0.5, a2: true, a3: false, a4: 'good' } as const;
    const run = await assay.runExperiment({
      name: 'scores',
      dataset,
      task: answer,
      evaluators: { score: (_, output) => outcomes[output as 'a1'] },
      concurrency: 1,
    });
    expect(run).to.deep.include({ converted: { score: 2 }, evaluatorErrors: { score: 1 } });
    expect(await values(run.experiment.id, 'score')).to.deep.equal([0.5, 1, 0, undefined]);
  });

  it('are counted when they throw or return NaN, with a warning of the first error', async () => {
    const run = await assay.runExperiment({
      name: 'broken',
      dataset,
      task: answer,
      evaluators: {
        right: () => {
          throw new TypeError('not a row');
        },
        score: (_, output) => (output === 'a1' ? 1 : Number.NaN),
        odd: () => ({}) as never,
      },
      concurrency: 1,
    });
    expect(run.evaluatorErrors).to.deep.equal({ right: 4, score: 3, odd: 4 });
    const begin = (metric: string) =>
      `assay: evaluator "${metric}" of experiment "broken" gave no value for a row: `;
    const end = '. evaluatorErrors counts such rows';
    expect(lines).to.deep.equal([
      `${begin('right')}TypeError: not a row${end}`,
      `${begin('odd')}{} is neither a number nor a boolean nor a text${end}`,
      `${begin('score')}NaN is not a finite number${end}`,
    ]);
    const compared = await assay.runExperiment({
      name: 'whole',
      dataset,
      task: answer,
      evaluators: {
        right: () => {
          throw new TypeError('not a row');
        },
      },
      baseline: 'broken',
    });
    expect(() => expectNotWorse(compared, { metric: 'right' })).to.throw(
      /no metric "right"; it has .*Its evaluator gave no value for 4 rows, first: TypeError: not a/,
    );
  });

  it('fail the regression test when the task of the candidate throws on rows', async () => {
    await assay.runExperiment({ name: 'old', dataset, task: answer, evaluators: { right } });
    const run = await assay.runExperiment({
      name: 'new',
      dataset,
      task: (row) => {
        if (half(row) === 'x') throw new Error('crash');
        return answer(row);
      },
      evaluators: { right },
      baseline: 'old',
    });
    const bar = { metric: 'right', atLeast: -0.02 };
    const sentence =
      'right of "new" (higher is better): 2 rows failed, and 2 of the 4 rows with a value in the ' +
      'baseline have none; missingAtMost is 0';
    expect(() => expectNotWorse(run, bar)).to.throw(sentence);
    const { comparison } = run;
    if (comparison === null) throw new Error('there is a baseline');
    expect(() => expectNotWorse(comparison, bar)).to.throw(sentence);
    expectNotWorse(run, { ...bar, missingAtMost: 2 });
    const bound = { metric: 'duration_ns', atLeast: -1e12 };
    expect(() => expectNotWorse(run, bound)).to.throw('2 rows failed, and 0 of the 4 rows');
  });
});
