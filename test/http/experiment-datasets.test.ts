import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import { upload } from '../support/datasets.js';
import { expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

const csv = 'question,answer\nq1,a1\nq2,a2\nq3,a3\nq4,a4\n';

describe('experiments on datasets over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`experiments on datasets ${randomUUID()}`);
  });
  after(() => keys.close());

  const path = (rest = '') => `/v2/projects/${project}/experiments${rest}`;
  const dataset = async () => {
    const name = `dataset ${randomUUID()}`;
    return (await upload(app, { file: csv, parts: { name } })).body;
  };
  const using = async (dataset_id: string, version_index = 1) =>
    app.client.send<ExperimentRecord>('POST', path(), {
      body: { name: randomUUID(), dataset: { dataset_id, version_index } },
    });
  const get = async (id: string) =>
    (await app.client.call<ExperimentRecord>('GET', path(`/${id}`))).body;
  const projectCount = async (id: string): Promise<number> =>
    (await app.client.call<{ project_count: number }>('GET', `/v2/datasets/${id}`)).body
      .project_count;

  it('are linked to a version, and the dataset to the project while one uses it', async () => {
    const { id, name } = await dataset();
    expect(await projectCount(id)).to.equal(0);
    const first = await using(id);
    const linked = { dataset_id: id, version_index: 1, name };
    expect(first.body.dataset).to.deep.equal(linked);
    expect((await get(first.body.id)).dataset).to.deep.equal(linked);
    const second = await using(id);
    expect(await projectCount(id)).to.equal(1);
    await app.client.call('DELETE', path(`/${first.body.id}`));
    expect(await projectCount(id)).to.equal(1);
    await app.client.call('DELETE', path(`/${second.body.id}`));
    expect(await projectCount(id)).to.equal(0);
  });

  it('progress by the rows of the version', async () => {
    const run = (await using((await dataset()).id)).body.id;
    const traces = [{ input: 'q1' }, { input: 'q2' }, { input: 'q3' }];
    const body = { experiment_id: run, traces };
    await app.client.call('POST', `/v2/projects/${project}/traces`, { body });
    expect((await get(run)).status).to.deep.equal({ log_generation: { progress_percent: 75 } });
  });

  it('show the present name, null once the dataset is deleted, and can be deleted', async () => {
    const { id } = await dataset();
    const run = (await using(id)).body.id;
    const name = `renamed ${randomUUID()}`;
    await app.client.call('PATCH', `/v2/datasets/${id}`, { body: { name } });
    expect((await get(run)).dataset).to.include({ name });
    await app.client.call('DELETE', `/v2/datasets/${id}`);
    expect((await get(run)).dataset).to.deep.equal({
      dataset_id: id,
      version_index: 1,
      name: null,
    });
    expect((await app.client.send('DELETE', path(`/${run}`))).status).to.equal(204);
  });

  it('answer 404 for an unknown version and for a dataset out of sight', async () => {
    const { id } = await dataset();
    expectRefused(await using(id, 2), 404, 'not_found');
    const { as } = await keys.make({ project_id: project, project_role: 'editor' });
    const body = { name: randomUUID(), dataset: { dataset_id: id, version_index: 1 } };
    expectRefused(await as.send('POST', path(), { body }), 404, 'not_found');
    expect(await projectCount(id)).to.equal(0);
  });
});
