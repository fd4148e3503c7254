import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import { startApp, type App } from '../support/app.js';

describe('the header X-Projection-Behind', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('has the lag in seconds once a read has waited 2 s for its read model in vain', async () => {
    const operate = opsCaller(app.opsUrl, { opsToken: null });
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
});
