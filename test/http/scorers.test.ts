import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { formRequest } from '../support/multipart-forms.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import {
  waitForTaskEnd,
  scorerParts,
  validatePath,
  type RequestedTask,
} from '../support/scorer-validations.js';

type Version = {
  readonly id: string;
  readonly version: number;
  readonly [member: string]: unknown;
};
type Scorer = {
  readonly id: string;
  readonly name: string;
  readonly latest_version: Version | null;
  readonly permissions: readonly { readonly allowed: boolean }[];
  readonly [member: string]: unknown;
};
const unique = (name: string): string => `${name} ${randomUUID()}`;
const source = 'chain_aggregation = "sum"\ndef scorer_fn(**k) -> bool:\n    return True\n';

describe('the registry of scorers over HTTP', function () {
  let app: App;
  let keys: KeyRing;
  before(async () => {
    app = await sharedApp('strict');
    keys = keyRing(app);
  });
  after(async () => {
    keys.close();
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });

  const root = '/v2/scorers';
  const create = (body: object = {}, as: Client = app.client) =>
    as.send<Scorer>('POST', root, {
      body: { name: unique('scorer'), scorer_type: 'code', ...body },
    });
  const made = async (body: object = {}): Promise<Scorer> => {
    const reply = await create(body);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body;
  };
  const get = (id: string) => app.client.send<Scorer>('GET', `${root}/${id}`);
  const addVersion = (id: string, file: string, result: unknown, as: Client = app.client) =>
    as.send<Version>(
      'POST',
      `${root}/${id}/version/code`,
      formRequest(scorerParts(file, { validation_result: JSON.stringify(result) })),
    );
  const validated = async (file: string): Promise<unknown> => {
    const asked = await app.client.send<RequestedTask>(
      'POST',
      validatePath,
      formRequest(scorerParts(file)),
    );
    return (await waitForTaskEnd(app.client, asked)).result;
  };

  it('creates, shows, changes and deletes a code scorer', async () => {
    const name = unique('length');
    const threshold = { buckets: [0.5], display_value_levels: ['low', 'high'], inverted: true };
    const scorer = await made({ name, label: 'Length', tags: ['a'], threshold });
    expect(scorer).to.deep.include({
      name,
      label: 'Length',
      description: '',
      tags: ['a'],
      scorer_type: 'code',
      model_type: 'code',
      scoreable_node_types: [],
      threshold,
      default_version_id: null,
      latest_version: null,
      deprecated: false,
      ground_truth: false,
      is_global: true,
      scope_projects: [],
    });
    expect((await get(scorer.id)).body).to.deep.equal(scorer);
    const path = `${root}/${scorer.id}`;
    const change = { label: 'Size', roll_up_method: 'max', scoreable_node_types: ['tool'] };
    const changed = await app.client.call<Scorer>('PATCH', path, { body: change });
    expect(changed.body).to.deep.include({ ...change, name, tags: ['a'] });
    expect((await get(scorer.id)).body).to.deep.equal(changed.body);
    const again = await app.client.call<Scorer>('PATCH', path, { body: change });
    expect(again.position).to.equal(changed.position);
    expect((await app.client.call('DELETE', path)).body).to.have.property('message');
    expectRefused(await get(scorer.id), 404, 'not_found');
    expectRefused(await app.client.send('DELETE', path), 404, 'not_found');
    expect((await create({ name })).status).to.equal(200);
  });

  it('refuses names taken or built in, other types, and levels that do not fit', async () => {
    const { name, id } = await made();
    expectRefused(await create({ name }), 409, 'already_exists');
    expectRefused(await create({ id }), 409, 'already_exists');
    const own = { id: randomUUID(), name: `own ${id}`, label: 'Own' };
    const first = await create(own);
    expect(await create(own)).to.deep.include({ status: 200, body: first.body });
    expectRefused(await create({ ...own, label: 'other' }), 409, 'already_exists');
    expectInvalid(await create({ name: 'cost' }), ['body', 'name'], 'value_error');
    expectInvalid(await create({ name: 'bleu' }), ['body', 'name'], 'value_error');
    for (const reserved of [
      'x_ems_error_code',
      'x_error_message',
      'registered_scorer_validation',
      'generated_scorer_validation',
    ]) {
      expectInvalid(await create({ name: reserved }), ['body', 'name'], 'value_error');
    }
    expectInvalid(await create({ scorer_type: 'llm' }), ['body', 'scorer_type'], 'enum');
    const threshold = { buckets: [1, 2], display_value_levels: ['a'], inverted: false };
    expectInvalid(await create({ threshold }), ['body', 'threshold'], 'value_error');
  });

  it('can require only scorers that exist, and never itself', async () => {
    const { name } = await made();
    const { id, ...other } = await made({ required_scorers: [name, 'bleu'] });
    expect(other).to.have.deep.property('required_scorers', [name, 'bleu']);
    const own = unique('own');
    const at = ['body', 'required_scorers', '1'];
    const asked = (required: readonly string[]) =>
      create({ name: own, required_scorers: ['rouge', ...required] });
    expectInvalid(await asked([unique('none')]), at, 'value_error');
    expectInvalid(await asked([own]), at, 'value_error');
    const change = (required: readonly string[]) =>
      app.client.send('PATCH', `${root}/${id}`, { body: { required_scorers: required } });
    expectInvalid(await change(['rouge', unique('none')]), at, 'value_error');
    expectInvalid(await change(['rouge', other.name]), at, 'value_error');
    expect((await change(['rouge', name])).status).to.equal(200);
  });

  it('accepts a version only for a file that was found valid', async () => {
    const { id } = await made();
    const file = `${source}# ${randomUUID()}`;
    const result = await validated(file);
    expectInvalid(
      await addVersion(id, `${file} `, result),
      ['body', 'validation_result'],
      'value_error',
    );
    const wrong = { result: { result_type: 'invalid' } };
    expectInvalid(await addVersion(id, file, wrong), ['body', 'validation_result'], 'value_error');
    const first = (await addVersion(id, file, result)).body;
    expect(first).to.deep.include({
      version: 1,
      scorer_id: id,
      score_type: 'bool',
      scoreable_node_types: ['llm'],
      chain_aggregation: 'sum',
    });
    const other = `${file}\n`;
    const second = (await addVersion(id, other, await validated(other))).body;
    expect(second.version).to.equal(2);
    const scorer = (await get(id)).body;
    expect(scorer).to.deep.include({
      default_version_id: second.id,
      default_version: second,
      latest_version: second,
      scoreable_node_types: ['llm'],
    });
    type Page = { readonly versions: Version[]; readonly next_starting_token: number | null };
    const versions = await app.client.call<Page>('GET', `${root}/${id}/versions?limit=1`);
    expect(versions.body.versions).to.deep.equal([second]);
    expect(versions.body.next_starting_token).to.equal(1);
    const code = async (query: string) => {
      const reply = await app.client.call<string>('GET', `${root}/${id}/version/code${query}`);
      expect(reply.headers['content-type']).to.equal('text/x-python; charset=utf-8');
      return reply.body;
    };
    expect(await code('')).to.equal(other);
    expect(await code('?version=1')).to.equal(file);
    const missing = await app.client.send('GET', `${root}/${id}/version/code?version=3`);
    expectRefused(missing, 404, 'not_found');
  });

  it('has the presets, which cannot be changed', async () => {
    const list = async (body: object) =>
      (await app.client.call<{ scorers: Scorer[] }>('POST', `${root}/list`, { body })).body.scorers;
    const type = { name: 'scorer_type', operator: 'eq', value: 'preset' };
    const presets = await list({ filters: [type] });
    expect(presets.map(({ name }) => name)).to.deep.equal(['bleu', 'rouge']);
    const [bleu] = presets;
    if (bleu === undefined) throw new Error('no preset');
    expect(bleu).to.deep.include({ deprecated: true, ground_truth: true, created_by: null });
    expect((await get(bleu.id)).body).to.deep.equal(bleu);
    const path = `${root}/${bleu.id}`;
    const refused = await app.client.send('PATCH', path, { body: {} });
    expectRefused(refused, 403, 'forbidden');
    expect(refused.body).to.have.property('detail', 'Presets cannot be changed');
    expectRefused(await app.client.send('DELETE', path), 403, 'forbidden');
    expectRefused(await addVersion(bleu.id, source, { result: {} }), 403, 'forbidden');
  });

  it('lists by name, filtered and paged', async () => {
    const tag = randomUUID();
    for (const letter of ['b', 'a', 'c']) await made({ name: `${letter} ${tag}` });
    const filters = [{ name: 'name', operator: 'contains', value: tag }];
    const page = await app.client.call<{ scorers: Scorer[]; next_starting_token: number }>(
      'POST',
      `${root}/list`,
      { body: { filters, limit: 2 } },
    );
    expect(page.body.scorers.map(({ name }) => name)).to.deep.equal([`a ${tag}`, `b ${tag}`]);
    expect(page.body.next_starting_token).to.equal(2);
    const wrong = await app.client.send('POST', `${root}/list`, {
      body: { filters: [{ name: 'created_by', operator: 'eq', value: 'x' }] },
    });
    expectInvalid(wrong, ['body', 'filters', '0'], 'union_tag_invalid');
  });

  it('lets the creator and admins change a scorer, and the whole organisation see it', async () => {
    const project = await keys.project(unique('scorers'));
    const bound = (await keys.make({ project_id: project, project_role: 'editor' })).as;
    const { id } = await made();
    const seen = await bound.call<Scorer>('GET', `${root}/${id}`);
    expect(seen.body.permissions.map(({ allowed }) => allowed)).to.deep.equal([false, false]);
    expectRefused(await bound.send('PATCH', `${root}/${id}`, { body: {} }), 403, 'forbidden');
    expectRefused(await create({}, bound), 403, 'forbidden');
    expectRefused(await get(randomUUID()), 404, 'not_found');
    const unknown = await app.client.send('PATCH', `${root}/${randomUUID()}`, { body: {} });
    expectRefused(unknown, 404, 'not_found');
  });

  describe('on a run', () => {
    let settings: string;
    let run: string;
    let project: string;
    before(async () => {
      project = await keys.project(unique('settings'));
      const body = { name: 'run' };
      const path = `/v2/projects/${project}/log_streams`;
      run = (await app.client.call<{ id: string }>('POST', path, { body })).body.id;
      settings = `/v2/projects/${project}/runs/${run}/scorer-settings`;
    });

    it('begin empty, are replaced as a list, and are kept when it is sent again', async () => {
      const empty = { run_id: run, scorers: [], segment_filters: null };
      expect((await app.client.call('GET', settings)).body).to.deep.equal(empty);
      const scorer = await made();
      const body = { run_id: run, scorers: [{ id: scorer.id, scorer_type: 'code' }] };
      const set = await app.client.call('POST', settings, { body });
      const shown = {
        id: scorer.id,
        name: scorer.name,
        scorer_type: 'code',
        scoreable_node_types: null,
      };
      const silent = { scorers_without_version: [encodeURIComponent(scorer.name)] };
      expect(set.body).to.deep.equal({ ...empty, ...silent, scorers: [shown] });
      const counts = { eligible: 0, waiting: 0, scored: 0, skipped: 0, failed: {} };
      expect((await app.client.call('GET', settings)).body).to.deep.equal({
        ...empty,
        ...silent,
        scorers: [{ ...shown, counts }],
      });
      const same = await app.client.call('PATCH', settings, { body });
      expect(same.position).to.equal(set.position);
      const none = await app.client.call('PATCH', settings, { body: { scorers: [] } });
      expect(none.body).to.deep.equal(empty);
    });

    it('accept a list as it was read, even when a scorer was deleted meanwhile', async () => {
      const { id, name } = await made();
      const scorers = [{ id, scorer_type: 'code' }];
      await app.client.call('POST', settings, { body: { scorers } });
      await app.client.call('DELETE', `${root}/${id}`);
      const read = (await app.client.call<{ scorers: Scorer[] }>('GET', settings)).body;
      expect(read.scorers.map((one) => one.name)).to.deep.equal([name]);
      const sent = await app.client.call<{ scorers: object[] }>('PATCH', settings, { body: read });
      const counts = { eligible: 0, waiting: 0, scored: 0, skipped: 0, failed: {} };
      const { ignored_members: ignored, ...kept } = sent.body as { ignored_members?: string[] };
      expect(ignored).to.deep.equal(['scorers/0/counts', 'segment_filters']);
      expect({
        ...kept,
        scorers: sent.body.scorers.map((one) => ({ ...one, counts })),
      }).to.deep.equal(read);
      await app.client.call('PATCH', settings, { body: { scorers: [] } });
      const gone = await app.client.send('PATCH', settings, { body: read });
      expectInvalid(gone, ['body', 'scorers', '0', 'id'], 'value_error');
    });

    it('refuse what contradicts itself', async () => {
      const { id } = await made();
      const at = ['body', 'scorers', '0'];
      const set = (more: object, run_id?: string) =>
        app.client.send('POST', settings, {
          body: { run_id, scorers: [{ id, scorer_type: 'code', ...more }] },
        });
      expectInvalid(await set({ scorer_type: 'preset' }), [...at, 'scorer_type'], 'value_error');
      expectInvalid(await set({ name: 'other' }), [...at, 'name'], 'value_error');
      expectInvalid(await set({}, randomUUID()), ['body', 'run_id'], 'value_error');
    });

    it('refuse unknown scorers and runs, and callers who may not edit', async () => {
      const of = (id: string) => ({ body: { scorers: [{ id, scorer_type: 'code' }] } });
      const unknown = await app.client.send('POST', settings, of(randomUUID()));
      expectInvalid(unknown, ['body', 'scorers', '0', 'id'], 'value_error');
      const elsewhere = settings.replace(run, randomUUID());
      expectRefused(await app.client.send('GET', elsewhere), 404, 'not_found');
      const body = { scorers: [] };
      expectRefused(await app.client.send('PATCH', elsewhere, { body }), 404, 'not_found');
      const viewer = (await keys.make({ project_id: project, project_role: 'viewer' })).as;
      expectRefused(await viewer.send('POST', settings, { body }), 403, 'forbidden');
      expect((await viewer.send('GET', settings)).status).to.equal(200);
    });
  });
});
