import { randomUUID as uuid } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type App } from '../support/app.js';
import { expectInvalid } from '../support/key-ring.js';

const nothingNamed = [{ type: 'text', name: 'input', operator: 'eq', value: 'no such text' }];
const leaf = (value: string) => ({ type: 'text', name: 'name', operator: 'eq', value });

describe('members that would widen what a request does', function () {
  let app: App;
  let root: string;
  let run: string;
  let dataset: string;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  beforeEach(async () => {
    const made = async (path: string, body: object) =>
      (await app.client.call<{ id: string }>('POST', path, { body })).body.id;
    root = `/v2/projects/${await made('/v2/projects', { name: uuid() })}`;
    run = await made(`${root}/log_streams`, { name: 'one' });
    dataset = await made('/v2/datasets', { name: uuid() }).catch(() => '');
    await app.client.call('POST', `${root}/traces`, {
      body: { log_stream_id: run, traces: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    });
  });
  const post = (path: string, body: unknown) =>
    app.client.send<Record<string, unknown>>('POST', `${root}${path}`, { body });
  const count = async () => (await post('/traces/count', {})).body['total_count'];

  it('refuses a misspelt filter of a deletion, and deletes nothing', async () => {
    const reply = await post('/traces/delete', { log_stream_id: run, filter: nothingNamed });
    expectInvalid(
      reply,
      ['body', 'filter'],
      'extra_forbidden',
      'Extra inputs are not permitted, did you mean `filters`?',
    );
    expect(await count()).to.equal(3);
  });

  it('refuses every member and parameter that a deletion does not name', async () => {
    const forbidden = async (
      method: string,
      path: string,
      loc: readonly string[],
      body?: unknown,
    ) => expectInvalid(await app.client.send(method, path, { body }), loc, 'extra_forbidden');
    await forbidden('POST', `${root}/traces/delete`, ['body', 'anything'], {
      log_stream_id: run,
      anything: 1,
    });
    await forbidden('POST', `${root}/sessions/delete?run=1`, ['query', 'run'], {
      log_stream_id: run,
    });
    await forbidden('POST', '/v2/org-jobs/delete-by-metadata', ['body', 'project_id'], {
      metadata_key: 'k',
      metadata_value: 'v',
      project_id: uuid(),
    });
    await forbidden('DELETE', `${root}?if_empty=true`, ['query', 'if_empty']);
    await forbidden('DELETE', `${root}/log_streams/${run}`, ['body', 'filters'], {
      filters: nothingNamed,
    });
    if (dataset !== '')
      await forbidden('DELETE', `/v2/datasets/${dataset}`, ['body', 'v'], { v: 1 });
    expect(await count()).to.equal(3);
    expect(
      (await app.client.send('DELETE', `${root}/log_streams/${run}`, { body: {} })).status,
    ).to.be.below(300);
  });

  it('refuses a misspelt role of a key, which would make a stronger key', async () => {
    const reply = await app.client.send('POST', '/v2/users/api_keys', {
      body: { description: 'd', project_rol: 'viewer' },
    });
    expectInvalid(
      reply,
      ['body', 'project_rol'],
      'extra_forbidden',
      'Extra inputs are not permitted, did you mean `project_role`?',
    );
  });

  it('refuses misspelt filters of searches, exports, metrics, listings and scoring', async () => {
    const near = async (path: string, body: object, ...loc: string[]) => {
      const reply = await post(path, body);
      expectInvalid(reply, ['body', ...loc], 'extra_forbidden');
      expect(JSON.stringify(reply.body), path).to.contain('did you mean');
    };
    for (const kind of ['sessions', 'traces', 'spans']) {
      for (const act of ['search', 'count', 'export']) {
        await near(`/${kind}/${act}`, { filter: nothingNamed }, 'filter');
      }
    }
    await near('/traces/search', { log_steam_id: run }, 'log_steam_id');
    await near('/traces/search', { sort: { colum_id: 'name' } }, 'sort', 'colum_id');
    await near('/experiments/search', { filtres: [] }, 'filtres');
    await near('/log_streams/search', { filterz: [] }, 'filterz');
    await near(`/runs/${run}/scorers/${uuid()}/score`, { filterTree: null }, 'filterTree');
    const window = { start_time: '2026-01-01', end_time: '2026-01-02', metric_details: [] };
    await near('/metrics/custom_search', { ...window, filtertree: {} }, 'filtertree');
    const history = await app.client.send('GET', `${root}/history?event_typ=TraceLogged`);
    expectInvalid(history, ['query', 'event_typ'], 'extra_forbidden');
    const misplaced = await post('/traces/search?filters=x', {});
    expectInvalid(
      misplaced,
      ['query', 'filters'],
      'extra_forbidden',
      'Extra inputs are not permitted, `filters` does not belong here',
    );
  });

  it('refuses filters under the other name, and names the one that it reads', async () => {
    const tree = { filter: leaf('a') };
    const window = { start_time: '2026-01-01', end_time: '2099-01-01', metric_details: [] };
    const refused = async (path: string, body: object, name: string, meant: string) => {
      const loc = path.includes('?') ? ['query', name] : ['body', name];
      const msg = `Extra inputs are not permitted, did you mean \`${meant}\`?`;
      expectInvalid(await post(path, body), loc, 'extra_forbidden', msg);
    };
    for (const name of ['filters', 'filter', 'Filters']) {
      const body = { ...window, [name]: [leaf('a')] };
      await refused('/metrics/custom_search', body, name, 'filter_tree');
    }
    await refused('/metrics/custom_search?filters=a', window, 'filters', 'filter_tree');
    for (const path of ['/experiments/search', '/log_streams/search']) {
      await refused(path, { filter_tree: tree }, 'filter_tree', 'filters');
      await refused(path, { filterTree: tree }, 'filterTree', 'filters');
    }
    const counted = await post('/metrics/custom_search', { ...window, filter_tree: tree });
    expect(counted.body['aggregate_metrics']).to.deep.include({ requests_count: 1 });
  });

  it('refuses names that are sent twice where it refuses near misses', async () => {
    const twice = `{"log_stream_id":"${run}","filters":[],"filters":[]}`;
    for (const path of ['/traces/delete', '/traces/count']) {
      expectInvalid(
        await post(path, twice),
        ['body', 'filters'],
        'value_error',
        'Value error, was given more than once',
      );
    }
    expectInvalid(
      await app.client.send('GET', `${root}/history?limit=1&limit=2`),
      ['query', 'limit'],
      'value_error',
    );
    expect(await count()).to.equal(3);
  });

  it('refuses a node with two members, and deletes nothing that one of them protects', async () => {
    const tree = {
      and_: [{ not: { filter: leaf('none') } }],
      not: { filter: leaf('a') },
    };
    for (const path of ['/traces/delete', '/traces/search', '/traces/export']) {
      expectInvalid(
        await post(path, { filter_tree: tree }),
        ['body', 'filter_tree'],
        'value_error',
      );
    }
    expectInvalid(
      await post('/traces/count', {
        filter_tree: { or: [{ filter: leaf('a'), filte: leaf('b') }] },
      }),
      ['body', 'filter_tree', 'or', '0'],
      'value_error',
    );
    expect(await count()).to.equal(3);
  });

  it('refuses a leaf with members of another kind', async () => {
    const date = {
      type: 'date',
      name: 'created_at',
      operator: 'gte',
      value: '2026-01-01',
      case_sensitive: false,
    };
    expectInvalid(
      await post('/traces/search', { filters: [date] }),
      ['body', 'filters', '0', 'case_sensitive'],
      'extra_forbidden',
    );
    const users = { ...leaf('a'), user_ids: [uuid()] };
    expectInvalid(
      await post('/traces/search', { filter_tree: { not: { filter: users } } }),
      ['body', 'filter_tree', 'not', 'filter', 'user_ids'],
      'extra_forbidden',
    );
  });
});

describe('ignored members named in a response', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('are in the body of a JSON object too', async () => {
    const project = await app.client.call<{ id: string; ignored_members: unknown }>(
      'POST',
      '/v2/projects?x=1',
      { body: `{"name":"first","name":"${uuid()}","colour":"red"}` },
    );
    expect(project.body.ignored_members).to.deep.equal(['?x', 'colour', 'name']);
    expect(project.headers['x-ignored-members']).to.equal('?x, colour, name');
    const found = await app.client.call<Record<string, unknown>>(
      'POST',
      `/v2/projects/${project.body.id}/traces/search`,
      {
        body: {
          hint: 1,
          filters: [{ type: 'number', name: 'metrics/none', operator: 'gt', value: 1 }],
        },
      },
    );
    expect(found.body).to.deep.include({
      ignored_members: ['hint'],
      unknown_columns: ['metrics/none'],
    });
  });

  it('include keys of user metadata that no record of the project has', async () => {
    const { body: made } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: uuid() },
    });
    const root = `/v2/projects/${made.id}`;
    const spans = [{ type: 'tool', user_metadata: { step: 'a' } }];
    await app.client.call('POST', `${root}/traces`, {
      body: { traces: [{ user_metadata: { user: 'ada' }, spans }] },
    });
    const filters = ['user', 'usr', 'step'].map((key) => ({
      type: 'text',
      name: `user_metadata/${key}`,
      operator: 'eq',
      value: 'ada',
    }));
    for (const path of ['/traces/search', '/traces/count', '/traces/search']) {
      const { body } = await app.client.call<object>('POST', `${root}${path}`, {
        body: { filters },
      });
      expect(body, path).to.deep.include({ unknown_columns: ['user_metadata/usr'] });
    }
    const known = { filters: filters.filter(({ name }) => !name.endsWith('usr')) };
    const found = await app.client.call<object>('POST', `${root}/traces/search`, { body: known });
    expect(found.body).not.to.have.property('unknown_columns');
    const grouped = await app.client.call<object>('POST', `${root}/metrics/custom_search`, {
      body: {
        start_time: '2026-01-01',
        end_time: '2099-01-01',
        metric_details: [],
        group_by: 'user_metadata/usr',
      },
    });
    expect(grouped.headers['x-unknown-columns']).to.equal('user_metadata/usr');
  });

  it('include a body that the operation does not take, and repeated parameters', async () => {
    const groups = await app.client.call<Record<string, unknown>>(
      'GET',
      '/v2/groups?limit=1&limit=2',
      { body: { filters: [] } },
    );
    expect(groups.body).to.deep.include({ limit: 2, ignored_members: ['?limit', '/'] });
    const plain = await app.client.call<Record<string, unknown>>('GET', '/v2/groups');
    expect(plain.body).to.not.have.property('ignored_members');
  });

  it('are in the header only for operations of the interface document', async () => {
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: uuid() },
    });
    const reply = await app.client.call<Record<string, unknown>>(
      'POST',
      `/v2/projects/${body.id}/experiments/search`,
      { body: { hint: 1 } },
    );
    expect(reply.headers['x-ignored-members']).to.equal('hint');
    expect(reply.body).to.not.have.property('ignored_members');
  });
});
