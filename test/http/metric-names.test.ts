import { randomUUID as id } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import { expectInvalid } from '../support/key-ring.js';

type Body = Readonly<Record<string, unknown>>;
type Named = { readonly name: string };

describe('a metric in a request', () => {
  let app: App;
  let root: string;
  const post = (path: string, body: unknown) =>
    app.client.send<Body>('POST', `${root}${path}`, { body });
  before(async () => {
    app = await sharedApp();
    const project = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `metric names ${id()}` },
    });
    root = `/v2/projects/${project.body.id}`;
    const logged = await post('/traces', {
      traces: [1, 3, 2].map((reward) => ({
        name: `r${reward}`,
        metrics: { reward, correct: reward > 1, average_odd: reward, odd: -reward, says: 'x' },
      })),
    });
    expect(logged.status).to.equal(200);
  });
  const names = async (body: Body) => {
    const reply = await post('/traces/search', body);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return (reply.body['records'] as readonly Named[]).map(({ name }) => name);
  };
  const unknownOf = async (path: string, body: Body) =>
    (await post(path, body)).headers['x-unknown-columns'];

  it('may have any of its names', async () => {
    for (const column of ['metrics/reward', 'reward', 'average_reward', 'metrics/average_reward']) {
      const filter = { type: 'number', name: column, operator: 'gte', value: 2 };
      const sorted = { filters: [filter], sort: { column_id: column, ascending: false } };
      expect(await names(sorted), column).to.deep.equal(['r3', 'r2']);
    }
    const correct = { type: 'boolean', name: 'percentage_true_correct', value: true };
    expect(await names({ filters: [correct], sort: { name: 'reward' } })).to.deep.equal([
      'r2',
      'r3',
    ]);
    expect(await names({ sort: { name: 'average_odd' } })).to.deep.equal(['r1', 'r2', 'r3']);
    expect(await names({ sort: { name: 'odd' } })).to.deep.equal(['r3', 'r2', 'r1']);
  });

  const custom = (members: Body) => ({
    start_time: '2000-01-01T00:00:00Z',
    end_time: '2100-01-01T00:00:00Z',
    metric_details: [],
    ...members,
  });

  it('may have any of its names in aggregates; responses use one', async () => {
    const written = ['metrics/reward', 'reward', 'average_reward'];
    const reply = await post(
      '/metrics/custom_search',
      custom({
        metric_details: written.map((name) => ({
          id: name,
          metric_name: name,
          aggregation: 'Sum',
        })),
        group_by: 'correct',
      }),
    );
    expect(reply.body['aggregate_metrics']).to.deep.include({
      'metrics/reward': 6,
      reward: 6,
      average_reward: 6,
    });
    expect(reply.body['group_by_columns']).to.deep.equal(['metrics/correct']);
    expect(reply.headers['x-unknown-columns']).to.equal(undefined);
  });

  it('is listed as unknown if the project never recorded it', async () => {
    const filter = { type: 'number', name: 'metrics/rewrad', operator: 'gte', value: 2 };
    const sort = { column_id: 'metrics/x y' };
    expect(await unknownOf('/traces/search', { filter_tree: { not: { filter } }, sort })).to.equal(
      'metrics/rewrad, metrics/x%20y',
    );
    expect(await unknownOf('/spans/count', { filters: [filter] })).to.equal('metrics/rewrad');
    expect(await unknownOf('/sessions/search', { sort })).to.equal('metrics/x%20y');
    expect(await unknownOf('/traces/search', { sort: { name: 'toxicity' } })).to.equal(undefined);
    const reply = await post('/traces/search', { sort: { name: 'rewrad' } });
    expectInvalid(reply, ['body', 'sort', 'name'], 'value_error');
  });

  it('is a named error of an aggregate if the project never recorded it', async () => {
    const widgets = ['nosuch', 'reward', 'average_nosuch', 'nosuch'].map((metric_name, at) => ({
      id: `w${at}`,
      metric_name,
      aggregation: 'Average',
    }));
    const reply = await post('/metrics/custom_search', custom({ metric_details: widgets }));
    expect(reply.body['aggregate_metrics']).to.include({ w0: null, w1: 2, w2: null });
    expect(reply.headers['x-unknown-columns']).to.equal('metrics/nosuch, metrics/average_nosuch');
    expect(reply.body['ems_captured_error']).to.equal(false);
    const errors = reply.body['standard_errors'] as Readonly<Record<string, Body>>;
    expect(Object.keys(errors)).to.deep.equal(['1005']);
    expect(errors['1005']).to.include({
      error_type: 'not_found_error',
      message: "No value was recorded for 'nosuch', 'average_nosuch'.",
    });
  });

  it('is ranked by under any of its names, and refused with the names there are', async () => {
    const rank = (...metrics: readonly string[]) =>
      app.client.send<Body>('PUT', `${root}/experiments/ranking_criteria`, {
        body: { criteria: metrics.map((metric) => ({ metric, weight: 1, direction: 'higher' })) },
      });
    const set = await rank('percentage_true_correct', 'metrics/reward');
    expect(
      (set.body['criteria'] as readonly { metric: string }[]).map(({ metric }) => metric),
    ).to.deep.equal(['correct', 'reward']);
    const refused = await rank('rewrad');
    expectInvalid(refused, ['body', 'criteria', '0', 'metric'], 'value_error');
    expect(JSON.stringify(refused.body)).to.include(
      "no trace has the metric 'rewrad'; there is 'average_odd', 'correct', 'odd', 'reward'",
    );
    expectInvalid(
      await rank('reward', 'average_reward'),
      ['body', 'criteria', '1', 'metric'],
      'value_error',
    );
    expectInvalid(await rank('says'), ['body', 'criteria', '0', 'metric'], 'value_error');
  });
});
