import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import { upload, type ContentPage, type DatasetRecord } from '../support/datasets.js';
import {
  expectInvalid,
  expectRefused,
  keyRing,
  type KeyAnswer,
  type KeyRing,
} from '../support/key-ring.js';
import type { Client } from '../support/client.js';

type Page = { readonly datasets: readonly DatasetRecord[]; readonly [member: string]: unknown };
const csv = 'question,answer,tox\nq1,a1,0.1\nq2,"a\n2",0.2\n';
const unique = (name: string): string => `${name} ${randomUUID()}`;

describe('keeping and sharing datasets over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(unique('datasets'));
  });
  after(() => keys.close());

  const at = (id: string, rest = '') => `/v2/datasets/${id}${rest}`;
  const made = async (parts: Record<string, string> = {}, file = csv): Promise<DatasetRecord> => {
    const { status, body } = await upload(app, { file, parts: { name: unique('made'), ...parts } });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const content = async (id: string, rest = '/content', as: Client = app.client) =>
    (await as.call<ContentPage>('GET', at(id, rest))).body;
  const get = (id: string, as: Client = app.client) => as.send<DatasetRecord>('GET', at(id));
  const patch = (id: string, body: object, headers: Record<string, string> = {}) =>
    app.client.send<DatasetRecord>('PATCH', at(id), { body, headers });
  const bound = (role: string, of = project): Promise<KeyAnswer & { readonly as: Client }> =>
    keys.make({ project_id: of, project_role: role });

  describe('PATCH', () => {
    const mapping = { input: { columns: ['question'], flatten: false }, output: ['answer'] };

    it('renames, maps and publishes in one step, and changes nothing the second time', async () => {
      const { id } = await made({ draft: 'true' });
      const name = unique('new');
      const change = {
        name,
        column_mapping: { ...mapping, mgt: { toxicity: { columns: ['tox'] } } },
        draft: false,
        num_rows: 7,
      };
      const first = await patch(id, change);
      expect(first.body).to.deep.include({
        name,
        draft: false,
        num_rows: 2,
        column_mapping: {
          input: { columns: ['question'], flatten: false },
          output: { columns: ['answer'], flatten: false },
          generated_output: null,
          metadata: null,
          mgt: { toxicity: { columns: ['tox'], flatten: false } },
        },
      });
      expect((await get(id)).body).to.deep.equal(first.body);
      const again = await patch(id, change);
      expect(again.body).to.deep.equal(first.body);
      expect(again.position).to.equal(first.position);
      expect((await patch(id, {})).position).to.equal(first.position);
      expect((await patch(id, { name: null, draft: null })).position).to.equal(first.position);
    });

    it('answers 409 for a name that is taken, or adds the first free suffix', async () => {
      const [one, other] = [await made(), await made()];
      expectRefused(await patch(other.id, { name: one.name }), 409, 'already_exists');
      const wanted = { value: one.name, append_suffix_if_duplicate: true };
      expect((await patch(other.id, { name: wanted })).body.name).to.equal(`${one.name} (1)`);
      expect((await patch(other.id, { name: wanted })).body.name).to.equal(`${one.name} (1)`);
      expect((await patch(one.id, { name: wanted })).body.name).to.equal(one.name);
      expect((await patch(other.id, { name: unique('x') })).status).to.equal(200);
      const { id } = await made();
      expect((await patch(id, { name: wanted })).body.name).to.equal(`${one.name} (1)`);
    });

    it('answers 422 for unknown columns, a return to draft and a huge mapping', async () => {
      const { id } = await made();
      expectInvalid(
        await patch(id, { column_mapping: { input: { columns: ['question', 'nope'] } } }),
        ['body', 'column_mapping', 'input', 'columns', '1'],
        'value_error',
      );
      expectInvalid(
        await patch(id, { column_mapping: { metadata: ['nope'] } }),
        ['body', 'column_mapping', 'metadata', '0'],
        'value_error',
      );
      expectInvalid(await patch(id, { draft: true }), ['body', 'draft'], 'literal_error');
      const long = Array.from({ length: 400 }, (_, index) => `${index}${'x'.repeat(200)}`);
      expectInvalid(
        await patch(id, { column_mapping: { input: long } }),
        ['body', 'column_mapping'],
        'value_error',
      );
      expectInvalid(
        await patch(id, { column_mapping: { input: Array(501).fill('question') } }),
        ['body', 'column_mapping', 'input'],
        'too_long',
      );
    });

    it('has one winner among many under If-Match, and loses no change without it', async () => {
      const { id } = await made({ draft: 'true' });
      const { etag = '' } = (await get(id)).headers;
      const races = await Promise.all(
        Array.from({ length: 8 }, () => patch(id, { name: unique('race') }, { 'If-Match': etag })),
      );
      const statuses = races.map(({ status }) => status).sort((one, other) => one - other);
      expect(statuses).to.deep.equal([200, ...Array<number>(7).fill(412)]);
      const winner = races.find(({ status }) => status === 200);
      expect((await get(id)).body).to.deep.equal(winner?.body);
      expect((await get(id)).headers.etag).to.equal(winner?.headers.etag);
      const name = unique('all');
      await Promise.all([
        patch(id, { name }),
        patch(id, { draft: false }),
        patch(id, { column_mapping: mapping }),
      ]);
      expect((await get(id)).body).to.deep.include({ name, draft: false });
      expect((await get(id)).body.column_mapping).not.to.equal(null);
      expectRefused(await patch(id, {}, { 'If-Match': etag }), 412, 'precondition_failed');
    });

    it('answers 404 out of sight, 403 to a caller who can only read', async () => {
      const { id } = await made({ project_id: project });
      const viewer = await bound('viewer');
      const stranger = await bound('editor', await keys.project(unique('strange')));
      expect((await get(id, viewer.as)).status).to.equal(200);
      const ask = { body: { name: 'x' } };
      expectRefused(await viewer.as.send('PATCH', at(id), ask), 403, 'forbidden');
      for (const [as, which] of [
        [stranger.as, id],
        [app.client, randomUUID()],
      ] as const) {
        expectRefused(await as.send('PATCH', at(which), ask), 404, 'not_found');
        expectRefused(await as.send('GET', at(which)), 404, 'not_found');
      }
      const editor = await bound('editor');
      expect((await editor.as.send('PATCH', at(id), { body: {} })).status).to.equal(200);
    });
  });

  describe('listing', () => {
    let lone: string;
    let home: Client;
    let ids: readonly string[];
    const names = (page: Page) => page.datasets.map(({ name }) => name);
    const mark = randomUUID();
    before(async () => {
      lone = await keys.project(unique('listing'));
      home = (await bound('editor', lone)).as;
      const list = [];
      for (const name of ['alpha', 'beta', 'Gamma']) {
        const file = `a\n${'x\n'.repeat(name.length)}`;
        const draft = String(name === 'beta');
        const parts = { name: `${name} ${mark}`, project_id: lone, draft };
        list.push((await upload(app, { file, parts })).body.id);
      }
      ids = list;
    });
    const mine = (...wanted: readonly string[]) => wanted.map((name) => `${name} ${mark}`);

    it('has what is in sight, the newest first, in pages', async () => {
      const { body } = await home.call<Page>('GET', '/v2/datasets');
      expect(names(body)).to.deep.equal(mine('Gamma', 'beta', 'alpha'));
      const first = await home.call<Page>('GET', '/v2/datasets?limit=2');
      expect(names(first.body)).to.deep.equal(mine('Gamma', 'beta'));
      expect(first.body).to.deep.include({ paginated: true, next_starting_token: 2 });
      const all = await app.client.call<Page>('GET', '/v2/datasets?limit=1000');
      expect(names(all.body)).to.include.members(mine('Gamma', 'beta', 'alpha'));
    });

    it('filters by name, draft, id and project, and sorts', async () => {
      const found = async (body: object, as = home) =>
        names((await as.call<Page>('POST', '/v2/datasets/query', { body })).body);
      expect(await found({ sort: { name: 'name' } })).to.deep.equal(mine('Gamma', 'alpha', 'beta'));
      expect(await found({ sort: { name: 'num_rows', ascending: false } })).to.deep.equal(
        mine('Gamma', 'alpha', 'beta'),
      );
      const byName = { name: 'name', operator: 'contains', value: 'ET' };
      expect(await found({ filters: [byName] })).to.deep.equal([]);
      expect(await found({ filters: [{ ...byName, case_sensitive: false }] })).to.deep.equal(
        mine('beta'),
      );
      const byDraft = { name: 'draft', operator: 'ne', value: true };
      expect(await found({ filters: [byDraft] })).to.deep.equal(mine('Gamma', 'alpha'));
      expect(await found({ filters: [{ name: 'id', value: ids[0] }] })).to.deep.equal(
        mine('alpha'),
      );
      const used = { name: 'used_in_project', value: lone };
      const mineOnly = { name: 'name', operator: 'contains', value: mark };
      expect(await found({ filters: [used] }, app.client)).to.have.length(3);
      const not = { name: 'not_in_project', value: lone };
      expect(await found({ filters: [not, mineOnly] }, app.client)).to.deep.equal([]);
      expect(await found({ limit: 1, sort: { name: 'project_count' } })).to.have.length(1);
      const paged = await home.call<Page>('POST', '/v2/datasets/query?limit=1&starting_token=1');
      expect(names(paged.body)).to.deep.equal(mine('beta'));
    });

    it('does not know projects that are deleted or out of sight', async () => {
      const found = async (name: string, value: string, as: Client) => {
        const body = {
          filters: [
            { name, value },
            { name: 'name', operator: 'contains', value: mark },
          ],
        };
        return names((await as.call<Page>('POST', '/v2/datasets/query', { body })).body);
      };
      const other = await keys.project(unique('linked'));
      await app.client.call('PUT', `/v2/datasets/${ids[0]}/projects/${other}`);
      expect(await found('used_in_project', other, app.client)).to.deep.equal(mine('alpha'));
      expect(await found('not_in_project', other, app.client)).to.have.length(2);
      expect(await found('used_in_project', other, home)).to.deep.equal([]);
      expect(await found('not_in_project', other, home)).to.have.length(3);
      await app.client.call('DELETE', `/v2/projects/${other}`);
      expect(await found('used_in_project', other, app.client)).to.deep.equal([]);
      expect(await found('not_in_project', other, app.client)).to.have.length(3);
    });

    it('answers 422 for columns that no dataset has', async () => {
      for (const [body, loc, type] of [
        [{ filters: [{ name: 'rows' }] }, ['body', 'filters', '0'], 'union_tag_invalid'],
        [
          { filters: [{ name: 'used_in_project', value: 'x' }] },
          ['body', 'filters', '0', 'value'],
          'uuid_parsing',
        ],
        [{ sort: { name: 'draft' } }, ['body', 'sort'], 'union_tag_invalid'],
      ] as const) {
        expectInvalid(await home.send('POST', '/v2/datasets/query', { body }), loc, type);
      }
    });
  });

  describe('links', () => {
    it('let a project see the dataset, and can be removed, except the home project', async () => {
      const { id } = await made({ project_id: project });
      const other = await keys.project(unique('linked'));
      const viewer = await bound('viewer', other);
      expectRefused(await get(id, viewer.as), 404, 'not_found');
      const linked = await app.client.call<DatasetRecord>('PUT', at(id, `/projects/${other}`));
      expect(linked.body.project_count).to.equal(2);
      const again = await app.client.call<DatasetRecord>('PUT', at(id, `/projects/${other}`));
      expect(again.position).to.equal(linked.position);
      const seen = await get(id, viewer.as);
      expect(seen.body.permissions.filter(({ allowed }) => allowed)).to.have.length(1);
      expect(await content(id, '/content', viewer.as)).to.have.property('rows');
      const shown = await app.client.call<{ projects: readonly { id: string }[] }>(
        'GET',
        at(id, '/projects'),
      );
      expect(shown.body.projects.map((one) => one.id)).to.have.members([project, other]);
      const few = await viewer.as.call<{ projects: readonly { id: string }[] }>(
        'GET',
        at(id, '/projects'),
      );
      expect(few.body.projects.map((one) => one.id)).to.deep.equal([other]);
      const editor = await bound('editor', other);
      expectRefused(await editor.as.send('PATCH', at(id), { body: {} }), 403, 'forbidden');
      expectRefused(await viewer.as.send('DELETE', at(id, `/projects/${other}`)), 403, 'forbidden');
      const unlinked = await app.client.call<DatasetRecord>('DELETE', at(id, `/projects/${other}`));
      expect(unlinked.body.project_count).to.equal(1);
      expectRefused(await get(id, viewer.as), 404, 'not_found');
      const home = await app.client.send('DELETE', at(id, `/projects/${project}`));
      expectRefused(home, 409, 'conflict');
    });

    it('need the project to be in sight', async () => {
      const { id } = await made();
      for (const method of ['PUT', 'DELETE']) {
        const nowhere = at(id, `/projects/${randomUUID()}`);
        expectRefused(await app.client.send(method, nowhere), 404, 'not_found');
        const nothing = at(randomUUID(), `/projects/${project}`);
        expectRefused(await app.client.send(method, nothing), 404, 'not_found');
      }
    });
  });

  describe('DELETE', () => {
    it('is gone at once, and its name is free', async () => {
      const { id, name } = await made({ project_id: project });
      const viewer = await bound('viewer');
      expectRefused(await viewer.as.send('DELETE', at(id)), 403, 'forbidden');
      const stale = { headers: { 'If-Match': '"other"' } };
      expectRefused(await app.client.send('DELETE', at(id), stale), 412, 'precondition_failed');
      const gone = await app.client.call<{ message: string }>('DELETE', at(id));
      expect(gone.body.message).to.be.a('string');
      for (const rest of ['', '/content', '/versions/1/content', '/projects']) {
        expectRefused(await app.client.send('GET', at(id, rest)), 404, 'not_found');
      }
      expectRefused(await app.client.send('DELETE', at(id)), 404, 'not_found');
      expect((await upload(app, { file: csv, parts: { name } })).status).to.equal(200);
    });
  });
});
