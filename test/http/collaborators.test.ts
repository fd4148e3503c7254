import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { collaboratorPermissions } from '../../contract/permissions.js';
import { expectReplayEqual } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import type { Client, Reply } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import { pollUntil } from '../support/poll-until.js';

type Collaborator = {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly role: string;
  readonly [member: string]: unknown;
};
type Page = { readonly collaborators: readonly Collaborator[]; readonly [m: string]: unknown };

describe('collaborators over HTTP', () => {
  let cast: TwoOrganizations;
  let owner: RoleUser;
  let other: RoleUser;
  let root: string;
  let id: string;
  before(async () => {
    cast = await startTwoOrganizations();
    owner = cast.ours.user;
    other = cast.ours.manager;
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });
  beforeEach(async () => {
    const made = await owner.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    id = made.body.id;
    root = `/v2/projects/${id}`;
  });

  const share = (body: unknown, as: Client = owner.as): Promise<Reply<Collaborator[]>> =>
    as.send('POST', `${root}/users`, { body });
  const list = (as: Client = owner.as, query = ''): Promise<Reply<Page>> =>
    as.send('GET', `${root}/users${query}`);
  const roleOf = async (as: Client): Promise<number> => (await as.send('GET', root)).status;

  it('shows the project only to its collaborators, in lists too', async () => {
    expectRefused(await other.as.send('GET', root), 404, 'not_found');
    const shared = await share([{ user_id: other.id, role: 'annotator' }]);
    expect(shared.status).to.equal(200);
    expect(shared.body[0]).to.deep.include({
      user_id: other.id,
      email: other.email,
      first_name: 'Ada',
      last_name: 'manager',
      role: 'annotator',
      permissions: collaboratorPermissions('owner', false),
    });
    expect(await roleOf(other.as)).to.equal(200);
    const listed = await other.as.call<{ id: string }[]>('GET', '/v2/projects');
    expect(listed.body.map((one) => one.id)).to.include(id);
    const paged = await other.as.call<{ projects: { id: string }[] }>(
      'POST',
      '/v2/projects/paginated',
    );
    expect(paged.body.projects.map((one) => one.id)).to.include(id);
    expect((await cast.ours.read_only.as.send('GET', root)).status).to.equal(404);
    const unseen = await cast.ours.read_only.as.call<{ id: string }[]>('GET', '/v2/projects/all');
    expect(unseen.body.map((one) => one.id)).not.to.include(id);
  });

  it('gives each role exactly its rights, and read_only at most those of viewer', async () => {
    const log = (as: Client) =>
      as.send('POST', `${root}/log_streams`, { body: { name: randomUUID() } });
    await share([
      { user_id: other.id, role: 'editor' },
      { user_id: cast.ours.read_only.id, role: 'owner' },
    ]);
    expect((await log(other.as)).status).to.equal(200);
    expectRefused(await share([{ user_id: other.id, role: 'owner' }], other.as), 403, 'forbidden');
    expectRefused(await log(cast.ours.read_only.as), 403, 'forbidden');
    expect(await roleOf(cast.ours.read_only.as)).to.equal(200);
  });

  it('lists by e-mail in pages, and includes the creator', async () => {
    const people = [other, cast.ours.auditor, cast.ours.admin];
    await share(people.map(({ id: user_id }) => ({ user_id })));
    const all = await list();
    const emails = [...people, owner].map(({ email }) => email).sort();
    expect(all.body.collaborators.map(({ email }) => email)).to.deep.equal(emails);
    expect(all.body.collaborators.find(({ user_id }) => user_id === owner.id)?.role).to.equal(
      'owner',
    );
    const page = await list(other.as, '?starting_token=1&limit=2');
    expect(page.body.collaborators.map(({ email }) => email)).to.deep.equal(emails.slice(1, 3));
    expect(page.body['next_starting_token']).to.equal(3);
  });

  it('changes a role, even by adding again, and answers what the list then shows', async () => {
    const [added] = (await share([{ user_id: other.id }])).body;
    expect(added?.role).to.equal('viewer');
    const again = await share([{ user_id: other.id, role: 'editor' }]);
    expect(again.body).to.deep.equal([{ ...added, role: 'editor' }]);
    const changed = await owner.as.send<Collaborator>('PATCH', `${root}/users/${other.id}`, {
      body: { role: 'owner' },
    });
    expect(changed.body).to.deep.equal({ ...added, role: 'owner' });
    const shown = (await list()).body.collaborators;
    expect(shown.find(({ user_id }) => user_id === other.id)).to.deep.equal(changed.body);
  });

  it('hides the project within a second from a removed user, and kills bound keys', async () => {
    await share([{ user_id: other.id, role: 'owner' }]);
    const made = await other.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'bound', project_id: id },
    });
    const headers = { 'Service-API-Key': made.body.api_key };
    expect((await cast.app.client.send('GET', root, { headers })).status).to.equal(200);
    const removed = await owner.as.send('DELETE', `${root}/users/${other.id}`);
    expect(removed.body).to.have.all.keys('message');
    await pollUntil(
      'the project is out of sight',
      1_000,
      async () => (await roleOf(other.as)) === 404,
    );
    await pollUntil(
      'the bound key sees nothing',
      1_000,
      async () => (await cast.app.client.send('GET', root, { headers })).status === 404,
    );
    const listed = await other.as.call<{ id: string }[]>('GET', '/v2/projects');
    expect(listed.body.map((one) => one.id)).not.to.include(id);
  });

  it('refuses to remove the last owner', async () => {
    await share([{ user_id: other.id, role: 'editor' }]);
    const self = `${root}/users/${owner.id}`;
    expectRefused(await owner.as.send('DELETE', self), 409, 'conflict');
    const demoted = await owner.as.send('PATCH', self, { body: { role: 'viewer' } });
    expectRefused(demoted, 409, 'conflict');
    expectRefused(await share([{ user_id: owner.id, role: 'viewer' }]), 409, 'conflict');
  });

  it('refuses to remove the last owner when the other one is read_only', async () => {
    const { read_only: guest } = cast.ours;
    await share([{ user_id: guest.id, role: 'owner' }]);
    const self = `${root}/users/${owner.id}`;
    expectRefused(await owner.as.send('DELETE', self), 409, 'conflict');
    const demoted = await owner.as.send('PATCH', self, { body: { role: 'editor' } });
    expectRefused(demoted, 409, 'conflict');
    const swapped = [
      { user_id: owner.id, role: 'viewer' },
      { user_id: cast.ours.read_only.id, role: 'owner' },
    ];
    await share([{ user_id: guest.id, role: 'viewer' }]);
    expectRefused(await share(swapped), 409, 'conflict');
    expect((await share([{ user_id: guest.id, role: 'annotator' }])).status).to.equal(200);
    await share([{ user_id: other.id, role: 'owner' }]);
    expect((await owner.as.send('DELETE', self)).status).to.equal(200);
  });

  it('lets users leave, but not with a bound key, and only owners remove others', async () => {
    await share([{ user_id: other.id }, { user_id: cast.ours.auditor.id }]);
    const self = `${root}/users/${other.id}`;
    expectRefused(
      await other.as.send('DELETE', `${root}/users/${cast.ours.auditor.id}`),
      403,
      'forbidden',
    );
    const { body } = await other.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'limited', project_role: 'viewer' },
    });
    const bound = await owner.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'bound', project_id: id, project_role: 'viewer' },
    });
    const withKey = (key: string, path: string) =>
      cast.app.client.send('DELETE', path, { headers: { 'Service-API-Key': key } });
    const owners = await withKey(bound.body.api_key, `${root}/users/${owner.id}`);
    expectRefused(owners, 403, 'forbidden');
    expect((await withKey(body.api_key, self)).status).to.equal(200);
    expectRefused(await other.as.send('DELETE', self), 404, 'not_found');
  });

  it('answers 404 for users who are not collaborators or not in the organisation', async () => {
    const stranger = cast.theirs.user.id;
    for (const user_id of [stranger, randomUUID()]) {
      expectRefused(await share([{ user_id }]), 404, 'not_found');
      for (const [method, body] of [['PATCH', { role: 'viewer' }], ['DELETE']] as const) {
        const reply = await owner.as.send(method, `${root}/users/${user_id}`, { body });
        expectRefused(reply, 404, 'not_found');
      }
    }
    expect((await list()).body.collaborators).to.have.length(1);
  });

  it('answers 422 for an empty list, too many, and an unknown role', async () => {
    expectInvalid(await share([]), ['body'], 'too_short');
    const many = Array.from({ length: 101 }, () => ({ user_id: other.id }));
    expectInvalid(await share(many), ['body'], 'too_long');
    expectInvalid(
      await share([{ user_id: other.id, role: 'boss' }]),
      ['body', '0', 'role'],
      'enum',
    );
  });
});
