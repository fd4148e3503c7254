import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { SavedView } from '../../contract/views.js';
import { expectReplayEqual } from '../support/app.js';
import { clientOf, type Client } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';

type Body = Readonly<Record<string, unknown>>;
type Entries = { readonly entries: readonly Readonly<Record<string, unknown>>[] };

describe('saved views over HTTP', () => {
  let cast: TwoOrganizations;
  let owner: RoleUser;
  let editor: RoleUser;
  let viewer: RoleUser;
  let project: string;
  before(async () => {
    cast = await startTwoOrganizations();
    ({ user: owner, manager: editor, read_only: viewer } = cast.ours);
  });
  beforeEach(async () => {
    const made = await owner.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `views ${randomUUID()}` },
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

  const path = (rest = '') => `/v2/projects/${project}/views${rest}`;
  const failed = { name: 'failed', page: 'traces', state: 't=7d&f=status_code+%3E%3D+400' };
  const save = (as: Client, more: Body = {}, headers: Readonly<Record<string, string>> = {}) =>
    as.send<SavedView>('POST', path(), { body: { ...failed, ...more }, headers });
  const change = (as: Client, id: string, body: Body, headers: Record<string, string> = {}) =>
    as.send<SavedView>('PATCH', path(`/${id}`), { body, headers });
  const list = async (as: Client, query = '') =>
    (await as.call<readonly SavedView[]>('GET', path(query))).body;
  const names = async (as: Client, query = '') => (await list(as, query)).map(({ name }) => name);

  it('answers a view as it was saved, to its creator only', async () => {
    const saved = await save(viewer.as, { name: ' failed ' });
    const { id, created_at: at, updated_at: last, ...rest } = saved.body;
    expect(saved.status).to.equal(200);
    expect(last).to.equal(at);
    expect(rest).to.deep.equal({ ...failed, is_shared: false, created_by: viewer.id });
    const read = await viewer.as.send('GET', path(`/${id}`));
    expect(read.body).to.deep.equal(saved.body);
    expect(read.headers.etag).to.equal(saved.headers.etag);
    expect(await list(viewer.as)).to.deep.equal([saved.body]);
    for (const { as } of [owner, editor, cast.ours.admin, cast.ours.auditor]) {
      expect(await list(as)).to.deep.equal([]);
      expectRefused(await as.send('GET', path(`/${id}`)), 404, 'not_found');
    }
    for (const { as } of [owner, cast.ours.admin]) {
      expectRefused(await change(as, id, { name: 'x' }), 404, 'not_found');
      expectRefused(await as.send('DELETE', path(`/${id}`)), 404, 'not_found');
    }
  });

  it('shows a shared view to every reader, and lets editors alone change it', async () => {
    const { id } = (await save(editor.as, { is_shared: true })).body;
    await save(viewer.as, { page: 'spans', name: 'mine' });
    for (const { as } of [owner, cast.ours.auditor]) {
      expect(await names(as)).to.deep.equal(['failed']);
    }
    expect(await names(viewer.as)).to.deep.equal(['mine', 'failed']);
    expect(await names(viewer.as, '?page=traces')).to.deep.equal(['failed']);
    expectRefused(await change(viewer.as, id, { name: 'x' }), 403, 'forbidden');
    expectRefused(await viewer.as.send('DELETE', path(`/${id}`)), 403, 'forbidden');
    expectRefused(await save(viewer.as, { is_shared: true, name: 'x' }), 403, 'forbidden');
    const changed = await change(owner.as, id, { state: 't=1h' });
    expect(changed.body).to.include({ state: 't=1h', created_by: editor.id, is_shared: true });
    expect(changed.body.updated_at > changed.body.created_at).to.equal(true);
    expectRefused(await change(owner.as, id, { is_shared: false }), 403, 'forbidden');
    expect((await change(editor.as, id, { is_shared: false })).status).to.equal(200);
    expect(await names(owner.as)).to.deep.equal([]);
  });

  it('refuses auditors and lesser keys, which read what is shared', async () => {
    const { id } = (await save(owner.as, { is_shared: true })).body;
    const saveAsKey = async (rights: Body) => {
      const made = await owner.as.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
        body: { description: 'of views', ...rights },
      });
      const as = clientOf({ url: cast.app.url, apiKey: made.body.api_key });
      const reply = await save(as, { name: 'of a key' });
      as.close();
      return reply;
    };
    for (const rights of [{ project_id: project }, { project_id: null }]) {
      const refused = await saveAsKey({ ...rights, project_role: 'annotator' });
      expectRefused(refused, 403, 'forbidden');
    }
    const saved = await saveAsKey({ project_id: project, project_role: 'editor' });
    expect(saved.body.created_by).to.equal(owner.id);
    const auditor = cast.ours.auditor.as;
    expect((await auditor.send('GET', path(`/${id}`))).status).to.equal(200);
    expectRefused(await save(auditor), 403, 'forbidden');
    expectRefused(await change(auditor, id, { name: 'x' }), 403, 'forbidden');
    expectRefused(await auditor.send('DELETE', path(`/${id}`)), 403, 'forbidden');
  });

  it('refuses what a menu could not tell apart, and what is too long', async () => {
    const { id } = (await save(viewer.as)).body;
    expectRefused(await save(viewer.as), 409, 'already_exists');
    expect((await save(owner.as)).status).to.equal(200);
    await save(viewer.as, { name: 'other' });
    expectRefused(await change(viewer.as, id, { name: 'other' }), 409, 'already_exists');
    const at = (member: string) => ['body', member];
    const long = 'é'.repeat(4_097);
    expectInvalid(await save(viewer.as, { state: long }), at('state'), 'string_too_long');
    expectInvalid(await save(viewer.as, { page: '' }), at('page'), 'string_too_short');
    expectInvalid(await save(viewer.as, { name: ' ' }), at('name'), 'string_too_short');
    expectInvalid(await save(viewer.as, { state: null }), at('state'), 'string_type');
    const ignoring = await change(viewer.as, id, { page: 'spans' });
    expect(ignoring.body).to.deep.include({ page: 'traces', ignored_members: ['page'] });
  });

  it('has an entity tag, and a change or deletion under an old one does not happen', async () => {
    const first = await save(owner.as, { is_shared: true });
    const { id } = first.body;
    const old = { 'If-Match': String(first.headers.etag) };
    const second = await change(editor.as, id, { name: 'new' }, old);
    expect(second.headers.etag).to.not.equal(first.headers.etag);
    expectRefused(await change(owner.as, id, { name: 'x' }, old), 412, 'precondition_failed');
    const gone = await owner.as.send('DELETE', path(`/${id}`), { headers: old });
    expectRefused(gone, 412, 'precondition_failed');
    const same = await change(owner.as, id, { name: 'new' });
    expect(same).to.deep.include({ body: second.body, position: second.position });
    const headers = { 'If-Match': String(second.headers.etag) };
    expect((await owner.as.send('DELETE', path(`/${id}`), { headers })).status).to.equal(200);
    for (const method of ['GET', 'DELETE']) {
      expectRefused(await owner.as.send(method, path(`/${id}`)), 404, 'not_found');
    }
    expect(await names(editor.as)).to.deep.equal([]);
  });

  it('saves once for one Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await save(viewer.as, {}, headers);
    const again = await save(viewer.as, {}, headers);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(await list(viewer.as)).to.have.length(1);
  });

  it("is in its project's history, with its state as a digest", async () => {
    const { id } = (await save(viewer.as)).body;
    await viewer.as.call('DELETE', path(`/${id}`));
    const query = 'event_type=ViewSaved&event_type=ViewDeleted&order=asc';
    const { body } = await cast.ours.auditor.as.call<Entries>(
      'GET',
      `/v2/projects/${project}/history?${query}`,
    );
    const [saved, deleted] = body.entries;
    expect(saved?.['resource']).to.deep.equal({ type: 'project', id: project });
    expect(saved?.['before']).to.deep.equal({ views: { [id]: null } });
    const after = saved?.['after'] as { views: Record<string, Body> } | undefined;
    expect(after?.views[id]).to.deep.include({ name: 'failed', created_by: viewer.id });
    expect(after?.views[id]?.['state']).to.include({ bytes: failed.state.length });
    expect(deleted?.['after']).to.deep.equal({ views: { [id]: null } });
  });
});
