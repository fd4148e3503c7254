import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import { expectRefused } from '../support/key-ring.js';

describe('revocation of another user’s API key over HTTP', () => {
  let cast: TwoOrganizations;
  let project = '';
  before(async () => {
    cast = await startTwoOrganizations();
    const { user, manager, auditor } = cast.ours;
    const body = { name: `keys of others ${randomUUID()}` };
    project = (await user.as.call<{ id: string }>('POST', '/v2/projects', { body })).body.id;
    await user.as.call('POST', `/v2/projects/${project}/users`, {
      body: [
        { user_id: manager.id, role: 'owner' },
        { user_id: auditor.id, role: 'editor' },
      ],
    });
  });
  after(() => cast.close());

  const make = async ({ as }: RoleUser, more: object = {}): Promise<string> => {
    const body = { description: 'of a test', ...more };
    return (await as.call<{ id: string }>('POST', '/v2/users/api_keys', { body })).body.id;
  };
  const revoke = ({ as }: RoleUser, id: string) => as.send('DELETE', `/v2/users/api_keys/${id}`);

  it('allows owners of the project to revoke a bound key', async () => {
    const { user, manager, auditor } = cast.ours;
    const id = await make(user, { project_id: project });
    expectRefused(await revoke(auditor, id), 404, 'not_found');
    expect((await revoke(manager, id)).status).to.equal(200);
  });

  it('allows only admins to revoke an unbound key', async () => {
    const { user, manager, auditor, admin } = cast.ours;
    const id = await make(user);
    for (const other of [manager, auditor]) {
      expectRefused(await revoke(other, id), 404, 'not_found');
    }
    expect((await revoke(admin, id)).status).to.equal(200);
  });

  it('answers 404 in other organisations', async () => {
    const id = await make(cast.ours.user);
    expectRefused(await revoke(cast.theirs.admin, id), 404, 'not_found');
  });
});
