import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import type { Reply } from '../support/client.js';
import { upload, valuesOf, type ContentPage } from '../support/datasets.js';

type Made = { readonly id: string; readonly name: string };
type Change = readonly [method: string, path: string, body?: unknown];

const many = 12;
const numbers = Array.from({ length: many }, (_, at) => at);
const names = numbers.map((at) => `name ${at}`);

/** All changes succeed in sequence, since none sends If-Match. */
describe('simultaneous changes of one object', () => {
  let cast: TwoOrganizations;
  let admin: RoleUser;
  let project: string;
  before(async () => {
    cast = await startTwoOrganizations();
    admin = cast.ours.admin;
  });
  beforeEach(async () => {
    project = await made('/v2/projects', { name: randomUUID() });
  });
  after(async () => {
    await cast.app.untilCaughtUp();
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  const made = async (path: string, body: object): Promise<string> =>
    (await admin.as.call<Made>('POST', path, { body })).body.id;
  const at = (rest: string): string => `/v2/projects/${project}${rest}`;
  const get = async <T>(path: string): Promise<T> => (await admin.as.call<T>('GET', path)).body;
  /** All of them succeed. */
  const atOnce = async (changes: readonly Change[]): Promise<readonly Reply<Made | null>[]> => {
    const replies = await Promise.all(
      changes.map(([method, path, body]) =>
        admin.as.send<Made | null>(method, path, body === undefined ? {} : { body }),
      ),
    );
    const refused = replies.filter(({ status }) => status < 200 || status > 299);
    expect(refused.map(({ status, body }) => ({ status, body }))).to.deep.equal([]);
    return replies;
  };
  const each = (of: (at: number) => Change): Promise<readonly Reply<Made | null>[]> =>
    atOnce(numbers.map(of));
  /** Each change says its own name; the one that came last is there, as the log has it. */
  const renamed = async (method: string, path: string, more: object = {}): Promise<void> => {
    const replies = await each((one) => [method, path, { name: names[one], ...more }]);
    const last = replies.toSorted((a, b) => ((a.position ?? '') < (b.position ?? '') ? 1 : -1))[0];
    const { name } = await get<Made>(path);
    expect(name).to.equal(last?.body?.name);
    expect(new Set(replies.map(({ position }) => position)).size).to.equal(many);
  };
  const dataset = async (): Promise<string> => {
    const reply = await upload(cast.app, {
      file: 'a\nfirst\n',
      parts: { name: randomUUID() },
      as: admin.as,
    });
    return `/v2/datasets/${reply.body.id}`;
  };
  const experiment = (more: object = {}): Promise<string> =>
    made(at('/experiments'), { name: randomUUID(), ...more });

  it('become versions of a dataset, all of them', async () => {
    const path = await dataset();
    await each((one) => [
      'PATCH',
      `${path}/content`,
      { edits: [{ edit_type: 'append_row', values: { a: names[one] } }] },
    ]);
    const values = valuesOf(await get<ContentPage>(`${path}/content`)).map(([value]) => value);
    expect(values).to.have.members(['first', ...names]);
    await each(() => ['PUT', `${path}/content`, { rollback_version: 1 }]);
    expect(valuesOf(await get<ContentPage>(`${path}/content`))).to.deep.equal([['first']]);
  });

  it('change details of a dataset, all of them', async () => renamed('PATCH', await dataset()));

  it('link a dataset to projects and experiments and unlink it, all of them', async () => {
    const path = await dataset();
    const projects = await Promise.all(
      names.map((name) => made('/v2/projects', { name: `${name} ${randomUUID()}` })),
    );
    await each((one) => ['PUT', `${path}/projects/${projects[one]}`]);
    const used = { dataset: { dataset_id: path.split('/').at(-1), version_index: 1 } };
    const replies = await each((one) => [
      'POST',
      at('/experiments'),
      { name: names[one], ...used },
    ]);
    const count = async () => (await get<{ project_count: number }>(path)).project_count;
    expect(await count()).to.equal(many + 1);
    await each((one) => ['DELETE', at(`/experiments/${replies[one]?.body?.id}`)]);
    await each((one) => ['DELETE', `${path}/projects/${projects[one]}`]);
    expect(await count()).to.equal(0);
  });

  it('rename an experiment, a log stream and a project, all of them', async () => {
    await renamed('PUT', at(`/experiments/${await experiment()}`), { task_type: 17 });
    await renamed('PUT', at(`/log_streams/${await made(at('/log_streams'), { name: 'run' })}`));
    await each((one) => ['PUT', at(''), { labels: [names[one]] }]);
  });

  it('add, change and remove tags of an experiment, all of them', async () => {
    const tags = at(`/experiments/${await experiment()}/tags`);
    const list = async () =>
      (await get<readonly { id: string; key: string; value: string }[]>(tags)).toSorted((a, b) =>
        a.key < b.key ? -1 : 1,
      );
    const body = (one: number, value: string) => ({ key: names[one], value, tag_type: 'generic' });
    await each((one) => ['POST', tags, body(one, 'old')]);
    const before = await list();
    expect(before.map(({ key }) => key)).to.have.members(names);
    await each((one) => ['PUT', `${tags}/${before[one]?.id}`, body(one, 'new')]);
    expect(new Set((await list()).map(({ value }) => value))).to.deep.equal(new Set(['new']));
    await each((one) => ['DELETE', `${tags}/${before[one]?.id}`]);
    expect(await list()).to.deep.equal([]);
  });

  it('set the winner and the criteria, all of them', async () => {
    const runs = await Promise.all(numbers.map(() => experiment()));
    await each((one) => ['POST', at(`/experiments/${runs[one]}/winner`)]);
    const criteria = (one: number) => [{ metric: 'm', weight: one + 1, direction: 'higher' }];
    await each((one) => ['PUT', at('/experiments/ranking_criteria'), { criteria: criteria(one) }]);
  });

  it('change settings of a run, all of them', async () => {
    const run = await experiment();
    const scorer = await made('/v2/scorers', { name: randomUUID(), scorer_type: 'code' });
    const chosen = [{ id: scorer, scorer_type: 'code' }];
    await each((one) => [
      'POST',
      at(`/runs/${run}/scorer-settings`),
      { scorers: one % 2 === 0 ? chosen : [] },
    ]);
    await each((one) => ['PATCH', `/v2/scorers/${scorer}`, { description: names[one] }]);
    await each((one) => [
      'PATCH',
      at(`/runs/${run}/insights-settings`),
      { insights: { logstream: { enabled: one % 2 === 0 } } },
    ]);
    await each((one) => [
      'POST',
      at('/annotation/templates'),
      { name: names[one], constraints: { annotation_type: 'like_dislike' } },
    ]);
    await each((one) => [
      'PUT',
      '/v2/integrations/writer',
      { organization_id: 'account', token: names[one] },
    ]);
  });

  it('add members of a group and collaborators of a project, all of them', async () => {
    const others = [cast.ours.user, cast.ours.auditor, cast.ours.read_only, cast.ours.manager];
    const group = `/v2/groups/${await made('/v2/groups', { name: randomUUID() })}`;
    await renamed('PATCH', group);
    await each((one) => [
      'POST',
      `${group}/members`,
      [{ user_id: others[one % others.length]?.id, role: one % 3 === 0 ? 'maintainer' : 'member' }],
    ]);
    const { members } = await get<{ members: readonly { user_id: string }[] }>(`${group}/members`);
    expect(members.map(({ user_id }) => user_id)).to.include.members(others.map(({ id }) => id));
    await each((one) => [
      'PATCH',
      `${group}/members/${others[one % others.length]?.id}`,
      { role: one % 2 === 0 ? 'maintainer' : 'member' },
    ]);
    await atOnce(
      others.map(({ id }) => ['POST', at('/users'), [{ user_id: id, role: 'viewer' }]] as const),
    );
    await each((one) => [
      'PATCH',
      at(`/users/${others[one % others.length]?.id}`),
      { role: one % 2 === 0 ? 'editor' : 'annotator' },
    ]);
    await atOnce(others.map(({ id }) => ['DELETE', at(`/users/${id}`)] as const));
    const groups = await Promise.all(numbers.map(() => made('/v2/groups', { name: randomUUID() })));
    await each((one) => ['POST', at('/groups'), [{ group_id: groups[one], role: 'viewer' }]]);
    await each((one) => ['PATCH', at(`/groups/${groups[one]}`), { role: 'editor' }]);
    await each((one) => ['DELETE', at(`/groups/${groups[one]}`)]);
  });

  it('change details of a user, all of them, even while admins change', async () => {
    const { id } = cast.ours.manager;
    await each((one) => ['PUT', `/v2/users/${id}`, { first_name: names[one] }]);
    await each((one) => ['PUT', `/v2/users/${id}`, { role: one % 2 === 0 ? 'admin' : 'manager' }]);
    await each(() => ['PUT', `/v2/users/${id}`, { role: 'manager' }]);
  });

  it('create API keys and revoke them, all of them', async () => {
    const keys = await each((one) => ['POST', '/v2/users/api_keys', { description: names[one] }]);
    await each((one) => ['DELETE', `/v2/users/api_keys/${keys[one]?.body?.id}`]);
  });
});
