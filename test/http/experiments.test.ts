import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { Experiment } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Page = { readonly experiments: readonly Experiment[]; readonly [member: string]: unknown };
type Trace = { readonly [member: string]: unknown };

describe('experiments over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`experiments ${randomUUID()}`);
  });
  after(async () => {
    keys.close();
    for (const { difference } of await app.projector.verify('experiment_list')) {
      expect(difference).to.equal(null);
    }
  });

  const path = (rest = '') => `/v2/projects/${project}/experiments${rest}`;
  const create = (body: object, client: Client = app.client) =>
    client.send<Experiment>('POST', path(), { body });
  const named = async (name: string, more: object = {}) =>
    (await app.client.call<Experiment>('POST', path(), { body: { name, ...more } })).body;
  const get = (id: string, client: Client = app.client) =>
    client.send<Experiment>('GET', path(`/${id}`));
  const put = (id: string, body: object, client: Client = app.client) =>
    client.send<Experiment>('PUT', path(`/${id}`), { body });
  const viewer = async () => (await keys.make({ project_id: project, project_role: 'viewer' })).as;

  describe('POST', () => {
    it('answers the whole record, which is read afterwards with counts', async () => {
      const made = await create({ name: ' made ' });
      const { id, created_at: at, created_by: creator, ...rest } = made.body;
      expect(made.status).to.equal(200);
      expect(at).to.match(/Z$/);
      expect(rest).to.deep.equal({
        project_id: project,
        task_type: 16,
        updated_at: null,
        name: 'made',
        created_by_user: { id: creator, email: 'admin@localhost', first_name: '', last_name: '' },
        num_spans: null,
        num_traces: null,
        num_sessions: null,
        dataset: null,
        aggregate_metrics: { total_responses: 0 },
        structured_aggregate_metrics: {},
        aggregate_feedback: {},
        rating_aggregates: {},
        ranking_score: null,
        rank: null,
        winner: null,
        playground_id: null,
        playground: null,
        prompt_run_settings: null,
        prompt_model: null,
        prompt: null,
        tags: {},
        status: { log_generation: { progress_percent: 0 } },
        experiment_group_id: null,
        experiment_group_name: null,
        experiment_group_is_system: null,
      });
      const counted = { num_spans: 0, num_traces: 0, num_sessions: 0 };
      expect((await get(id)).body).to.deep.equal({ ...made.body, ...counted });
    });

    it('completes the prompt settings that it is given, and keeps prompt and playground', async () => {
      const prompt = {
        prompt_template_id: 'template-1',
        version_index: 3,
        name: 'greeting',
        content: 'Hello {name}',
      };
      const { id } = await named('settings', {
        task_type: 17,
        prompt_settings: { model_alias: 'model-a', temperature: 0.5, tools: [{ name: 't' }] },
        prompt,
        playground_id: 'ground',
      });
      expect((await get(id)).body).to.deep.include({
        task_type: 17,
        prompt,
        prompt_model: 'model-a',
        playground_id: 'ground',
        playground: { playground_id: 'ground', name: '' },
        prompt_run_settings: {
          logprobs: true,
          top_logprobs: 5,
          echo: false,
          n: 1,
          reasoning_effort: 'medium',
          verbosity: 'medium',
          deployment_name: null,
          model_alias: 'model-a',
          temperature: 0.5,
          max_tokens: 4096,
          stop_sequences: null,
          top_p: 1,
          top_k: 40,
          frequency_penalty: 0,
          presence_penalty: 0,
          tools: '[{"name":"t"}]',
          tool_choice: null,
          response_format: null,
        },
      });
    });

    it('makes a group when its name is new, and finds it again by name and by id', async () => {
      const first = await named('grouped 1', { experiment_group_name: 'prompts' });
      const second = await named('grouped 2', { experiment_group_name: 'prompts' });
      const third = await named('grouped 3', { experiment_group_id: first.experiment_group_id });
      for (const one of [first, second, third]) {
        expect(one).to.include({
          experiment_group_id: first.experiment_group_id,
          experiment_group_name: 'prompts',
          experiment_group_is_system: false,
        });
      }
    });

    it('answers 422 for two groups at once and for a trigger', async () => {
      const both = { experiment_group_id: randomUUID(), experiment_group_name: 'x' };
      expectInvalid(await create({ name: 'x', ...both }), ['body'], 'value_error');
      const at = ['body', 'trigger'];
      expectInvalid(await create({ name: 'x', trigger: true }), at, 'value_error');
      expectInvalid(
        await create({ name: 'x', task_type: 18 }),
        ['body', 'task_type'],
        'less_than_equal',
      );
    });

    it('answers 404 for a group and a dataset that are not there', async () => {
      const unknown = randomUUID();
      for (const more of [
        { experiment_group_id: unknown },
        { dataset: { dataset_id: unknown, version_index: 1 } },
      ]) {
        expectRefused(await create({ name: 'nowhere', ...more }), 404, 'not_found');
      }
      expect((await create({ name: 'nowhere' })).status).to.equal(200);
    });

    it('answers 409 for a name that the project has, and lets a log stream have it too', async () => {
      await named('twice');
      expectRefused(await create({ name: 'twice' }), 409, 'already_exists');
      const stream = await app.client.send('POST', `/v2/projects/${project}/log_streams`, {
        body: { name: 'twice' },
      });
      expect(stream.status).to.equal(200);
    });

    it('answers 404 out of sight, 403 to a viewer', async () => {
      const body = { name: 'x' };
      const nowhere = `/v2/projects/${randomUUID()}/experiments`;
      expectRefused(await app.client.send('POST', nowhere, { body }), 404, 'not_found');
      expectRefused(await create(body, await viewer()), 403, 'forbidden');
    });
  });

  describe('records in one', () => {
    it('are logged into it, selected by it, counted and erased with it', async () => {
      const { id } = await named('recorded');
      const root = `/v2/projects/${project}`;
      const trace = randomUUID();
      const logged = await app.client.call<Trace>('POST', `${root}/traces`, {
        body: {
          experiment_id: id,
          traces: [{ id: trace, input: 'a', spans: [{ type: 'tool', input: 'x' }] }],
        },
      });
      expect(logged.body).to.include({ experiment_id: id, log_stream_id: null });
      for (const [selector, count] of [
        [{ experiment_id: id }, 1],
        [{}, 1],
      ] as const) {
        const found = await app.client.call<{ total_count: number }>(
          'POST',
          `${root}/traces/count`,
          { body: selector },
        );
        expect(found.body.total_count).to.equal(count);
      }
      expect((await get(id)).body).to.include({ num_traces: 1, num_spans: 1, num_sessions: 0 });
      const wrong = { body: { log_stream_id: id } };
      expectRefused(await app.client.send('POST', `${root}/traces/count`, wrong), 404, 'not_found');
      expect((await app.client.send('DELETE', path(`/${id}`))).status).to.equal(204);
      expectRefused(await app.client.send('GET', `${root}/traces/${trace}`), 404, 'not_found');
      const again = { body: { experiment_id: id, traces: [{ input: 'late' }] } };
      expectRefused(await app.client.send('POST', `${root}/traces`, again), 404, 'not_found');
    });

    it('are no part of an experiment of another project', async () => {
      const { id } = await named('home');
      const other = await keys.project(`another ${randomUUID()}`);
      const body = { experiment_id: id, traces: [{ input: 'a' }] };
      expectRefused(
        await app.client.send('POST', `/v2/projects/${other}/traces`, { body }),
        404,
        'not_found',
      );
    });

    it('make it one of the newest runs of its project', async () => {
      const lone = await keys.project(`runs ${randomUUID()}`);
      const made = await app.client.call<Experiment>('POST', `/v2/projects/${lone}/experiments`, {
        body: { name: 'run' },
      });
      const { body } = await app.client.call<{ runs: unknown }>('GET', `/v2/projects/${lone}`);
      const { id, name, created_at } = made.body;
      expect(body.runs).to.deep.equal([
        { id, name, kind: 'experiment', created_at, updated_at: null },
      ]);
    });
  });

  describe('PUT and DELETE', () => {
    it('renames, regroups, and frees the old name', async () => {
      const made = await named('old');
      const { body } = await put(made.id, { name: 'new', experiment_group_name: 'later' });
      expect(body).to.include({ name: 'new', experiment_group_name: 'later' });
      expect(String(body.updated_at) > made.created_at).to.equal(true);
      expect((await get(made.id)).body).to.deep.equal(body);
      expect((await create({ name: 'old' })).status).to.equal(200);
      const again = await put(made.id, { name: 'new', experiment_group_name: null });
      expect(again.body).to.deep.equal(body);
    });

    it('answers 409 when the name is taken, 422 for two groups', async () => {
      await named('there');
      const { id } = await named('here');
      expectRefused(await put(id, { name: 'there' }), 409, 'already_exists');
      const both = { experiment_group_id: randomUUID(), experiment_group_name: 'x' };
      expectInvalid(await put(id, { name: 'here', ...both }), ['body'], 'value_error');
    });

    it('frees the name of a deleted one', async () => {
      const { id } = await named('gone');
      expect((await app.client.send('DELETE', path(`/${id}`))).status).to.equal(204);
      expectRefused(await get(id), 404, 'not_found');
      expectRefused(await put(id, { name: 'x' }), 404, 'not_found');
      expectRefused(await app.client.send('DELETE', path(`/${id}`)), 404, 'not_found');
      expect((await create({ name: 'gone' })).status).to.equal(200);
    });

    it('answers the same for a log stream, for one of another project and for none', async () => {
      const { id } = await named('hidden');
      const other = await keys.project(`third ${randomUUID()}`);
      const stream = await app.client.call<{ id: string }>(
        'POST',
        `/v2/projects/${project}/log_streams`,
        { body: { name: 'no experiment' } },
      );
      for (const [where, one] of [
        [other, id],
        [other, randomUUID()],
        [project, stream.body.id],
      ]) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const ask = method === 'PUT' ? { body: { name: 'x' } } : {};
          const at = `/v2/projects/${where}/experiments/${one}`;
          expectRefused(await app.client.send(method, at, ask), 404, 'not_found');
        }
      }
    });

    it('answers 403 to whom sees it and may not', async () => {
      const { id } = await named('seen');
      const as = await viewer();
      expect((await get(id, as)).status).to.equal(200);
      expectRefused(await put(id, { name: 'x' }, as), 403, 'forbidden');
      expectRefused(await as.send('DELETE', path(`/${id}`)), 403, 'forbidden');
    });
  });

  describe('listing and searching', () => {
    let lone: string;
    let ids: readonly string[];
    before(async () => {
      lone = await keys.project(`search ${randomUUID()}`);
      const made: string[] = [];
      for (const [name, experiment_group_name] of [
        ['alpha', 'Group A'],
        ['beta', 'Group B'],
        ['Gamma', null],
      ]) {
        const body = { name, experiment_group_name };
        made.push((await app.client.call<Experiment>('POST', there(''), { body })).body.id);
      }
      ids = made;
    });
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
      const all = await app.client.call<Experiment[]>('GET', there(''));
      expect(all.body.map(({ name }) => name)).to.deep.equal(['Gamma', 'beta', 'alpha']);
      expect(all.body[0]).to.include({ num_traces: null });
      const paged = await app.client.call<Page>(
        'GET',
        there('/paginated?limit=2&include_counts=true'),
      );
      expect(paged.body).to.include({ limit: 2, paginated: true, next_starting_token: 2 });
      expect(paged.body.experiments[0]).to.include({ name: 'Gamma', num_traces: 0 });
      const counted = await app.client.call<Experiment[]>('GET', there('?include_counts=true'));
      expect(counted.body[0]).to.include({ num_sessions: 0 });
    });

    it('filters by each column with each operator', async () => {
      const user = (await app.client.call<Experiment[]>('GET', there(''))).body[0]?.created_by;
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
      expect(await names({ sort: { name: 'updated_at' } })).to.deep.equal([
        'Gamma',
        'beta',
        'alpha',
      ]);
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
      expectInvalid(
        await search({ sort: { name: 'rank' } }),
        ['body', 'sort'],
        'union_tag_invalid',
      );
    });

    it('answers 404 out of sight', async () => {
      const { as } = await keys.make({ project_id: project });
      for (const rest of ['', '/paginated']) {
        expectRefused(await as.send('GET', there(rest)), 404, 'not_found');
      }
      expectRefused(await as.send('POST', there('/search')), 404, 'not_found');
      expectRefused(await as.send('GET', there(`/${ids[0]}`)), 404, 'not_found');
    });
  });
});
