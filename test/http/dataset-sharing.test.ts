import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import { upload, type DatasetRecord } from '../support/datasets.js';
import { expectRefused } from '../support/key-ring.js';

describe('sharing a dataset with a further project', () => {
  let cast: TwoOrganizations;
  let owner: RoleUser;
  let reader: RoleUser;
  before(async () => {
    cast = await startTwoOrganizations();
    owner = cast.ours.user;
    reader = cast.ours.manager;
  });
  after(() => cast.close());

  const projectOf = async ({ as }: RoleUser): Promise<string> => {
    const body = { name: randomUUID() };
    return (await as.call<{ id: string }>('POST', '/v2/projects', { body })).body.id;
  };

  it('needs the right to change it, even when an experiment would share it', async () => {
    const [home, theirs] = [await projectOf(owner), await projectOf(reader)];
    const users = [{ user_id: reader.id, role: 'viewer' }];
    await owner.as.call('POST', `/v2/projects/${home}/users`, { body: users });
    const parts = { name: randomUUID(), project_id: home };
    const { id } = (await upload(cast.app, { file: 'q\n1\n', parts, as: owner.as })).body;
    const at = `/v2/datasets/${id}`;
    const experiment = () =>
      reader.as.send('POST', `/v2/projects/${theirs}/experiments`, {
        body: { name: randomUUID(), dataset: { dataset_id: id, version_index: 1 } },
      });

    const shown = async (): Promise<number> =>
      (await reader.as.call<DatasetRecord>('GET', at)).body.project_count;
    expect(await shown()).to.equal(1);
    expectRefused(await reader.as.send('PUT', `${at}/projects/${theirs}`), 403, 'forbidden');
    expectRefused(await experiment(), 403, 'forbidden');
    expect(await shown()).to.equal(1);

    const editors = [{ user_id: owner.id, role: 'editor' }];
    await reader.as.call('POST', `/v2/projects/${theirs}/users`, { body: editors });
    await owner.as.call('PUT', `${at}/projects/${theirs}`);
    expect(await shown()).to.equal(2);
    expect((await experiment()).status).to.equal(200);
  });
});
