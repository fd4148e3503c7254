import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Page = {
  readonly experiments: readonly ExperimentRecord[];
  readonly [member: string]: unknown;
};

describe('listing and searching experiments over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let lone: string;
  let ids: readonly string[];
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    lone = await keys.project(`search ${randomUUID()}`);
    const made: string[] = [];
    for (const [name, experiment_group_name] of [
      ['alpha', 'Group A'],
      ['beta', 'Group B'],
      ['Gamma', null],
    ]) {
      const body = { name, experiment_group_name };
      made.push((await app.client.call<ExperimentRecord>('POST', there(''), { body })).body.id);
    }
    ids = made;
  });
  after(() => keys.close());
  const there = (rest: string) => `/v2/projects/${lone}/experiments${rest}`;
  const search = (body: object) => app.client.send<Page>('POST', there('/search'), { body });
  const names = async (body: object): Promise<readonly string[]> => {
    const reply = await search(body);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body.experiments.map(({ name }) => name);
  };
  const by = (name: string, operator: string | null, value: unknown, more: object = {}) => ({
    filters: [{ name, ...(operator !== null && { operator }), value, ...more }],
    sort: { name: 'name' },
  });

  it('lists all of them, the newest first, in pages too', async () => {
    const all = await app.client.call<ExperimentRecord[]>('GET', there(''));
    expect(all.body.map(({ name }) => name)).to.deep.equal(['Gamma', 'beta', 'alpha']);
    expect(all.body[0]).to.include({ num_traces: null });
    const paged = await app.client.call<Page>(
      'GET',
      there('/paginated?limit=2&include_counts=true'),
    );
    expect(paged.body).to.include({ limit: 2, paginated: true, next_starting_token: 2 });
    expect(paged.body.experiments[0]).to.include({ name: 'Gamma', num_traces: 0 });
    const counted = await app.client.call<ExperimentRecord[]>('GET', there('?include_counts=true'));
    expect(counted.body[0]).to.include({ num_sessions: 0 });
  });

  it('filters by each column with each operator', async () => {
    const user = (await app.client.call<ExperimentRecord[]>('GET', there(''))).body[0]?.created_by;
    const group = (await search(by('name', 'eq', 'alpha'))).body.experiments[0]
      ?.experiment_group_id;
    const cases: readonly (readonly [object, readonly string[]])[] = [
      [by('id', null, ids[1]), ['beta']],
      [by('id', 'ne', ids[1]), ['Gamma', 'alpha']],
      [by('id', 'one_of', [ids[0], ids[2]]), ['Gamma', 'alpha']],
      [by('id', 'not_in', [ids[0], ids[2]]), ['beta']],
      [by('id', 'contains', String(ids[0]).slice(4, 20)), ['alpha']],
      [by('created_by', null, user), ['Gamma', 'alpha', 'beta']],
      [by('created_by', 'ne', user), []],
      [by('name', 'eq', 'alpha'), ['alpha']],
      [by('name', 'ne', 'alpha'), ['Gamma', 'beta']],
      [by('name', 'contains', 'A', { case_sensitive: false }), ['Gamma', 'alpha', 'beta']],
      [by('name', 'contains', ['al', 'ph']), ['alpha']],
      [by('name', 'starts_with', 'al'), ['alpha']],
      [by('name', 'ends_with', 'a', { case_sensitive: false }), ['Gamma', 'alpha', 'beta']],
      [by('experiment_group_name', 'is_null', true), ['Gamma']],
      [by('experiment_group_name', 'is_null', false), ['alpha', 'beta']],
      [by('name', 'one_of', ['alpha', 'Gamma']), ['Gamma', 'alpha']],
      [by('name', 'not_in', ['alpha', 'Gamma']), ['beta']],
      [by('experiment_group_name', 'eq', 'Group A'), ['alpha']],
      [by('experiment_group_name', 'ne', 'Group A'), ['Gamma', 'beta']],
      [by('experiment_group_name', 'contains', 'Group'), ['alpha', 'beta']],
      [by('experiment_group_id', null, group), ['alpha']],
      [by('experiment_group_id', 'anything', String(group).toUpperCase()), ['alpha']],
      [by('created_at', 'gt', '2001-01-01'), ['Gamma', 'alpha', 'beta']],
      [by('created_at', 'lt', '2001-01-01'), []],
      [by('updated_at', 'gt', '2001-01-01'), []],
      [by('updated_at', 'ne', '2001-01-01'), ['Gamma', 'alpha', 'beta']],
    ];
    for (const [body, expected] of cases) {
      expect(await names(body), JSON.stringify(body)).to.deep.equal(expected);
    }
  });

  it('sorts, and orders ties by age', async () => {
    expect(await names({ sort: { name: 'created_at', ascending: true } })).to.deep.equal([
      'alpha',
      'beta',
      'Gamma',
    ]);
    expect(await names({ sort: { name: 'name', ascending: false } })).to.deep.equal([
      'beta',
      'alpha',
      'Gamma',
    ]);
    expect(await names({ sort: { name: 'updated_at' } })).to.deep.equal(['Gamma', 'beta', 'alpha']);
    expect(await names({ sort: null })).to.deep.equal(['Gamma', 'beta', 'alpha']);
  });

  it('pages through a filtered result', async () => {
    const filters = [{ name: 'name', operator: 'contains', value: 'a' }];
    const page = await search({ filters, limit: 1, starting_token: 1 });
    expect(page.body.experiments.map(({ name }) => name)).to.deep.equal(['beta']);
    expect(page.body).to.include({ starting_token: 1, paginated: true, next_starting_token: 2 });
  });

  it('answers 422 for what the contract does not know', async () => {
    const at = ['body', 'filters', '0'];
    const filters = (one: object) => search({ filters: [one] });
    expectInvalid(await filters({ name: 'color', value: 'x' }), at, 'union_tag_invalid');
    expectInvalid(
      await filters({ name: 'name', operator: 'gt', value: 'x' }),
      [...at, 'operator'],
      'enum',
    );
    const group = { name: 'experiment_group_id' };
    const value = [...at, 'value'];
    expectInvalid(await filters({ ...group, value: 'x' }), value, 'uuid_parsing');
    expectInvalid(await filters({ ...group, value: 7 }), value, 'uuid_type');
    expectInvalid(await filters(group), value, 'missing');
    expectInvalid(await search({ sort: { name: 'best' } }), ['body', 'sort'], 'union_tag_invalid');
  });

  it('answers 404 out of sight', async () => {
    const other = await keys.project(`elsewhere ${randomUUID()}`);
    const { as } = await keys.make({ project_id: other });
    for (const rest of ['', '/paginated']) {
      expectRefused(await as.send('GET', there(rest)), 404, 'not_found');
    }
    expectRefused(await as.send('POST', there('/search')), 404, 'not_found');
    expectRefused(await as.send('GET', there(`/${ids[0]}`)), 404, 'not_found');
  });
});
