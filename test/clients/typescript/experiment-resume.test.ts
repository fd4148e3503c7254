import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Assay } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { upload } from '../../support/datasets.js';
import { keyRing } from '../../support/key-ring.js';
import { pollUntil } from '../../support/poll-until.js';

type Row = Readonly<Record<string, unknown>>;
const answer = (row: Row): string => String(row['question']).replace('q', 'a');
const right = (row: Row, output: string): boolean => output === row['output'];

describe('an experiment that the TypeScript client runs again', () => {
  let assay: Assay;
  let dataset: string;
  let name: string;
  before(async () => {
    const { url, apiKey } = await sharedApp();
    const { id } = await new Assay({ url, apiKey }).projects.create({ name: randomUUID() });
    assay = new Assay({ url, apiKey, project: id, logger: { onWarning: () => undefined } });
    const file = 'question,output\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n';
    dataset = (await upload(await sharedApp(), { file, parts: { name: `rows ${randomUUID()}` } }))
      .body.id;
  });
  beforeEach(() => {
    name = randomUUID();
  });
  after(() => assay.close());

  const traces = async (experiment_id: string) =>
    (await assay.traces.search({ experiment_id, sort: { name: 'input' } })).records;
  const fails = (row: Row): string => {
    if (row['question'] === 'q2') throw new Error('no such question');
    return answer(row);
  };
  const odd = (row: Row, output: string): boolean => {
    if (output === 'a3') throw new Error('odd');
    return right(row, output);
  };

  it('skips finished rows and replaces traces of failed tasks and evaluators', async () => {
    const once = { name, dataset };
    const first = await assay.runExperiment({ ...once, task: fails, evaluators: { right: odd } });
    expect(first).to.include({ ran: 4, skipped: 0, failed: 1, repeated: 0 });
    const asked = new Set<unknown>();
    const task = (row: Row): string => {
      asked.add(row['question']);
      return answer(row);
    };
    const mended = await assay.runExperiment({ ...once, task, evaluators: { right } });
    expect(mended).to.include({ ran: 2, skipped: 2, failed: 0, repeated: 2 });
    expect(asked).to.deep.equal(new Set(['q2', 'q3']));
    const found = await traces(mended.experiment.id);
    const of = (row: (typeof found)[number]) => [
      row.output,
      row.status_code,
      row.metrics['right'],
      Object.keys(row.user_metadata),
    ];
    expect(found.map(of)).to.deep.equal(
      ['a1', 'a2', 'a3', 'a4'].map((output) => [output, 200, true, ['dataset_row_id']]),
    );
    const whole = await assay.runExperiment({ ...once, task, evaluators: { right } });
    expect(whole).to.include({ ran: 0, skipped: 4, repeated: 0 });
  });

  it('runs a row whose trace was cut off by the end of the program', async () => {
    const { url, apiKey } = await sharedApp();
    const other = new Assay({ url, apiKey, project: await projectId(), logger: { exitMs: 5_000 } });
    const begun: unknown[] = [];
    void other.runExperiment({
      name,
      dataset,
      task: (row) => {
        begun.push(row);
        // As a row that runs while the program is interrupted.
        return row['question'] === 'q3' ? new Promise<string>(() => undefined) : answer(row);
      },
    });
    await pollUntil('all rows begun', 20_000, async () => begun.length === 4);
    expect(await other.close()).to.equal(true);
    const named = { name: 'name', operator: 'eq', value: name } as const;
    const [experiment] = (await assay.experiments.search({ filters: [named] })).experiments;
    const id = experiment?.id ?? '';
    await pollUntil('its traces are there', 20_000, async () => (await traces(id)).length === 4);
    expect((await traces(id)).map((one) => one.is_complete)).to.deep.equal([
      true,
      true,
      false,
      true,
    ]);
    const run = await assay.runExperiment({ name, dataset, task: answer, evaluators: { right } });
    expect(run).to.include({ ran: 1, skipped: 3, failed: 0, repeated: 1 });
    const found = await traces(id);
    expect(found.map(({ output, is_complete }) => [output, is_complete])).to.deep.equal(
      ['a1', 'a2', 'a3', 'a4'].map((output) => [output, true]),
    );
  });

  it('leaves the failed trace beside the new one where the key may not delete', async () => {
    const app = await sharedApp();
    const keys = keyRing(app);
    const project = await projectId();
    const first = await assay.runExperiment({ name, dataset, task: fails });
    const key = await keys.make({ project_id: project, project_role: 'editor' });
    const lines: string[] = [];
    const logger = { onWarning: (line: string) => lines.push(line) };
    const editor = new Assay({ url: app.url, apiKey: key.api_key, project, logger });
    const run = await editor.runExperiment({ name, dataset, task: answer });
    expect(run).to.include({ ran: 1, skipped: 3, failed: 0, repeated: 1 });
    expect(lines).to.deep.equal([
      'assay: unfinished traces (1) of rows that ran again stay in the experiment and count in ' +
        'its means: deleting them takes the role owner in the project',
    ]);
    expect(await traces(first.experiment.id)).to.have.length(5);
    // A key with the role owner deletes it in the next run.
    expect(await assay.runExperiment({ name, dataset, task: answer })).to.include({ ran: 0 });
    expect(await traces(first.experiment.id)).to.have.length(4);
    await editor.close();
    keys.close();
  });

  const projectId = async (): Promise<string> =>
    (await assay.runExperiment({ name: 'any', dataset, task: answer })).experiment.project_id;
});
