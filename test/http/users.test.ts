import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { userPermissions } from '../../contract/permissions.js';
import { expectReplayEqual } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import { pollUntil } from '../support/poll-until.js';

type User = { readonly id: string; readonly email: string; readonly [member: string]: unknown };
type Page = { readonly users: readonly User[]; readonly [member: string]: unknown };
type Invited = {
  readonly invitations: readonly { readonly user_id: string; readonly email: string }[];
};

describe('users over HTTP', () => {
  let cast: TwoOrganizations;
  let admin: RoleUser;
  before(async () => {
    cast = await startTwoOrganizations();
    admin = cast.ours.admin;
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const get = (id: string, as: Client = admin.as) => as.send<User>('GET', `/v2/users/${id}`);
  const put = (id: string, body: object, as: Client = admin.as) =>
    as.send<User>('PUT', `/v2/users/${id}`, { body });
  const remove = (id: string, as: Client = admin.as) => as.send('DELETE', `/v2/users/${id}`);
  const invited = async (role = 'user'): Promise<string> => {
    const { body } = await admin.as.call<Invited>('POST', '/v2/invite_users', {
      body: { emails: [`${randomUUID()}@example.org`], role },
    });
    return body.invitations[0]?.user_id ?? '';
  };

  describe('GET one', () => {
    it('shows every user of the organisation to all its members', async () => {
      const { status, body } = await get(admin.id, cast.ours.read_only.as);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        id: admin.id,
        email: admin.email,
        first_name: 'Ada',
        last_name: 'admin',
        role: 'admin',
        auth_method: 'email',
        email_is_verified: false,
        organization_id: admin.organizationId,
        organization_name: 'default',
        created_at: '2026-03-01T09:00:00.000000Z',
        updated_at: '2026-03-01T09:00:00.000000Z',
        permissions: userPermissions('read_only', { isSelf: false, role: 'admin' }),
        generic_permissions: [],
      });
    });

    it('answers 404 for users unknown or of other organisations, 403 to a bound key', async () => {
      expectRefused(await get(cast.theirs.user.id), 404, 'not_found');
      expectRefused(await get(randomUUID()), 404, 'not_found');
      const bound = await boundKey();
      expectRefused(
        await cast.app.client.send('GET', `/v2/users/${admin.id}`, { headers: bound }),
        403,
        'forbidden',
      );
    });
  });

  const boundKey = async (): Promise<Record<string, string>> => {
    const project = await admin.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    const key = await admin.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'bound', project_id: project.body.id },
    });
    return { 'Service-API-Key': key.body.api_key };
  };

  describe('POST all', () => {
    const search = (body: object, query = '', as: Client = admin.as) =>
      as.send<Page>('POST', `/v2/users/all${query}`, { body });

    it('finds users of the organisation by e-mail, name and role, sorts and pages', async () => {
      const all = await search({ sort: { name: 'email' } });
      const emails = all.body.users.map(({ email }) => email);
      expect(emails).to.deep.equal(emails.toSorted());
      expect(emails).to.include(admin.email).and.not.to.include(cast.theirs.admin.email);
      const named = await search({
        filters: [
          { name: 'last_name', operator: 'contains', value: 'ad' },
          { name: 'role', operator: 'one_of', value: ['admin', 'read_only'] },
          { name: 'email', operator: 'contains', value: 'EXAMPLE', case_sensitive: false },
        ],
        sort: { name: 'last_name', ascending: false },
      });
      expect(named.body.users.map((user) => user['last_name'])).to.deep.equal([
        'read_only',
        'admin',
      ]);
      const page = await search({ sort: { name: 'email' } }, '?starting_token=1&limit=2');
      expect(page.body.users.map(({ email }) => email)).to.deep.equal(emails.slice(1, 3));
      expect(page.body).to.include({ starting_token: 1, limit: 2, paginated: true });
    });

    it('takes the page from the query or the body, and the body wins', async () => {
      const { body } = await search({ sort: { name: 'email' } });
      const emails = body.users.map(({ email }) => email);
      const asked = { sort: { name: 'email' }, starting_token: 1, limit: 2 };
      for (const query of ['', '?starting_token=0&limit=1']) {
        const page = await search(asked, query);
        expect(page.body).to.include({ starting_token: 1, limit: 2 });
        expect(page.body.users.map(({ email }) => email)).to.deep.equal(emails.slice(1, 3));
      }
      expectInvalid(await search({ limit: 0 }), ['body', 'limit'], 'greater_than_equal');
    });

    it('answers 422 for columns and operators that it does not have', async () => {
      expectInvalid(
        await search({ filters: [{ name: 'id', operator: 'eq', value: 'x' }] }),
        ['body', 'filters', '0'],
        'union_tag_invalid',
      );
      expectInvalid(
        await search({ filters: [{ name: 'role', operator: 'contains', value: 'a' }] }),
        ['body', 'filters', '0', 'operator'],
        'enum',
        "Input should be 'eq', 'ne' or 'one_of'",
      );
      expectInvalid(await search({ sort: { name: 'id' } }), ['body', 'sort'], 'union_tag_invalid');
    });

    it('answers 403 to a bound key', async () =>
      expectRefused(
        await cast.app.client.send('POST', '/v2/users/all', { headers: await boundKey() }),
        403,
        'forbidden',
      ));
  });

  describe('PUT', () => {
    it('changes names, and answers what is read afterwards', async () => {
      const { id, as } = cast.ours.user;
      const changed = await put(id, { first_name: 'Grace' }, as);
      expect(changed.body).to.include({ first_name: 'Grace', last_name: 'user' });
      expect((await get(id, as)).body).to.deep.equal(changed.body);
      expect((await put(id, { first_name: null, last_name: 'Hopper' }, as)).body).to.include({
        first_name: 'Grace',
        last_name: 'Hopper',
      });
    });

    it('trims names, accepts empty ones, and refuses control characters', async () => {
      const { id, as } = cast.ours.user;
      const changed = await put(id, { first_name: ' Grace\u2003', last_name: '  ' }, as);
      expect(changed.body).to.include({ first_name: 'Grace', last_name: '' });
      for (const name of ['a\u0000b', 'a\nb', 'a\u007f b']) {
        expectInvalid(
          await put(id, { first_name: name }, as),
          ['body', 'first_name'],
          'string_pattern_mismatch',
        );
      }
      await put(id, { first_name: 'Ada', last_name: 'user' }, as);
    });

    it('lets managers change all users but admins, and users only themselves', async () => {
      const { manager, user, auditor } = cast.ours;
      expect((await put(auditor.id, { first_name: 'M' }, manager.as)).status).to.equal(200);
      expectRefused(await put(admin.id, { first_name: 'M' }, manager.as), 403, 'forbidden');
      expectRefused(await put(auditor.id, { first_name: 'M' }, user.as), 403, 'forbidden');
      expectRefused(await put(cast.theirs.user.id, { first_name: 'M' }), 404, 'not_found');
    });

    it('lets only admins change a role, even their own', async () => {
      const { manager, user } = cast.ours;
      expectRefused(await put(user.id, { role: 'manager' }, user.as), 403, 'forbidden');
      expectRefused(await put(manager.id, { role: 'admin' }, manager.as), 403, 'forbidden');
      expect((await put(manager.id, { role: 'manager' }, manager.as)).status).to.equal(200);
      const id = await invited();
      expect((await put(id, { role: 'auditor' })).body).to.include({ role: 'auditor' });
    });

    it('keeps the last admin of an organisation', async () => {
      const lone = cast.theirs.admin;
      expectRefused(await put(lone.id, { role: 'user' }, lone.as), 409, 'conflict');
      expectRefused(await remove(lone.id, lone.as), 409, 'conflict');
      expect((await put(lone.id, { first_name: 'Lone' }, lone.as)).status).to.equal(200);
    });

    it('answers 422 for an unknown role', async () =>
      expectInvalid(await put(admin.id, { role: 'boss' }), ['body', 'role'], 'enum'));
  });

  describe('DELETE', () => {
    it('ends the keys of the user within a second and frees their e-mail', async () => {
      const id = await invited('admin');
      const { email } = (await get(id)).body;
      const inviting = () =>
        admin.as.send('POST', '/v2/invite_users', { body: { emails: [email] } });
      expectRefused(await inviting(), 409, 'already_exists');
      expect((await remove(id)).status).to.equal(200);
      expectRefused(await get(id), 404, 'not_found');
      expect((await inviting()).status).to.equal(200);
      const { auditor } = cast.ours;
      expect((await auditor.as.send('GET', '/v2/projects')).status).to.equal(200);
      expect((await remove(auditor.id, cast.ours.manager.as)).status).to.equal(200);
      await pollUntil(
        'the key is refused',
        1_000,
        async () => (await auditor.as.send('GET', '/v2/projects')).status === 401,
      );
      expectRefused(await remove(auditor.id), 404, 'not_found');
    });

    it('answers 401 to a removed user even while a read model is behind', async () => {
      const { read_only: guest } = cast.ours;
      expect((await guest.as.send('GET', '/v2/current_user')).status).to.equal(200);
      await remove(guest.id);
      const statuses = new Set<number>();
      await pollUntil('they are refused by the authorizer', 2_000, async () => {
        statuses.add((await guest.as.send('GET', '/v2/current_user')).status);
        return (await guest.as.send('GET', '/v2/projects')).status === 401;
      });
      expect([...statuses]).to.deep.equal([401]);
    });

    it('requires a manager, and an admin to delete admins', async () => {
      const { manager, user } = cast.ours;
      expectRefused(await remove(manager.id, user.as), 403, 'forbidden');
      expectRefused(await remove(admin.id, manager.as), 403, 'forbidden');
      expectRefused(await remove(cast.theirs.user.id), 404, 'not_found');
    });

    it('leaves one of two admins who take the role from each other at once', async () => {
      const { admin: one, manager: other } = cast.theirs;
      expect((await put(other.id, { role: 'admin' }, one.as)).status).to.equal(200);
      const replies = await Promise.all([
        put(other.id, { role: 'user' }, one.as),
        put(one.id, { role: 'user' }, other.as),
      ]);
      expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
      const { body } = await cast.theirs.user.as.call<Page>('POST', '/v2/users/all', {
        body: { filters: [{ name: 'role', operator: 'eq', value: 'admin' }] },
      });
      expect(body.users).to.have.length(1);
    });
  });

  it('have the rights of a new role at once, and lose those of the old one', async () => {
    const { user } = cast.ours;
    const { body: project } = await admin.as.call<User>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    const look = (): Promise<number> =>
      user.as.send('GET', `/v2/projects/${project.id}`).then(({ status }) => status);
    for (const round of ['first', 'again']) {
      expect(await look(), round).to.equal(404);
      await put(user.id, { role: 'admin' });
      expect(await look(), round).to.equal(200);
      await put(user.id, { role: 'user' });
    }
    expect(await look()).to.equal(404);
  });

  it('lists the roles, strongest first', async () => {
    for (const [path, names] of [
      ['user_roles', ['admin', 'manager', 'user', 'auditor', 'read_only']],
      ['group_roles', ['maintainer', 'member', 'pending']],
      ['collaborator_roles', ['owner', 'editor', 'annotator', 'viewer']],
    ] as const) {
      const { body } = await cast.ours.read_only.as.call<{ name: string }[]>('GET', `/v2/${path}`);
      expect(body.map(({ name }) => name)).to.deep.equal(names);
      expect(body[0]).to.have.all.keys('name', 'display_name', 'description');
    }
  });
});
