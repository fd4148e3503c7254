import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import { startApp, type App } from '../support/app.js';

describe('a read model that lags', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  const operate = (...command: Parameters<ReturnType<typeof opsCaller>>) =>
    opsCaller(app.opsUrl, { opsToken: null })(...command);

  it('has its lag in X-Projection-Behind once a read has waited 2 s for it in vain', async () => {
    const read = (headers: Readonly<Record<string, string>> = {}) =>
      app.client.send('GET', '/v2/projects', { headers });
    const behind = 'x-projection-behind';
    expect((await read()).headers[behind]).to.equal(undefined);
    await operate('pause', { name: 'project_list' });
    const { position } = await app.client.call('POST', '/v2/projects', { body: { name: 'late' } });
    const late = await read();
    expect([late.status, late.body]).to.deep.equal([200, []]);
    expect(Number(late.headers[behind])).to.be.within(2, 60);
    const refused = await read({ 'X-Min-Position': position ?? '' });
    expect(refused.status).to.equal(503);
    expect(refused.body).to.include({ code: 'read_model_behind' });
    expect(Number(refused.headers[behind])).to.be.at.least(Number(late.headers[behind]));
    await operate('resume', { name: 'project_list', reason: 'a test', operator: 'a test' });
    await app.untilCaughtUp();
    const fresh = await read();
    expect([fresh.status, fresh.headers[behind]]).to.deep.equal([200, undefined]);
  });

  it('refuses no ranking metric of traces that it lacks', async () => {
    const project = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'ranked' },
    });
    const root = `/v2/projects/${project.body.id}`;
    const experiment = await app.client.call<{ id: string }>('POST', `${root}/experiments`, {
      body: { name: 'ahead' },
    });
    const log = (metrics: object) => {
      const traces = [{ input: 'in', output: 'out', metrics }];
      const body = { experiment_id: experiment.body.id, traces };
      return app.client.call('POST', `${root}/traces`, { body });
    };
    const path = `${root}/experiments/ranking_criteria`;
    const set = (metric: string) => {
      const criteria = [{ metric, weight: 1, direction: 'higher' }];
      return app.client.send('PUT', path, { body: { criteria } });
    };
    await log({ toxicity: 0.5 });
    expect((await set('reward')).status).to.equal(422);
    await operate('pause', { name: 'records' });
    await log({ reward: 1 });
    const { status, body } = await set('reward');
    const criteria = [{ metric: 'reward', weight: 1, direction: 'higher' }];
    expect([status, body]).to.deep.equal([200, { criteria, default: false }]);
    await operate('resume', { name: 'records', reason: 'a test', operator: 'a test' });
    await app.untilCaughtUp();
    expect((await set('unknown')).status).to.equal(422);
  });
});
