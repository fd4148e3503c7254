import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { projectPermissions } from '../../contract/permissions.js';
import { sharedApp, type App } from '../support/app.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Project = { readonly id: string; readonly name: string; readonly [member: string]: unknown };
type Page = { readonly projects: readonly Project[]; readonly [member: string]: unknown };

const tag = randomUUID().slice(0, 8);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('projects over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  after(() => keys.close());

  const create = (name: string, more: object = {}) =>
    app.client.send<Project>('POST', '/v2/projects', { body: { name, ...more } });
  const get = (id: string) => app.client.send<Project>('GET', `/v2/projects/${id}`);

  describe('POST /projects', () => {
    it('answers the project as it is read afterwards', async () => {
      const made = await create(`  ${tag} first  `);
      expect(made.status).to.equal(200);
      const { id, created_by: creator, created_at: at, ...rest } = made.body;
      expect(id).to.match(uuid);
      expect(at).to.match(instant);
      expect(rest).to.deep.equal({
        name: `${tag} first`,
        type: 'gen_ai',
        description: null,
        labels: [],
        created_by_user: {
          id: creator,
          email: 'admin@localhost',
          first_name: '',
          last_name: '',
        },
        updated_at: at,
        bookmark: false,
        runs: [],
        role: 'owner',
        permissions: projectPermissions('owner'),
      });
      expect((await get(id)).body).to.deep.equal(made.body);
      expect((await app.client.send('GET', `/projects/${id}`)).body).to.deep.equal(made.body);
    });

    it('answers 409 already_exists for a name of the organisation that is taken', async () => {
      await create(`${tag} taken`);
      expectRefused(await create(`${tag} taken`), 409, 'already_exists');
      expect((await create(`${tag} Taken`)).status).to.equal(200);
    });

    it('gives a name to exactly one of many concurrent requests', async () => {
      const wanted = Array.from({ length: 12 }, () => create(`${tag} race`));
      const statuses = (await Promise.all(wanted))
        .map(({ status }) => status)
        .sort((one, other) => one - other);
      expect(statuses).to.deep.equal([200, ...Array<number>(11).fill(409)]);
    });

    it('ignores members that it does not name', async () => {
      const mine = randomUUID();
      const made = await create(`${tag} assigned`, {
        id: mine,
        created_by: mine,
        organization_id: mine,
        created_at: '2001-01-01',
        bookmark: true,
        labels: ['x'],
        description: 'x',
        permissions: [],
        runs: [{ id: mine }],
        constructor: { prototype: { polluted: true } },
      });
      expect(made.status).to.equal(200);
      expect(JSON.stringify((await get(made.body.id)).body)).not.to.include(mine);
      expect((await get(made.body.id)).body).to.deep.include({
        description: null,
        labels: [],
        bookmark: false,
      });
      expect('polluted' in {}).to.equal(false);
    });

    it('answers 422 for an unknown type and 403 to a bound key', async () => {
      expectInvalid(
        await create(`${tag} type`, { type: 'none' }),
        ['body', 'type'],
        'enum',
        "Input should be 'gen_ai', 'prompt_evaluation', 'llm_monitor' or 'protect'",
      );
      const { as } = await keys.make({ project_id: await keys.project(`${tag} bound`) });
      expectRefused(
        await as.send('POST', '/v2/projects', { body: { name: `${tag} by bound` } }),
        403,
        'forbidden',
      );
    });

    it('is repeated without a second effect under an Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const body = { name: `${tag} once` };
      const first = await app.client.send('POST', '/v2/projects', { body, headers });
      const again = await app.client.send('POST', '/v2/projects', { body, headers });
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers['idempotency-replayed']).to.equal('true');
    });
  });

  describe('listing', () => {
    it('finds by name and type, the newest first, and pages', async () => {
      const names = ['a', 'b', 'c'].map((letter) => `${tag} list ${letter}`);
      for (const name of names) await create(name, { type: 'protect' });
      const named = await app.client.send<Project[]>(
        'GET',
        `/v2/projects?project_name=${encodeURIComponent(names[1] ?? '')}&type=protect`,
      );
      expect(named.body.map(({ name }) => name)).to.deep.equal([names[1]]);
      const all = await app.client.send<Project[]>('GET', '/v2/projects/all?type=protect');
      expect(
        all.body.map(({ name }) => name).filter((name) => name.startsWith(`${tag} list`)),
      ).to.deep.equal(names.toReversed());
      const filters = [{ name: 'name', operator: 'contains', value: [`${tag} list`] }];
      const body = { filters, limit: 2, sort: { name: 'name', ascending: false } };
      const page = await app.client.send<Page>('POST', '/v2/projects/paginated', { body });
      const { projects, ...measure } = page.body;
      expect(projects.map(({ name }) => name)).to.deep.equal([names[2], names[1]]);
      expect(measure).to.deep.equal({
        starting_token: 0,
        limit: 2,
        paginated: true,
        next_starting_token: 2,
      });
      const next = await app.client.send<Page>('POST', '/v2/projects/paginated', {
        body: { ...body, starting_token: 2 },
      });
      expect(next.body.projects.map(({ name }) => name)).to.deep.equal([names[0]]);
      expect(next.body['next_starting_token']).to.equal(null);
    });

    it('takes the page from the query or the body, and the body wins', async () => {
      for (const name of ['a', 'b', 'c']) await create(`${tag} page ${name}`);
      const filters = [{ name: 'name', operator: 'contains', value: `${tag} page` }];
      const page = async (query: string, more: object = {}) => {
        const { body } = await app.client.call<{ starting_token: number; limit: number }>(
          'POST',
          `/v2/projects/paginated${query}`,
          { body: { filters, ...more } },
        );
        return [body.starting_token, body.limit];
      };
      expect(await page('?starting_token=1&limit=2')).to.deep.equal([1, 2]);
      expect(await page('', { starting_token: 1, limit: 2 })).to.deep.equal([1, 2]);
      expect(await page('?starting_token=0&limit=1', { limit: 2 })).to.deep.equal([0, 2]);
      expectInvalid(
        await app.client.send('POST', '/v2/projects/paginated?limit=0'),
        ['query', 'limit'],
        'greater_than_equal',
      );
    });

    it('answers union_tag_invalid for a filter or sort that it does not know', async () => {
      const ask = (body: object) => app.client.send('POST', '/v2/projects/paginated', { body });
      expectInvalid(
        await ask({ filters: [{ name: 'labels', operator: 'eq', value: 'x' }] }),
        ['body', 'filters', '0'],
        'union_tag_invalid',
        "Input tag 'labels' found using 'name' does not match any of the expected tags: " +
          "'id', 'created_by', 'name', 'created_at', 'updated_at'",
      );
      expectInvalid(
        await ask({ sort: { name: 'id' } }),
        ['body', 'sort'],
        'union_tag_invalid',
        "Input tag 'id' found using 'name' does not match any of the expected tags: " +
          "'name', 'created_at', 'updated_at'",
      );
    });

    it('shows a bound key its own project and no other', async () => {
      const [mine] = [await keys.project(`${tag} mine`), await keys.project(`${tag} not mine`)];
      const { as } = await keys.make({ project_id: mine, project_role: 'viewer' });
      const listed = await as.send<Project[]>('GET', '/v2/projects');
      expect(listed.body.map(({ id }) => id)).to.deep.equal([mine]);
      expect(listed.body[0]?.['permissions']).to.deep.equal(projectPermissions('viewer'));
      expect(listed.body[0]?.['role']).to.equal('viewer');
      const paged = await as.send<Page>('POST', '/v2/projects/paginated');
      expect(paged.body.projects.map(({ id }) => id)).to.deep.equal([mine]);
      const own = await as.call<Project>('GET', `/v2/projects/${mine}`);
      expect(own.body['role']).to.equal('viewer');
    });
  });

  describe('GET, PUT and DELETE of one', () => {
    it('renames and describes, and frees the old name', async () => {
      const { id } = (await create(`${tag} old`)).body;
      const body = { name: `${tag} new`, description: 'words', labels: ['x', 'y'] };
      const changed = await app.client.send<Project>('PUT', `/v2/projects/${id}`, { body });
      expect(changed.status).to.equal(200);
      expect(changed.body).to.deep.include(body);
      expect(String(changed.body['updated_at']) > String(changed.body['created_at'])).to.equal(
        true,
      );
      expect((await get(id)).body).to.deep.equal(changed.body);
      expect((await create(`${tag} old`)).status).to.equal(200);
      expectRefused(await create(`${tag} new`), 409, 'already_exists');
    });

    it('leaves what is null or absent as it is, and refuses members it does not know', async () => {
      const { id } = (await create(`${tag} kept`)).body;
      const put = (body: object) => app.client.send<Project>('PUT', `/v2/projects/${id}`, { body });
      await put({ description: 'kept' });
      expect((await put({ name: null, labels: ['l'] })).body).to.deep.include({
        name: `${tag} kept`,
        description: 'kept',
        labels: ['l'],
      });
      expectInvalid(await put({ bookmark: true }), ['body', 'bookmark'], 'extra_forbidden');
    });

    it('answers 409 when the new name is taken, and changes nothing', async () => {
      await create(`${tag} other`);
      const made = await create(`${tag} stays`);
      const reply = await app.client.send('PUT', `/v2/projects/${made.body.id}`, {
        body: { name: `${tag} other`, description: 'no' },
      });
      expectRefused(reply, 409, 'already_exists');
      expect((await get(made.body.id)).body).to.deep.equal(made.body);
    });

    it('answers 404 at once for a deleted project and all in it, and frees its name', async () => {
      const { id } = (await create(`${tag} gone`)).body;
      const stream = await app.client.call<{ id: string }>(
        'POST',
        `/v2/projects/${id}/log_streams`,
        { body: { name: 's' } },
      );
      const gone = await app.client.send('DELETE', `/v2/projects/${id}`);
      expect(gone.status).to.equal(200);
      expect(gone.body).to.have.all.keys('message');
      for (const path of ['', '/log_streams', `/log_streams/${stream.body.id}`]) {
        expectRefused(await app.client.send('GET', `/v2/projects/${id}${path}`), 404, 'not_found');
      }
      for (const method of ['PUT', 'DELETE']) {
        expectRefused(await app.client.send(method, `/v2/projects/${id}`), 404, 'not_found');
      }
      expect((await create(`${tag} gone`)).status).to.equal(200);
    });

    it('answers 404 for an unknown project, 403 to a caller who sees it but may not', async () => {
      expectRefused(await get(randomUUID()), 404, 'not_found');
      const id = await keys.project(`${tag} seen`);
      const { as } = await keys.make({ project_id: id, project_role: 'editor' });
      expect((await as.send('GET', `/v2/projects/${id}`)).status).to.equal(200);
      for (const method of ['PUT', 'DELETE']) {
        expectRefused(await as.send(method, `/v2/projects/${id}`), 403, 'forbidden');
      }
      const other = await keys.project(`${tag} unseen`);
      expectRefused(await as.send('GET', `/v2/projects/${other}`), 404, 'not_found');
    });

    it('shows its newest runs', async () => {
      const id = await keys.project(`${tag} runs`);
      for (const name of ['one', 'two']) {
        await app.client.call('POST', `/v2/projects/${id}/log_streams`, { body: { name } });
      }
      const runs = (await get(id)).body['runs'] as readonly Record<string, unknown>[];
      expect(runs.map(({ name, kind }) => [name, kind])).to.deep.equal([
        ['two', 'log_stream'],
        ['one', 'log_stream'],
      ]);
      expect(runs[0]).to.have.all.keys('id', 'name', 'kind', 'created_at', 'updated_at');
    });
  });
});
