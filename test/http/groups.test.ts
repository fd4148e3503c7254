import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { expectReplayEqual } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import type { Client, Reply } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import { pollUntil } from '../support/poll-until.js';

type Group = {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly role: string | null;
  readonly visibility: string;
  readonly permissions: readonly {
    readonly action: string;
    readonly allowed: boolean;
    readonly message: string | null;
  }[];
  readonly [member: string]: unknown;
};
type Member = {
  readonly user_id: string;
  readonly group_role: string;
  readonly email: string;
  readonly [member: string]: unknown;
};
type Members = { readonly members: readonly Member[] };
type Groups = { readonly groups: readonly Group[]; readonly [member: string]: unknown };

describe('groups over HTTP', () => {
  let cast: TwoOrganizations;
  let maker: RoleUser;
  let guest: RoleUser;
  let other: RoleUser;
  before(async () => {
    cast = await startTwoOrganizations();
    ({ user: maker, auditor: guest, read_only: other } = cast.ours);
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const create = (body: object = {}, as: Client = maker.as): Promise<Reply<Group>> =>
    as.send('POST', '/v2/groups', { body: { name: randomUUID(), ...body } });
  const get = (id: string, as: Client): Promise<Reply<Group>> => as.send('GET', `/v2/groups/${id}`);
  const add = (id: string, body: unknown, as: Client): Promise<Reply<Member[]>> =>
    as.send('POST', `/v2/groups/${id}/members`, { body });
  const join = (id: string, who: RoleUser) => add(id, [{ user_id: who.id }], who.as);
  const membersOf = (id: string, as: Client): Promise<Reply<Members>> =>
    as.send('GET', `/v2/groups/${id}/members`);
  const put = (id: string, who: RoleUser, role: string, as: Client): Promise<Reply<Member>> =>
    as.send('PATCH', `/v2/groups/${id}/members/${who.id}`, { body: { role } });
  const remove = (id: string, who: RoleUser, as: Client) =>
    as.send('DELETE', `/v2/groups/${id}/members/${who.id}`);

  it('has its creator as maintainer and those who were named', async () => {
    const users = [{ user_id: guest.id }, { user_id: other.id, role: 'pending' }];
    const { status, body } = await create({ name: ' reviewers ', users });
    expect(status).to.equal(200);
    expect(body).to.include({
      name: 'reviewers',
      description: null,
      visibility: 'public',
      size: 2,
      role: 'maintainer',
    });
    expect(body.permissions).to.deep.equal([
      { action: 'update', allowed: true, message: null },
      { action: 'list_members', allowed: true, message: null },
      { action: 'join', allowed: false, message: 'already a member' },
      { action: 'request_to_join', allowed: false, message: 'already a member' },
    ]);
    expect((await get(body.id, maker.as)).body).to.deep.equal(body);
    const seen = await get(body.id, other.as);
    expect(seen.body.role).to.equal('pending');
    const own = await other.as.call<Group[]>('GET', '/v2/current_user/groups');
    expect(own.body.find(({ id }) => id === body.id)).to.deep.equal(seen.body);
  });

  it('has a unique name in the organisation, which is freed when it is deleted', async () => {
    const name = randomUUID();
    const { body } = await create({ name });
    expectRefused(await create({ name }), 409, 'already_exists');
    const theirs = await create({ name }, cast.theirs.user.as);
    expect(theirs.status).to.equal(200);
    const second = (await create()).body.id;
    const rename = (to: string) =>
      maker.as.send<Group>('PATCH', `/v2/groups/${second}`, { body: { name: to } });
    expectRefused(await rename(name), 409, 'already_exists');
    expect((await maker.as.send('DELETE', `/v2/groups/${body.id}`)).status).to.equal(200);
    expectRefused(await get(body.id, maker.as), 404, 'not_found');
    expect((await rename(name)).body.name).to.equal(name);
  });

  it('can be made by the role user and above, with people of the organisation only', async () => {
    expectRefused(await create({}, other.as), 403, 'forbidden');
    for (const user_id of [cast.theirs.user.id, randomUUID()]) {
      expectRefused(await create({ users: [{ user_id }] }), 404, 'not_found');
    }
    expectInvalid(await create({ name: 'x'.repeat(129) }), ['body', 'name'], 'string_too_long');
    expectInvalid(await create({ visibility: 'secret' }), ['body', 'visibility'], 'enum');
  });

  describe('visibility of a group', () => {
    it('is open to join when public, and shows its members to all', async () => {
      const { id } = (await create({ visibility: 'public' })).body;
      const joined = await add(id, [{ user_id: guest.id, role: 'maintainer' }], guest.as);
      expect(joined.body[0]).to.include({ user_id: guest.id, group_role: 'member' });
      expect((await join(id, guest)).body).to.deep.equal(joined.body);
      const shown = (await membersOf(id, other.as)).body.members;
      expect(shown.map(({ email }) => email)).to.deep.equal([guest.email, maker.email].sort());
    });

    it('waits for a maintainer when private, and hides its members', async () => {
      const { id } = (await create({ visibility: 'private' })).body;
      expectRefused(await membersOf(id, guest.as), 403, 'forbidden');
      expect((await join(id, guest)).body[0]).to.include({ group_role: 'pending' });
      expectRefused(await membersOf(id, guest.as), 403, 'forbidden');
      expect((await get(id, guest.as)).body).to.include({ role: 'pending', size: 1 });
      expect((await put(id, guest, 'member', maker.as)).body).to.include({ group_role: 'member' });
      expect((await membersOf(id, guest.as)).status).to.equal(200);
      expect((await membersOf(id, cast.ours.manager.as)).status).to.equal(200);
    });

    it('is joined by being added only when protected', async () => {
      const { id } = (await create({ visibility: 'protected' })).body;
      expectRefused(await join(id, guest), 403, 'forbidden');
      expect((await membersOf(id, guest.as)).status).to.equal(200);
      expect((await add(id, [{ user_id: guest.id }], maker.as)).status).to.equal(200);
    });

    it('does not seem to exist when hidden, except to members, managers and admins', async () => {
      const { id } = (await create({ visibility: 'hidden' })).body;
      expectRefused(await get(id, guest.as), 404, 'not_found');
      expectRefused(await join(id, guest), 404, 'not_found');
      expectRefused(await membersOf(id, guest.as), 404, 'not_found');
      for (const { as } of [maker, cast.ours.manager, cast.ours.admin]) {
        expect((await get(id, as)).status).to.equal(200);
      }
      const listed = async (as: Client) =>
        (await as.call<Groups>('GET', '/v2/groups?limit=1000')).body.groups.map((one) => one.id);
      expect(await listed(guest.as)).not.to.include(id);
      expect(await listed(cast.ours.manager.as)).to.include(id);
      await add(id, [{ user_id: guest.id }], maker.as);
      expect(await listed(guest.as)).to.include(id);
      expect((await get(id, guest.as)).status).to.equal(200);
    });
  });

  it('is changed by maintainers and managers, seen and not changed by others', async () => {
    const { id } = (await create({ users: [{ user_id: guest.id }] })).body;
    const patch = (as: Client, body: object) =>
      as.send<Group>('PATCH', `/v2/groups/${id}`, { body });
    expectRefused(await patch(guest.as, { description: 'no' }), 403, 'forbidden');
    expectRefused(await guest.as.send('DELETE', `/v2/groups/${id}`), 403, 'forbidden');
    expect((await patch(cast.ours.manager.as, { description: 'words' })).body).to.include({
      description: 'words',
      role: null,
    });
    expect((await patch(maker.as, { visibility: 'private', name: null })).body).to.include({
      description: 'words',
      visibility: 'private',
    });
  });

  it('shows and hides its projects as people come and go', async () => {
    const { id } = (await create({})).body;
    const { body: project } = await maker.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    await maker.as.call('POST', `/v2/projects/${project.id}/groups`, {
      body: [{ group_id: id, role: 'viewer' }],
    });
    const look = (): Promise<number> =>
      other.as.send('GET', `/v2/projects/${project.id}`).then(({ status }) => status);
    expect(await look()).to.equal(404);
    await add(id, [{ user_id: other.id }], maker.as);
    expect(await look()).to.equal(200);
    await remove(id, other, maker.as);
    expect(await look()).to.equal(404);
  });

  it('lets maintainers add and remove people, others only themselves', async () => {
    const { id } = (await create({ users: [{ user_id: guest.id }] })).body;
    expectRefused(await add(id, [{ user_id: other.id }], guest.as), 403, 'forbidden');
    expectRefused(await remove(id, maker, guest.as), 403, 'forbidden');
    expectRefused(await put(id, guest, 'maintainer', guest.as), 403, 'forbidden');
    for (const user_id of [cast.theirs.user.id, randomUUID()]) {
      expectRefused(await add(id, [{ user_id }], maker.as), 404, 'not_found');
    }
    expect((await remove(id, guest, guest.as)).status).to.equal(200);
    expectRefused(await remove(id, guest, maker.as), 404, 'not_found');
    expectRefused(await put(id, guest, 'member', maker.as), 404, 'not_found');
    expectInvalid(await add(id, [], maker.as), ['body'], 'too_short');
  });

  it('keeps its last maintainer', async () => {
    const { id } = (await create({ users: [{ user_id: guest.id }] })).body;
    expectRefused(await put(id, maker, 'member', maker.as), 409, 'conflict');
    expectRefused(await remove(id, maker, maker.as), 409, 'conflict');
    expect((await put(id, guest, 'maintainer', maker.as)).status).to.equal(200);
    expect((await remove(id, maker, maker.as)).status).to.equal(200);
  });

  it('counts the members that its list shows, even after one was removed', async () => {
    const admin = cast.ours.admin;
    const removed = async () => {
      const { body } = await admin.as.call<{ invitations: { user_id: string }[] }>(
        'POST',
        '/v2/invite_users',
        { body: { emails: [`${randomUUID()}@example.org`] } },
      );
      return body.invitations[0]?.user_id ?? '';
    };
    const sizes = async (id: string): Promise<readonly number[]> => {
      const { members } = (await membersOf(id, maker.as)).body;
      const own = await maker.as.call<Group[]>('GET', '/v2/current_user/groups');
      const all = await maker.as.call<Groups>('GET', '/v2/groups?limit=1000');
      return [
        members.length,
        (await get(id, maker.as)).body.size,
        own.body.find((one) => one.id === id)?.size ?? -1,
        all.body.groups.find((one) => one.id === id)?.size ?? -1,
        (await maker.as.call<Group>('PATCH', `/v2/groups/${id}`, { body: {} })).body.size,
      ];
    };
    const [one, two] = [await removed(), await removed()];
    const { id } = (await create({ users: [{ user_id: one }, { user_id: two }] })).body;
    expect(await sizes(id)).to.deep.equal([3, 3, 3, 3, 3]);
    await admin.as.call('DELETE', `/v2/users/${one}`);
    expect(await sizes(id)).to.deep.equal([2, 2, 2, 2, 2]);
    // The authorizer remembers people for half a second; a group must not.
    const late = (await create({ users: [{ user_id: two }] })).body;
    await admin.as.call('DELETE', `/v2/users/${two}`);
    expectRefused(await add(late.id, [{ user_id: two }], maker.as), 404, 'not_found');
    expectRefused(await create({ users: [{ user_id: two }] }), 404, 'not_found');
    expect(await sizes(late.id)).to.deep.equal([1, 1, 1, 1, 1]);
  });

  it('is listed by name, paged, and not for bound keys', async () => {
    const { body } = await maker.as.call<Groups>('GET', '/v2/groups?limit=2');
    const next = await maker.as.call<Groups>('GET', '/v2/groups?limit=2&starting_token=2');
    const names = [...body.groups, ...next.body.groups].map(({ name }) => name);
    expect(names).to.deep.equal(names.toSorted());
    expect(body['next_starting_token']).to.equal(2);
    const project = await maker.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    const key = await maker.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'bound', project_id: project.body.id },
    });
    const headers = { 'Service-API-Key': key.body.api_key };
    const { id } = (await create()).body;
    for (const path of ['/v2/groups', '/v2/current_user/groups', `/v2/groups/${id}`]) {
      expectRefused(await cast.app.client.send('GET', path, { headers }), 403, 'forbidden');
    }
  });

  it('gives its members the roles it has in projects, and takes them within a second', async () => {
    const project = await maker.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    const root = `/v2/projects/${project.body.id}`;
    const { id, name } = (await create({ users: [{ user_id: cast.ours.manager.id }] })).body;
    const { as } = cast.ours.manager;
    const sees = async (): Promise<number> => (await as.send('GET', root)).status;
    expect(await sees()).to.equal(404);
    const shared = await maker.as.send<readonly Record<string, unknown>[]>(
      'POST',
      `${root}/groups`,
      { body: [{ group_id: id, role: 'editor' }] },
    );
    expect(shared.body[0]).to.include({ group_id: id, group_name: name, role: 'editor' });
    const joinable = 'Everybody of the organisation may join this public group and be editor';
    expect(shared.body[0]?.['warning']).to.include(joinable);
    expect(await sees()).to.equal(200);
    const listed = await as.call<{ id: string }[]>('GET', '/v2/projects');
    expect(listed.body.map((one) => one.id)).to.include(project.body.id);
    const stream = { body: { name: randomUUID() } };
    expect((await as.send('POST', `${root}/log_streams`, stream)).status).to.equal(200);
    const page = await as.call<{ collaborators: unknown[] }>('GET', `${root}/groups`);
    expect(page.body.collaborators).to.have.length(1);
    const changed = await maker.as.send('PATCH', `${root}/groups/${id}`, {
      body: { role: 'viewer' },
    });
    expect(changed.body).to.include({ role: 'viewer', warning: null });
    expectRefused(await as.send('POST', `${root}/log_streams`, stream), 403, 'forbidden');
    await remove(id, cast.ours.manager, maker.as);
    await pollUntil('the member lost sight', 1_000, async () => (await sees()) === 404);
    await add(id, [{ user_id: cast.ours.manager.id }], maker.as);
    await pollUntil('the member sees it again', 1_000, async () => (await sees()) === 200);
    const unshared = await maker.as.send('DELETE', `${root}/groups/${id}`);
    expect(unshared.status).to.equal(200);
    expect(await sees()).to.equal(404);
    expectRefused(await maker.as.send('DELETE', `${root}/groups/${id}`), 404, 'not_found');
    expectRefused(
      await maker.as.send('PATCH', `${root}/groups/${id}`, { body: { role: 'viewer' } }),
      404,
      'not_found',
    );
  });

  it('is refused a project by a caller who does not see the group', async () => {
    const project = await guestProject();
    const hidden = (await create({ visibility: 'hidden' }, cast.ours.admin.as)).body.id;
    const theirs = (await create({}, cast.theirs.user.as)).body.id;
    for (const group_id of [hidden, theirs, randomUUID()]) {
      const reply = await maker.as.send('POST', `${project}/groups`, { body: [{ group_id }] });
      expectRefused(reply, 404, 'not_found');
    }
  });

  const guestProject = async (): Promise<string> => {
    const { body } = await maker.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    return `/v2/projects/${body.id}`;
  };

  it('loses its project roles when it is deleted', async () => {
    const root = await guestProject();
    const { id } = (await create({ users: [{ user_id: cast.ours.manager.id }] })).body;
    await maker.as.call('POST', `${root}/groups`, { body: [{ group_id: id }] });
    expect((await cast.ours.manager.as.send('GET', root)).status).to.equal(200);
    await maker.as.call('DELETE', `/v2/groups/${id}`);
    await pollUntil(
      'the project is out of sight',
      1_000,
      async () => (await cast.ours.manager.as.send('GET', root)).status === 404,
    );
    const page = await maker.as.call<{ collaborators: unknown[] }>('GET', `${root}/groups`);
    expect(page.body.collaborators).to.have.length(0);
  });
});
