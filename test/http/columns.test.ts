import { expect } from 'chai';
import type { ColumnDescriptor } from '../../contract/columns.js';
import { recordedProject, uuid, type RecordedProject } from '../support/recorded-project.js';

describe('POST …/available_columns', () => {
  let project: RecordedProject;
  before(async () => {
    project = await recordedProject();
    await project.log(
      [
        {
          id: uuid(1),
          created_at: '2026-03-01T09:00:00Z',
          input: 'hello',
          user_metadata: { team: 'red' },
          metrics: { reward: 1, solved: true },
          spans: [{ type: 'llm', input: 'hi', model: 'm', metrics: { num_input_tokens: 3 } }],
        },
        { id: uuid(2), created_at: '2026-03-02T09:00:00Z', tags: ['a'], output: 'later' },
      ],
      { session_id: uuid(9) },
    );
  });

  const listed = async (kind: string, body: object = {}) => {
    const { status, body: answer } = await project.ask<{ columns: ColumnDescriptor[] }>(
      `${kind}/available_columns`,
      body,
    );
    expect(status).to.equal(200);
    return answer.columns;
  };
  const nonEmpty = async (kind: string, body: object = {}) =>
    (await listed(kind, body)).filter(({ is_empty }) => !is_empty).map(({ id }) => id);

  it('answers 200 with the columns of sessions, in order', async () => {
    const columns = await listed('sessions', {
      log_stream_id: project.run,
      start_time: '2026-03-01 00:00:00',
    });
    expect(columns.map(({ id }) => id)).to.deep.equal([
      'input',
      'output',
      'name',
      'created_at',
      'id',
      'external_id',
      'metrics/toxicity',
      'metrics/bleu',
      'metrics/num_input_tokens',
      'metrics/num_total_tokens',
      'metrics/reward',
    ]);
    expect(columns.at(-1)).to.include({ label: 'reward', data_type: 'integer', is_empty: false });
  });

  it('lists the metrics and the metadata that traces have, own or rolled up', async () => {
    const columns = await listed('traces');
    expect(columns.slice(16).map(({ id }) => id)).to.deep.equal([
      'metrics/toxicity',
      'metrics/bleu',
      'metrics/num_input_tokens',
      'metrics/num_total_tokens',
      'metrics/reward',
      'metrics/solved',
      'user_metadata/team',
    ]);
  });

  it('lists all 32 standard columns for spans', async () => {
    const standard = (await listed('spans')).filter(({ category }) => category === 'standard');
    expect(standard).to.have.length(32);
  });

  it('counts only records of the window, both ends included', async () => {
    const second = { start_time: '2026-03-02T09:00:00Z', end_time: '2026-03-02T09:00:00Z' };
    const present = await nonEmpty('traces', second);
    expect(present).to.include.members(['output', 'tags']);
    expect(present).to.not.include('metrics/reward');
    expect(present).to.not.include('user_metadata/team');
    expect(await nonEmpty('traces', { end_time: '2026-03-01T08:59:59.999999Z' })).to.deep.equal([]);
  });

  it('treats null like absence for every member', async () => {
    const nothing = {
      log_stream_id: null,
      experiment_id: null,
      metrics_testing_id: null,
      start_time: null,
      end_time: null,
    };
    expect(await listed('spans', nothing)).to.deep.equal(await listed('spans'));
  });

  it('answers 422 to two selectors and to a window that ends before it starts', async () => {
    const two = await project.ask('sessions/available_columns', {
      log_stream_id: project.run,
      experiment_id: uuid(5),
    });
    expect([two.status, two.body]).to.deep.equal([
      422,
      {
        detail: [
          {
            loc: ['body'],
            msg:
              'Value error, at most one of log_stream_id, experiment_id and ' +
              'metrics_testing_id may be given',
            type: 'value_error',
          },
        ],
      },
    ]);
    const backwards = await project.ask<{ detail: { loc: string[] }[] }>(
      'traces/available_columns',
      { start_time: '2026-03-02', end_time: '2026-03-01' },
    );
    expect(backwards.status).to.equal(422);
    expect(backwards.body.detail.map(({ loc }) => loc)).to.deep.equal([['body', 'end_time']]);
  });

  it('answers 404 to a run that the project does not have, or of another kind', async () => {
    for (const selector of [
      { log_stream_id: uuid(404) },
      { experiment_id: project.run },
      { metrics_testing_id: project.run },
    ]) {
      const { status, body } = await project.ask('spans/available_columns', selector);
      expect(status).to.equal(404);
      expect(body).to.include({ detail: 'Run not found', code: 'not_found' });
    }
  });
});
