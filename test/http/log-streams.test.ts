import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type LogStream = { readonly id: string; readonly name: string; readonly [member: string]: unknown };
type Page = { readonly log_streams: readonly LogStream[]; readonly [member: string]: unknown };

const notCounted = { num_spans: null, num_traces: null, has_user_created_sessions: null };

describe('log streams over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`log streams ${randomUUID()}`);
  });
  after(() => keys.close());

  const path = (rest = '') => `/v2/projects/${project}/log_streams${rest}`;
  const create = (name: string, more: object = {}) =>
    app.client.send<LogStream>('POST', path(), { body: { name, ...more } });
  const get = (id: string, client: Client = app.client) =>
    client.send<LogStream>('GET', path(`/${id}`));
  const viewer = async () => (await keys.make({ project_id: project, project_role: 'viewer' })).as;
  const names = (list: readonly LogStream[]) => list.map(({ name }) => name);

  describe('POST', () => {
    it('answers the log stream as it is read afterwards', async () => {
      const made = await create(' made ');
      const { id, created_at: at, created_by: creator, ...rest } = made.body;
      expect(made.status).to.equal(200);
      expect(rest).to.deep.equal({
        name: 'made',
        project_id: project,
        updated_at: at,
        created_by_user: {
          id: creator,
          email: 'admin@localhost',
          first_name: '',
          last_name: '',
        },
        ...notCounted,
      });
      expect((await get(id)).body).to.deep.equal(made.body);
    });

    it('answers 409 for a name that the project has, 200 for the same name elsewhere', async () => {
      expect((await create('twice')).status).to.equal(200);
      expectRefused(await create('twice'), 409, 'already_exists');
      const other = await keys.project(`elsewhere ${randomUUID()}`);
      const there = await app.client.send('POST', `/v2/projects/${other}/log_streams`, {
        body: { name: 'twice' },
      });
      expect(there.status).to.equal(200);
    });

    it('gives a name to exactly one of many concurrent requests', async () => {
      const wanted = Array.from({ length: 12 }, () => create('race'));
      const statuses = (await Promise.all(wanted))
        .map(({ status }) => status)
        .sort((one, other) => one - other);
      expect(statuses).to.deep.equal([200, ...Array<number>(11).fill(409)]);
    });

    it('ignores members that it does not name', async () => {
      const mine = randomUUID();
      const { body } = await create('assigned', { id: mine, project_id: mine, created_by: mine });
      expect(JSON.stringify(body)).not.to.include(mine);
    });

    it('answers 404 out of sight, 403 to a viewer', async () => {
      const body = { name: 'x' };
      const nowhere = `/v2/projects/${randomUUID()}/log_streams`;
      expectRefused(await app.client.send('POST', nowhere, { body }), 404, 'not_found');
      expectRefused(await (await viewer()).send('POST', path(), { body }), 403, 'forbidden');
    });
  });

  describe('listing', () => {
    let lone: string;
    before(async () => {
      lone = await keys.project(`listing ${randomUUID()}`);
      for (const name of ['alpha', 'beta', 'Gamma']) {
        await app.client.call('POST', `/v2/projects/${lone}/log_streams`, { body: { name } });
      }
    });
    const there = (rest: string) => `/v2/projects/${lone}/log_streams${rest}`;

    it('lists all of them, newest first, with counts only if requested', async () => {
      const { body } = await app.client.send<LogStream[]>('GET', there(''));
      expect(names(body)).to.deep.equal(['Gamma', 'beta', 'alpha']);
      expect(body[0]).to.deep.include(notCounted);
    });

    it('counts traces, spans and sessions that clients began', async () => {
      const [counted, ...others] = (await app.client.send<LogStream[]>('GET', there(''))).body;
      await app.client.call('POST', `/v2/projects/${lone}/traces`, {
        body: {
          log_stream_id: counted?.id,
          traces: [
            { input: 'a', output: 'b', spans: [{ type: 'tool', name: 't', input: 'x' }] },
            { input: 'c', output: 'd' },
          ],
        },
      });
      const some = { num_spans: 1, num_traces: 2, has_user_created_sessions: false };
      const none = { num_spans: 0, num_traces: 0, has_user_created_sessions: false };
      const listed = await app.client.send<LogStream[]>('GET', there('?include_counts=true'));
      expect(listed.body[0]).to.deep.include(some);
      expect(listed.body.slice(1)).to.have.length(others.length);
      for (const other of listed.body.slice(1)) expect(other).to.deep.include(none);
      const paged = await app.client.send<Page>('GET', there('/paginated?include_counts=true'));
      expect(paged.body.log_streams[0]).to.deep.include(some);
      const found = await app.client.send<Page>('POST', there('/search'), {
        body: { include_counts: true },
      });
      expect(found.body.log_streams[0]).to.deep.include(some);
    });

    it('comes in pages', async () => {
      const first = await app.client.send<Page>('GET', there('/paginated?limit=2'));
      expect(names(first.body.log_streams)).to.deep.equal(['Gamma', 'beta']);
      expect(first.body['next_starting_token']).to.equal(2);
      const last = await app.client.send<Page>('GET', there('/paginated?limit=2&starting_token=2'));
      expect(names(last.body.log_streams)).to.deep.equal(['alpha']);
      expect(last.body).to.deep.include({ paginated: true, next_starting_token: null });
    });

    it('filters and sorts', async () => {
      const found = async (body: object): Promise<readonly string[]> =>
        names((await app.client.call<Page>('POST', there('/search'), { body })).body.log_streams);
      const byName = { sort: { name: 'name' } };
      expect(await found(byName)).to.deep.equal(['Gamma', 'alpha', 'beta']);
      const contains = { name: 'name', operator: 'contains', value: 'A', case_sensitive: false };
      expect(await found({ ...byName, filters: [contains] })).to.deep.equal([
        'Gamma',
        'alpha',
        'beta',
      ]);
      const notAlpha = { name: 'name', operator: 'ne', value: 'alpha' };
      expect(await found({ ...byName, filters: [contains, notAlpha] })).to.deep.equal([
        'Gamma',
        'beta',
      ]);
      const old = { name: 'created_at', operator: 'lt', value: '2001-01-01' };
      expect(await found({ filters: [old] })).to.deep.equal([]);
      expect(await found({ filters: null, sort: null, limit: null })).to.have.length(3);
    });

    it('answers 422 for an operator that the column does not have', async () =>
      expectInvalid(
        await app.client.send('POST', there('/search'), {
          body: { filters: [{ name: 'name', operator: 'gt', value: 'a' }] },
        }),
        ['body', 'filters', '0', 'operator'],
        'enum',
      ));

    it('answers 404 out of sight', async () => {
      const { as } = await keys.make({ project_id: project });
      for (const rest of ['', '/paginated']) {
        expectRefused(await as.send('GET', there(rest)), 404, 'not_found');
      }
      expectRefused(await as.send('POST', there('/search')), 404, 'not_found');
    });
  });

  describe('GET, PUT and DELETE of one', () => {
    it('renames, and frees the old name', async () => {
      const made = await create('old');
      const put = await app.client.send<LogStream>('PUT', path(`/${made.body.id}`), {
        body: { name: 'new' },
      });
      const { updated_at: at, ...rest } = put.body;
      const { updated_at: before, ...old } = made.body;
      expect(rest).to.deep.equal({ ...old, name: 'new' });
      expect(String(at) > String(before)).to.equal(true);
      expect((await get(made.body.id)).body).to.deep.equal(put.body);
      expect((await create('old')).status).to.equal(200);
    });

    it('answers 409 when the new name is taken', async () => {
      await create('there');
      const { id } = (await create('here')).body;
      const reply = await app.client.send('PUT', path(`/${id}`), { body: { name: 'there' } });
      expectRefused(reply, 409, 'already_exists');
      expect((await get(id)).body.name).to.equal('here');
    });

    it('deletes it with its records at once, and frees its name', async () => {
      const { id } = (await create('gone')).body;
      const trace = randomUUID();
      await app.client.call('POST', `/v2/projects/${project}/traces`, {
        body: { log_stream_id: id, traces: [{ id: trace, input: 'a', output: 'b' }] },
      });
      const at = `/v2/projects/${project}/traces/${trace}`;
      expect((await app.client.send('GET', at)).status).to.equal(200);
      const gone = await app.client.send('DELETE', path(`/${id}`));
      expect(gone.status).to.equal(204);
      expectRefused(await app.client.send('GET', at), 404, 'not_found');
      expectRefused(await get(id), 404, 'not_found');
      const body = { name: 'x' };
      expectRefused(await app.client.send('PUT', path(`/${id}`), { body }), 404, 'not_found');
      expectRefused(await app.client.send('DELETE', path(`/${id}`)), 404, 'not_found');
      expect((await create('gone')).status).to.equal(200);
    });

    it('answers the same 404 for one of another project as for an unknown id', async () => {
      const { id } = (await create('hidden')).body;
      const other = await keys.project(`another ${randomUUID()}`);
      const answers = await Promise.all(
        [id, randomUUID()].flatMap((one) =>
          ['GET', 'PUT', 'DELETE'].map((method) =>
            app.client.send<Record<string, unknown>>(
              method,
              `/v2/projects/${other}/log_streams/${one}`,
              method === 'PUT' ? { body: { name: 'x' } } : {},
            ),
          ),
        ),
      );
      const seen = answers.map(({ status, body }) => ({
        status,
        body: { ...body, request_id: null },
      }));
      expect(seen.slice(0, 3)).to.deep.equal(seen.slice(3));
      for (const reply of answers) expectRefused(reply, 404, 'not_found');
    });

    it('answers 403 to a caller who sees it but may not', async () => {
      const { id } = (await create('seen')).body;
      const as = await viewer();
      expect((await get(id, as)).status).to.equal(200);
      const body = { name: 'x' };
      expectRefused(await as.send('PUT', path(`/${id}`), { body }), 403, 'forbidden');
      const editor = await keys.make({ project_id: project, project_role: 'editor' });
      expectRefused(await editor.as.send('DELETE', path(`/${id}`)), 403, 'forbidden');
    });
  });
});
