import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

describe('tags of experiments over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let run: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`experiment tags ${randomUUID()}`);
    run = (await app.client.call<ExperimentRecord>('POST', path(''), { body: { name: 'tagged' } }))
      .body.id;
  });
  after(() => keys.close());
  const path = (rest: string) => `/v2/projects/${project}/experiments${rest}`;
  const tags = (rest = '') => path(`/${run}/tags${rest}`);
  type Tag = { readonly id: string; readonly [member: string]: unknown };
  const body = { key: 'model', value: 'a', tag_type: 'generic' };

  it('are given, shown by key, changed and taken away', async () => {
    const first = await app.client.call<Tag>('POST', tags(), { body });
    const { id, created_by: creator, created_at: at, ...rest } = first.body;
    expect(creator).to.be.a('string');
    expect(rest).to.deep.equal({ ...body, project_id: project, run_id: run, updated_at: at });
    const second = await app.client.call<Tag>('POST', tags(), { body: { ...body, value: 'b' } });
    expect((await app.client.call('GET', tags())).body).to.deep.equal([second.body, first.body]);
    const shown = async () =>
      (await app.client.call<ExperimentRecord>('GET', path(`/${run}`))).body;
    expect((await shown()).tags).to.deep.equal({ model: [first.body, second.body] });
    const put = await app.client.call<Tag>('PUT', tags(`/${id}`), { body: { ...body, key: 'k' } });
    expect(put.body).to.deep.include({ id, key: 'k', created_at: at });
    expect(String(put.body['updated_at']) > String(at)).to.equal(true);
    expect((await shown()).tags).to.deep.equal({ k: [put.body], model: [second.body] });
    const again = await app.client.call<Tag>('PUT', tags(`/${id}`), {
      body: { ...body, key: 'k' },
    });
    expect(again.body).to.deep.equal(put.body);
    const gone = await app.client.call<{ message: string }>('DELETE', tags(`/${id}`));
    expect(gone.body.message).to.be.a('string');
    expect((await app.client.call('GET', tags())).body).to.deep.equal([second.body]);
    expectRefused(await app.client.send('DELETE', tags(`/${id}`)), 404, 'not_found');
    expectRefused(await app.client.send('PUT', tags(`/${id}`), { body }), 404, 'not_found');
  });

  it('answers 422 for an empty key, 404 for an unknown experiment, 403 to a viewer', async () => {
    const empty = await app.client.send('POST', tags(), { body: { ...body, key: '' } });
    expectInvalid(empty, ['body', 'key'], 'string_too_short');
    const nowhere = path(`/${randomUUID()}/tags`);
    expectRefused(await app.client.send('GET', nowhere), 404, 'not_found');
    expectRefused(await app.client.send('POST', nowhere, { body }), 404, 'not_found');
    const { as } = await keys.make({ project_id: project, project_role: 'viewer' });
    expect((await as.send('GET', tags())).status).to.equal(200);
    expectRefused(await as.send('POST', tags(), { body }), 403, 'forbidden');
    expectRefused(await as.send('PUT', tags(`/${randomUUID()}`), { body }), 403, 'forbidden');
    expectRefused(await as.send('DELETE', tags(`/${randomUUID()}`)), 403, 'forbidden');
  });
});
