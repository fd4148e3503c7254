import { expect } from 'chai';
import { parseCondition } from '../../tools/filter-condition.js';
import { sharedApp, type App } from '../support/app.js';
import { uuid } from '../support/recorded-project.js';
import { programName } from '../support/test-environment.js';
import { runTransfer } from '../support/transfer-commands.js';

describe('a condition of --where', () => {
  it('is a column, an operator or its sign, and a value', () => {
    expect(parseCondition('metrics/cost > 0.1')).to.deep.equal({
      column: 'metrics/cost',
      operator: '>',
      value: 0.1,
    });
    expect(parseCondition('model one_of ["a","b"]')).to.deep.equal({
      column: 'model',
      operator: 'one_of',
      value: ['a', 'b'],
    });
    expect(parseCondition('input contains to Oslo')).to.include({ value: 'to Oslo' });
    expect(parseCondition('name!=trip')).to.include({ operator: '!=', value: 'trip' });
    expect(parseCondition('output is_null')).to.deep.equal({
      column: 'output',
      operator: 'is_null',
    });
    expect(() => parseCondition('reward')).to.throw(
      "--where 'reward' is not COLUMN OPERATOR VALUE",
    );
  });
});

describe('assay traces, sessions, experiments and compare', () => {
  let app: App;
  const project = ['--project', 'listed'];
  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'listed' },
    });
    const root = `/v2/projects/${body.id}`;
    await app.client.call('POST', `${root}/traces`, {
      body: {
        session_external_id: 'call',
        traces: [1, 2, 3].map((at) => ({
          id: uuid(at + 10),
          name: `run ${at}`,
          input: `question ${at}`,
          metrics: { reward: at / 4 },
        })),
      },
    });
    for (const [at, name] of ['plain', 'shorter'].entries()) {
      const made = await app.client.call<{ id: string }>('POST', `${root}/experiments`, {
        body: { name },
      });
      await app.client.call('POST', `${root}/traces`, {
        body: {
          experiment_id: made.body.id,
          traces: ['a', 'b'].map((row) => ({ dataset_input: row, metrics: { reward: at } })),
        },
      });
    }
  });
  const rows = (text: string): readonly Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('list the records that match the conditions, sorted, as rows', async () => {
    const where = ['--where', 'metrics/reward > 0.3', '--where', 'input contains question'];
    const asked = ['traces', ...project, ...where, '--sort', '-metrics/reward', '--json'];
    const { code, stdout } = await runTransfer(app, asked);
    expect([code, rows(stdout).map(({ name }) => name)]).to.deep.equal([0, ['run 3', 'run 2']]);
  });

  it('draw a table, and report when more follow', async () => {
    const asked = ['traces', ...project, '--where', 'input contains question', '--limit', '1'];
    const { stdout, stderr } = await runTransfer(app, asked);
    expect(stdout).to.match(/│ created_at .*│ id .*│ name .*│ metrics/);
    expect(stderr).to.include('there are more');
    const sessions = await runTransfer(app, ['sessions', ...project]);
    expect([sessions.code, sessions.stdout.includes('│ id')]).to.deep.equal([0, true]);
  });

  it('show experiments with their averages, and compare them', async () => {
    const { stdout } = await runTransfer(app, ['experiments', ...project, '--json']);
    expect(rows(stdout).map(({ name }) => name)).to.have.members(['plain', 'shorter']);
    const compared = await runTransfer(app, ['compare', 'plain', 'shorter', ...project]);
    expect(compared.code, compared.stderr).to.equal(0);
    expect(compared.stdout).to.match(/reward \(higher is better\).*│ shorter .*│ 2 .*│ 1 /);
  });

  it('name an unknown project or column', async () => {
    const nowhere = await runTransfer(app, ['traces']);
    expect([nowhere.code, nowhere.stderr]).to.deep.equal([
      1,
      'assay: which project? --project NAME or ID\n',
    ]);
    const unknown = await runTransfer(app, ['traces', ...project, '--where', 'colour = red']);
    expect([unknown.code, unknown.stderr.includes('colour')]).to.deep.equal([1, true]);
    expect(unknown.stderr).to.include(`${programName} columns lists what there is`);
  });

  it('list the columns of conditions', async () => {
    const { stdout } = await runTransfer(app, ['columns', ...project, '--json']);
    const found = rows(stdout).map(({ id }) => id);
    expect(found).to.include.members(['input', 'metrics/reward']);
    const table = await runTransfer(app, ['columns', ...project, '--of', 'traces']);
    expect([table.code, /column +│ kind/.test(table.stdout)]).to.deep.equal([0, true]);
  });
});
