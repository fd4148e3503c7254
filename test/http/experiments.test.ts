import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

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
    client.send<ExperimentRecord>('POST', path(), { body });
  const named = async (name: string, more: object = {}) =>
    (await app.client.call<ExperimentRecord>('POST', path(), { body: { name, ...more } })).body;
  const get = (id: string, client: Client = app.client) =>
    client.send<ExperimentRecord>('GET', path(`/${id}`));
  const put = (id: string, body: object, client: Client = app.client) =>
    client.send<ExperimentRecord>('PUT', path(`/${id}`), { body });
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
        winner_source: null,
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

    it('takes the scorers that it is given, and refuses unknown ones', async () => {
      const given = (id: string, scorer_type = 'code') => ({ scorers: [{ id, scorer_type }] });
      const name = `scored ${randomUUID()}`;
      const scorer = await app.client.call<{ id: string }>('POST', '/v2/scorers', {
        body: { name, scorer_type: 'code' },
      });
      const { id } = await named(name, given(scorer.body.id));
      const settings = await app.client.call(
        'GET',
        `/v2/projects/${project}/runs/${id}/scorer-settings`,
      );
      const counts = { eligible: 0, waiting: 0, scored: 0, skipped: 0, failed: {} };
      const shown = { id: scorer.body.id, name, scorer_type: 'code', scoreable_node_types: null };
      expect(settings.body).to.deep.include({ scorers: [{ ...shown, counts }] });
      const unknown = await create({ name: `${name} 2`, ...given(randomUUID()) });
      expectInvalid(unknown, ['body', 'scorers', '0', 'id'], 'value_error');
      const other = await create({ name: `${name} 2`, ...given(scorer.body.id, 'llm') });
      expectInvalid(other, ['body', 'scorers', '0', 'scorer_type'], 'enum');
      expect((await create({ name: `${name} 2` })).status).to.equal(200);
    });

    it('completes the prompt settings it is given, and keeps prompt and playground', async () => {
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

    it('makes a group when its name is new, and later finds it by name and by id', async () => {
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

    it('answers 404 for an unknown group and an unknown dataset', async () => {
      const unknown = randomUUID();
      for (const more of [
        { experiment_group_id: unknown },
        { dataset: { dataset_id: unknown, version_index: 1 } },
      ]) {
        expectRefused(await create({ name: 'nowhere', ...more }), 404, 'not_found');
      }
      expect((await create({ name: 'nowhere' })).status).to.equal(200);
    });

    it('answers 409 for a name that the project has; a log stream may have it too', async () => {
      await named('twice');
      expectRefused(await create({ name: 'twice' }), 409, 'already_exists');
      const stream = await app.client.send('POST', `/v2/projects/${project}/log_streams`, {
        body: { name: 'twice' },
      });
      expect(stream.status).to.equal(200);
    });

    it('gives a name to one of many who ask, and a new group to all who name it', async () => {
      const wanted = Array.from({ length: 8 }, () => create({ name: 'race' }));
      const statuses = (await Promise.all(wanted)).map(({ status }) => status);
      expect(statuses.sort((one, other) => one - other)).to.deep.equal([
        200,
        ...Array<number>(7).fill(409),
      ]);
      const grouped = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          named(`racer ${at}`, { experiment_group_name: 'raced' }),
        ),
      );
      const groups = new Set(grouped.map((one) => one.experiment_group_id));
      expect(groups.size).to.equal(1);
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

    it('cannot be logged into an experiment of another project', async () => {
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
      const made = await app.client.call<ExperimentRecord>(
        'POST',
        `/v2/projects/${lone}/experiments`,
        {
          body: { name: 'run' },
        },
      );
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

    it('answers alike for a log stream, one of another project and an unknown id', async () => {
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

    it('answers 403 to a caller who sees it but may not', async () => {
      const { id } = await named('seen');
      const as = await viewer();
      expect((await get(id, as)).status).to.equal(200);
      expectRefused(await put(id, { name: 'x' }, as), 403, 'forbidden');
      expectRefused(await as.send('DELETE', path(`/${id}`)), 403, 'forbidden');
    });
  });
});
