import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { PromptTemplateRecord, PromptVersion } from '../../contract/prompt-template-record.js';
import { expectReplayEqual } from '../support/app.js';
import type { Client, Reply } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';

type Body = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;
type Page = { readonly templates: readonly PromptTemplateRecord[] };
type Entries = { readonly entries: readonly { readonly event_type: string }[] };
const messages = [
  { role: 'system', content: 'You answer questions.' },
  { role: 'user', content: '{{input}}' },
];

describe('prompt templates over HTTP', () => {
  let cast: TwoOrganizations;
  let owner: RoleUser;
  let editor: RoleUser;
  let viewer: RoleUser;
  let project: string;
  let name: string;
  before(async () => {
    cast = await startTwoOrganizations();
    ({ user: owner, manager: editor, read_only: viewer } = cast.ours);
  });
  beforeEach(async () => {
    name = `answer ${randomUUID()}`;
    const made = await owner.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `prompts ${randomUUID()}` },
    });
    project = made.body.id;
    await owner.as.call('POST', `/v2/projects/${project}/users`, {
      body: [
        { user_id: editor.id, role: 'editor' },
        { user_id: viewer.id, role: 'viewer' },
      ],
    });
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const create = (as: Client, more: Body = {}, headers: Headers = {}) =>
    as.send<PromptTemplateRecord>('POST', `/v2/projects/${project}/templates`, {
      body: { name, template: messages, settings: { model_alias: 'm1' }, ...more },
      headers,
    });
  const made = async (more: Body = {}): Promise<PromptTemplateRecord> => {
    const reply = await create(editor.as, more);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body;
  };
  const of = (id: string, rest = '') => `/v2/templates/${id}${rest}`;
  const read = (as: Client, id: string) => as.send<PromptTemplateRecord>('GET', of(id));
  const add = (as: Client, id: string, body: Body) =>
    as.send<PromptVersion>('POST', of(id, '/versions'), { body });
  const query = async (as: Client, body: Body = {}) =>
    (await as.call<Page>('POST', '/v2/templates/query', { body })).body.templates;
  const eventsOf = async (id: string) =>
    (await owner.as.call<Entries>('GET', `/v2/history/prompt_template/${id}`)).body.entries.map(
      ({ event_type: type }) => type,
    );

  it('are answered as they were created', async () => {
    const reply = await create(editor.as, {}, { 'Idempotency-Key': randomUUID() });
    const { selected_version: version, ...template } = reply.body;
    expect(template).to.deep.include({
      name,
      template: JSON.stringify(messages),
      selected_version_id: version.id,
      all_available_versions: [1],
      total_versions: 1,
      max_version: 1,
      labels: {},
      hidden: false,
      project_id: project,
    });
    expect(version).to.deep.include({
      prompt_template_id: template.id,
      version: 1,
      template: messages,
      raw: false,
      content_changed: true,
      lines_added: 2,
    });
    expect(version.settings).to.deep.include({ model_alias: 'm1', n: 1, temperature: null });
    expect(template.created_by_user?.id).to.equal(editor.id);
    const again = await read(viewer.as, template.id);
    const { permissions: _, ...seen } = again.body;
    const { permissions: __, ...wrote } = reply.body;
    expect(seen).to.deep.equal(wrote);
  });

  it('repeat their answer under an idempotency key, with texts read again', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await create(editor.as, {}, headers);
    const second = await create(editor.as, {}, headers);
    expect(second.headers['idempotency-replayed']).to.equal('true');
    expect(second.body).to.deep.equal(first.body);
    await editor.as.call('DELETE', of(first.body.id));
  });

  it('are versioned, selected, renamed and labelled; equals add none (models 1.29)', async () => {
    const { id } = await made();
    const same = await add(editor.as, id, { template: messages, settings: { model_alias: 'm1' } });
    expect(same.body.version).to.equal(1);
    const second = await add(editor.as, id, {
      template: messages,
      settings: { model_alias: 'm2' },
    });
    expect(second.body).to.deep.include({
      version: 2,
      model_changed: true,
      settings_changed: true,
      content_changed: false,
      lines_added: 0,
    });
    const third = await add(editor.as, id, { template: '{{input}}\nShortly.' });
    expect(third.body).to.deep.include({ version: 3, lines_edited: 1, lines_added: 0 });
    const labelled = await editor.as.send<PromptTemplateRecord>(
      'PUT',
      of(id, '/labels/production'),
      { body: { version: 2 } },
    );
    expect(labelled.body.labels).to.deep.equal({ production: 2 });
    const get = (version: string) =>
      viewer.as.send<PromptVersion>('GET', of(id, `/versions/${version}`));
    expect((await get('production')).body).to.deep.include({ version: 2, labels: ['production'] });
    expect((await get('latest')).body.version).to.equal(3);
    expect((await get('1')).body.template).to.deep.equal(messages);
    for (const unknown of ['0', '4', '1e0', 'staging', 'constructor']) {
      expectRefused(await get(unknown), 404, 'not_found');
    }
    const selected = await editor.as.send<PromptTemplateRecord>('PUT', of(id, '/versions/1'));
    expect(selected.body.selected_version.version).to.equal(1);
    const renamed = await editor.as.send<PromptTemplateRecord>('PATCH', of(id), {
      body: { name: `${name} 2` },
    });
    expect(renamed.body.name).to.equal(`${name} 2`);
    await editor.as.call('DELETE', of(id, '/labels/production'));
    expectRefused(await get('production'), 404, 'not_found');
    expect(await eventsOf(id)).to.deep.equal([
      'PromptTemplateCreated',
      'PromptTemplateVersionAdded',
      'PromptTemplateVersionAdded',
      'PromptTemplateVersionAdded',
      'PromptTemplateLabelled',
      'PromptTemplateVersionSelected',
      'PromptTemplateRenamed',
      'PromptTemplateUnlabelled',
    ]);
  });

  it('keep each version of two clients that add at once', async () => {
    const { id } = await made();
    const texts = ['a', 'b', 'c', 'd'];
    const replies = await Promise.all(texts.map((template) => add(editor.as, id, { template })));
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const listed = await viewer.as.call<{ versions: readonly PromptVersion[] }>(
      'POST',
      of(id, '/versions/query'),
      { body: { limit: 4 } },
    );
    expect(listed.body.versions.map(({ version }) => version)).to.deep.equal([5, 4, 3, 2]);
    expect(listed.body.versions.map(({ template }) => template)).to.have.members(texts);
  });

  it('are seen by readers of their home, and changed by its editors', async () => {
    const { id } = await made();
    expect((await read(viewer.as, id)).status).to.equal(200);
    expectRefused(await add(viewer.as, id, { template: 'x' }), 403, 'forbidden');
    expectRefused(await create(viewer.as), 403, 'forbidden');
    const stranger = cast.theirs.user;
    expectRefused(await read(stranger.as, id), 404, 'not_found');
    expectRefused(await add(stranger.as, id, { template: 'x' }), 404, 'not_found');
    const lonely = await owner.as.call<PromptTemplateRecord>('POST', '/v2/templates', {
      body: { name: `${name} lonely`, template: 'x' },
    });
    expectRefused(await read(editor.as, lonely.body.id), 404, 'not_found');
    expect((await read(owner.as, lonely.body.id)).body.project_id).to.equal(null);
  });

  it('are listed by name, creator and home, without hidden ones', async () => {
    const { id } = await made();
    const hidden = await made({ name: `${name} hidden`, hidden: true });
    const named = { name: 'name', operator: 'eq', value: name };
    expect((await query(viewer.as, { filters: [named] })).map((one) => one.id)).to.deep.equal([id]);
    const home = { name: 'used_in_project', value: project };
    const byHome = await query(viewer.as, { filters: [home] });
    expect(byHome.map((one) => one.id)).to.deep.equal([id]);
    const creator = { name: 'creator', operator: 'eq', value: viewer.id };
    expect(await query(viewer.as, { filters: [home, creator] })).to.deep.equal([]);
    expect(await query(cast.theirs.user.as, { filters: [named] })).to.deep.equal([]);
    const inProject = await viewer.as.call<readonly PromptTemplateRecord[]>(
      'GET',
      `/v2/projects/${project}/templates`,
    );
    expect(inProject.body.map((one) => one.id)).to.deep.equal([id]);
    expect((await read(viewer.as, hidden.id)).body.hidden).to.equal(true);
  });

  it('are found by name below their home, and nowhere else', async () => {
    const { id } = await made();
    const below = (rest: string, on = project) =>
      viewer.as.send<PromptVersion>('GET', `/v2/projects/${on}/templates${rest}`);
    const wanted = `/versions?template_name=${encodeURIComponent(name)}`;
    expect((await below(wanted)).body.prompt_template_id).to.equal(id);
    expect((await below(`/${id}/versions/latest`)).body.version).to.equal(1);
    const other = await owner.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `other ${randomUUID()}` },
    });
    expectRefused(
      await owner.as.send('GET', `/v2/projects/${other.body.id}/templates/${id}/versions/1`),
      404,
      'not_found',
    );
    const add = (on: string) =>
      owner.as.send('POST', `/v2/projects/${on}/templates/${id}/versions`, {
        body: { template: 'x' },
      });
    expectRefused(await add(other.body.id), 404, 'not_found');
    expect((await add(project)).status).to.equal(200);
  });

  it('have unique names in their organisation', async () => {
    const { id } = await made();
    expectRefused(await create(editor.as), 409, 'already_exists');
    const suffixed = await create(editor.as, {
      name: { value: name, append_suffix_if_duplicate: true },
    });
    expect(suffixed.body.name).to.equal(`${name} (1)`);
    await editor.as.call('DELETE', of(id));
    expect((await create(editor.as)).status).to.equal(200);
  });

  it('are changed under If-Match', async () => {
    const { id } = await made();
    const tag = (await read(viewer.as, id)).headers['etag'] as string;
    const rename = (to: string): Promise<Reply<unknown>> =>
      editor.as.send('PATCH', of(id), { body: { name: to }, headers: { 'If-Match': tag } });
    expect((await rename(`${name} b`)).status).to.equal(200);
    expectRefused(await rename(`${name} c`), 412, 'precondition_failed');
  });

  it('refuse what does not fit at its member', async () => {
    const long = 'x'.repeat(140_000);
    const two = [0, 1].map(() => ({ role: 'user', content: long }));
    expectInvalid(await create(editor.as, { template: two }), ['body', 'template'], 'value_error');
    const { id } = await made();
    const label = (to: string, version: number) =>
      editor.as.send('PUT', of(id, `/labels/${to}`), { body: { version } });
    expectInvalid(await label('production', 2), ['body', 'version'], 'value_error');
    expectInvalid(await label('latest', 1), ['path', 'label'], 'value_error');
    expect((await label('Production', 1)).status).to.equal(422);
  });

  it('answer nothing after their deletion', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { id } = (await create(editor.as, {}, headers)).body;
    await editor.as.call('DELETE', of(id));
    expectRefused(await read(viewer.as, id), 404, 'not_found');
    expectRefused(await editor.as.send('DELETE', of(id)), 404, 'not_found');
    expect(
      await query(viewer.as, { filters: [{ name: 'used_in_project', value: project }] }),
    ).to.deep.equal([]);
  });
});
