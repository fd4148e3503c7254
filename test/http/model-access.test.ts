import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { Client } from '../support/client.js';
import { expectReplayEqual } from '../support/app.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import { pollUntilEqual } from '../support/poll-until.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';

type Lent = { readonly integration_id: string; readonly state: string } & Readonly<
  Record<string, unknown>
>;
type Access = { readonly integrations: readonly Lent[] } & Readonly<Record<string, unknown>>;

const defaults = {
  default_model: null,
  judge_model: null,
  daily_budget: 5,
  daily_calls: 5_000,
  allow_unpriced: false,
  name_clusters: false,
};

describe('model access of a project', () => {
  let cast: TwoOrganizations;
  let keys: KeyRing;
  let project: string;
  let root: string;
  before(async () => {
    cast = await startTwoOrganizations();
    keys = keyRing(cast.app);
  });
  after(async () => {
    keys.close();
    await expectReplayEqual(cast.app);
    await cast.close();
  });
  beforeEach(async () => {
    // The manager owns the project, and a user is its editor.
    const made = await manager().call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `models ${randomUUID()}` },
    });
    project = made.body.id;
    root = `/v2/projects/${project}/model_access`;
    await share('editor');
  });

  const manager = (): Client => cast.ours.manager.as;
  const user = (): Client => cast.ours.user.as;
  const share = (role: string) =>
    manager().call('POST', `/v2/projects/${project}/users`, {
      body: [{ user_id: cast.ours.user.id, role }],
    });
  const configure = async (as: Client, provider: string, body: object = { token: 'x' }) => {
    const path = `/v2/integrations/${provider}`;
    return (await as.call<{ readonly id: string }>('PUT', path, { body })).body.id;
  };
  const lend = (as: Client, id: string, body: object = {}, headers = {}) =>
    as.send<Access>('PUT', `${root}/integrations/${id}`, { body, headers });
  const end = (as: Client, id: string, headers = {}) =>
    as.send<Access>('DELETE', `${root}/integrations/${id}`, { headers });
  const read = async (as = manager()) => as.call<Access>('GET', root);
  const statesSeen = async () => (await read()).body.integrations.map(({ state }) => state);

  it('has defaults and nothing lent at first, and answers writes as it is read', async () => {
    expect((await read()).body).to.deep.equal({ integrations: [], ...defaults });
    const id = await configure(user(), 'custom', {
      endpoint: 'https://provider.example',
      authentication_type: 'none',
      models: ['small', 'large'],
    });
    const lent = await lend(user(), id, { daily_budget: 2 });
    expect(lent.status, JSON.stringify(lent.body)).to.equal(200);
    expect(lent.body.integrations).to.deep.equal([
      {
        integration_id: id,
        provider: 'custom',
        lent_by: cast.ours.user.id,
        daily_budget: 2,
        calls_per_minute: 60,
        state: 'usable',
        models: ['small', 'large'],
      },
    ]);
    const set = { default_model: 'custom/small', daily_budget: 0.01, allow_unpriced: true };
    const { body, headers } = await manager().call<Access>('PUT', root, { body: set });
    expect(body).to.deep.equal({ integrations: lent.body.integrations, ...defaults, ...set });
    const shown = await read(user());
    expect(shown.body).to.deep.equal(body);
    expect(shown.headers.etag).to.equal(headers.etag);
    const again = await manager().call<Access>('PUT', root, { body: set });
    expect(again.position).to.equal((await lend(user(), id, { daily_budget: 2 })).position);
  });

  it('refuses lendings by others, as viewer and by a bound key (models 1.8)', async () => {
    const id = await configure(user(), 'openai');
    expectRefused(await lend(manager(), id), 404, 'not_found');
    expectRefused(await lend(cast.ours.admin.as, id), 404, 'not_found');
    expectRefused(await lend(user(), randomUUID()), 404, 'not_found');
    expectRefused(await lend(cast.theirs.admin.as, id), 404, 'not_found');
    const bound = await keys.make({ project_id: project }, manager());
    const owned = await configure(manager(), 'openai');
    expectRefused(await lend(bound.as, owned), 403, 'forbidden');
    await share('viewer');
    expectRefused(await lend(user(), id), 403, 'forbidden');
    expectRefused(await user().send('PUT', root, { body: {} }), 403, 'forbidden');
    expect((await lend(manager(), owned)).status).to.equal(200);
    expect((await bound.as.send('GET', root)).status).to.equal(200);
  });

  it('refuses an uncallable integration, a second one of a provider and bad limits', async () => {
    const at = ['path', 'integration_id'];
    const gateway = { token: 'x', endpoint: 'https://provider.example', use_case: 'none' };
    const vegas = await configure(user(), 'vegas_gateway', gateway);
    expectInvalid(await lend(user(), vegas), at, 'value_error');
    expect((await lend(user(), await configure(user(), 'openai'))).status).to.equal(200);
    const second = await lend(manager(), await configure(manager(), 'openai'));
    expectInvalid(second, at, 'value_error');
    const mistral = await configure(user(), 'mistral');
    for (const [member, value, type] of [
      ['daily_budget', -1, 'greater_than_equal'],
      ['calls_per_minute', 0, 'greater_than_equal'],
      ['calls_per_minute', 1.5, 'int_from_float'],
      ['daily_budgets', 1, 'extra_forbidden'],
    ] as const) {
      expectInvalid(await lend(user(), mistral, { [member]: value }), ['body', member], type);
    }
    const negative = await manager().send('PUT', root, { body: { daily_budget: -0.01 } });
    expectInvalid(negative, ['body', 'daily_budget'], 'greater_than_equal');
  });

  it('shows why an integration is not called, and follows at once', async () => {
    const id = await configure(user(), 'openai');
    await lend(user(), id);
    const disable = (disabled: boolean) =>
      user().call('POST', '/v2/integrations/disable', {
        body: { integration_name: 'openai', disabled },
      });
    await disable(true);
    expect(await statesSeen()).to.deep.equal(['disabled']);
    await disable(false);
    expect(await statesSeen()).to.deep.equal(['usable']);
    await share('annotator');
    expect(await statesSeen()).to.deep.equal(['not_editor']);
    await manager().call('DELETE', `/v2/projects/${project}/users/${cast.ours.user.id}`);
    expect(await statesSeen()).to.deep.equal(['not_editor']);
  });

  it('ends by its lender, by an owner, and when the integration is deleted', async () => {
    const id = await configure(user(), 'openai');
    await lend(user(), id);
    const owned = await configure(manager(), 'mistral');
    await lend(manager(), owned);
    expectRefused(await end(user(), owned), 403, 'forbidden');
    expect(
      (await end(user(), id)).body.integrations.map((one) => one.integration_id),
    ).to.deep.equal([owned]);
    expectRefused(await end(user(), id), 404, 'not_found');
    await lend(user(), id);
    expect((await end(manager(), id)).status).to.equal(200);
    await lend(user(), id);
    await user().call('DELETE', '/v2/integrations/openai');
    await pollUntilEqual(statesSeen, ['usable']);
  });

  it('changes only where the entity tag is the current one', async () => {
    const id = await configure(user(), 'openai');
    const { headers } = await lend(user(), id);
    const stale = { 'If-Match': '"0"' };
    const current = { 'If-Match': String(headers.etag) };
    expectRefused(await lend(user(), id, { daily_budget: 1 }, stale), 412, 'precondition_failed');
    expectRefused(await end(user(), id, stale), 412, 'precondition_failed');
    expectRefused(
      await manager().send('PUT', root, { body: {}, headers: stale }),
      412,
      'precondition_failed',
    );
    expect((await end(user(), id, current)).status).to.equal(200);
  });

  it('is in the history of the project, member by member', async () => {
    const id = await configure(user(), 'openai');
    await lend(user(), id);
    await lend(user(), id, { daily_budget: 3 });
    const { body } = await manager().call<{
      readonly entries: readonly Readonly<Record<string, unknown>>[];
    }>('GET', `/v2/projects/${project}/history?event_type=IntegrationLent&limit=1`);
    expect(
      body.entries.map(({ resource, before, after }) => ({ resource, before, after })),
    ).to.deep.equal([
      {
        resource: { type: 'project', id: project },
        before: { model_access: { integrations: { openai: { daily_budget: null } } } },
        after: { model_access: { integrations: { openai: { daily_budget: 3 } } } },
      },
    ]);
  });
});
