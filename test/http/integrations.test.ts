import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { providers } from '../../contract/integration-providers.js';
import { expectReplayEqual, type App } from '../support/app.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import type { Client } from '../support/client.js';
import { integrationBodies } from '../support/integration-bodies.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Integration = {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly permissions: readonly { readonly action: string; readonly allowed: boolean }[];
  readonly is_selected: boolean;
  readonly is_disabled: boolean;
};
const path = (rest = '') => `/v2/integrations${rest}`;
const uri = 'https://provider.example';

describe('integrations over HTTP', () => {
  let cast: TwoOrganizations;
  let app: App;
  let keys: KeyRing;
  before(async () => {
    // An app of its own: integrations belong to a user, and all other tests share one.
    cast = await startTwoOrganizations({
      ASSAY_EGRESS_ALLOW: '127.0.0.1:9090,models.internal:80',
    });
    ({ app } = cast);
    keys = keyRing(app);
  });
  afterEach(async () => {
    for (const { provider } of (await app.client.call<Integration[]>('GET', path())).body) {
      await app.client.send('DELETE', path(`/${provider}`));
    }
  });
  after(async () => {
    keys.close();
    await expectReplayEqual(app);
    await cast.close();
  });

  const put = (provider: string, body: unknown, headers: Record<string, string> = {}) =>
    app.client.send<Integration>('PUT', path(`/${provider}`), { body, headers });
  const get = (provider: string) => app.client.send<Integration>('GET', path(`/${provider}`));
  const writer = (token = 'secret') => ({ organization_id: 'account', token });

  describe('PUT', () => {
    it('answers the integration as it is read later, nothing of its configuration', async () => {
      const made = await put('writer', writer());
      const { id, created_at: at, created_by: by, ...rest } = made.body;
      expect(made.status).to.equal(200);
      expect([id, by].map((one) => one.length)).to.deep.equal([36, 36]);
      expect(rest).to.deep.equal({
        name: 'writer',
        provider: 'writer',
        updated_at: at,
        permissions: [
          { action: 'update', allowed: true, message: null },
          { action: 'delete', allowed: true, message: null },
          { action: 'share', allowed: false, message: 'integrations belong to one user' },
          { action: 'read_secrets', allowed: false, message: 'secrets are write-only' },
        ],
        is_selected: true,
        is_disabled: false,
      });
      const read = await get('writer');
      expect(read.body).to.deep.equal(made.body);
      expect(read.headers.etag).to.equal(made.headers.etag).and.match(/^"/);
    });

    it('takes each of the twelve providers with all of its members', async () => {
      for (const [provider, body] of Object.entries(integrationBodies((where) => where))) {
        const made = await put(provider, { ...body, surplus: { token: 'x' } });
        expect(made.status, `${provider} ${JSON.stringify(made.body)}`).to.equal(200);
        expect(made.body.provider).to.equal(provider);
        const without = await put(provider, body);
        expect(without.position, 'a member that nobody named').to.equal(made.position);
      }
      const listed = await app.client.call<Integration[]>('GET', path());
      expect(listed.body.map(({ name }) => name)).to.deep.equal([...providers]);
    });

    it('writes nothing for the same configuration, replaces all of it for another', async () => {
      const made = await put('openai', { token: 'a', organization_id: 'x' });
      const same = await put('openai', { organization_id: 'x', token: 'a' });
      expect(same).to.deep.include({ status: 200, body: made.body, position: made.position });
      expect(same.headers.etag).to.equal(made.headers.etag);
      const other = await put('openai', { token: 'a' });
      const { updated_at: at, ...rest } = other.body;
      const { updated_at: before, ...old } = made.body;
      expect(rest).to.deep.equal(old);
      expect(at > before).to.equal(true);
      expect((await put('openai', { token: 'b' })).headers.etag).to.not.equal(other.headers.etag);
    });

    it('answers 422 in the words of the provider in the path', async () => {
      const aws = { token: { aws_access_key_id: 'x' } };
      const wrong: readonly (readonly [string, unknown, readonly string[], string])[] = [
        ['writer', { token: 'x' }, ['organization_id'], 'missing'],
        ['writer', { organization_id: 'x' }, ['token'], 'missing'],
        ['writer', writer(''), ['token'], 'string_too_short'],
        ['writer', writer('x'.repeat(8_193)), ['token'], 'string_too_long'],
        ['writer', { ...writer(), token: 5 }, ['token'], 'string_type'],
        [
          'writer',
          { ...writer(), organization_id: 'x'.repeat(257) },
          ['organization_id'],
          'string_too_long',
        ],
        ['openai', { token: 'x', organization_id: null }, ['organization_id'], 'string_type'],
        ['nvidia', { token: 'x' }, ['hostname'], 'missing'],
        ['aws_bedrock', aws, ['token'], 'value_error'],
        ['aws_bedrock', { token: 'x' }, ['token'], 'dict_type'],
        [
          'aws_sagemaker',
          { token: { aws_role_arn: 'x' }, credential_type: 'x' },
          ['credential_type'],
          'enum',
        ],
        [
          'vertex_ai',
          { token: 'x', gcs_config: { bucket_name: 'x', object_path_prefix: 'y' } },
          ['gcs_config', 'service_account_credentials'],
          'missing',
        ],
        [
          'azure',
          { token: 'x', endpoint: uri, default_headers: { a: 5 } },
          ['default_headers', 'a'],
          'string_type',
        ],
        [
          'azure',
          { token: 'x', endpoint: uri, available_deployments: [{ model: 'm' }] },
          ['available_deployments', '0', 'id'],
          'missing',
        ],
        [
          'custom',
          { authentication_type: 'basic', endpoint: uri },
          ['authentication_type'],
          'enum',
        ],
        ['mistral', [], [], 'dict_type'],
      ];
      for (const [provider, body, loc, type] of wrong) {
        expectInvalid(await put(provider, body), ['body', ...loc], type);
        expectRefused(await get(provider), 404, 'not_found');
      }
    });

    it('takes absolute https URIs without user info only', async () => {
      const good = ['https://a', 'HTTPS://a.b:8443/x?y=z#w', 'https://[::1]/', 'https://a?x=@'];
      const bad = [
        'https://',
        'https://u@a',
        'https://u:p@a/',
        'a',
        '/x',
        'https:/a',
        'https://a b',
        'ftp://a',
        'https://a\\@b',
        ' https://a',
      ];
      for (const endpoint of good) {
        expect((await put('custom', { endpoint })).status, endpoint).to.equal(200);
      }
      for (const endpoint of bad) {
        const place = ['body', 'endpoint'];
        expectInvalid(await put('custom', { endpoint }), place, 'string_pattern_mismatch');
      }
    });

    it('takes http for hosts and ports that the operator listed only (models 1.3)', async () => {
      const listed = ['http://127.0.0.1:9090/v1', 'HTTP://models.internal', 'http://0x7f.1:9090'];
      for (const endpoint of listed) {
        expect((await put('custom', { endpoint })).status, endpoint).to.equal(200);
      }
      const unlisted = ['http://127.0.0.1:9091', 'http://models.internal:8080', 'http://a'];
      for (const endpoint of unlisted) {
        const answer = await put('custom', { endpoint });
        expectInvalid(answer, ['body', 'endpoint'], 'value_error');
        expect(JSON.stringify(answer.body)).to.contain('lists its host and port');
      }
      const body = { endpoint: listed[0], oauth2_token_url: 'http://127.0.0.1:9091' };
      expectInvalid(await put('custom', body), ['body', 'oauth2_token_url'], 'value_error');
    });

    it('refuses headers that a request cannot have', async () => {
      const endpoint = uri;
      const wrong: readonly (readonly [string, object, readonly string[]])[] = [
        ['custom', { endpoint, headers: { Host: 'a' } }, ['headers', 'Host']],
        ['custom', { endpoint, headers: { 'a b': 'a' } }, ['headers', 'a b']],
        ['custom', { endpoint, headers: { ok: 'a', bad: 'a\nHost: b' } }, ['headers', 'bad']],
        [
          'custom',
          { endpoint, custom_header_mapping: { te: 'a' } },
          ['custom_header_mapping', 'te'],
        ],
        ['custom', { endpoint, api_key_header: 'Transfer-Encoding' }, ['api_key_header']],
        [
          'azure',
          { token: 'x', endpoint, default_headers: { cookie: 'a' } },
          ['default_headers', 'cookie'],
        ],
      ];
      for (const [provider, body, loc] of wrong) {
        const answer = await put(provider, body);
        expectInvalid(answer, ['body', ...loc], 'value_error');
        expect(JSON.stringify(answer.body)).to.not.contain('Host: b');
      }
    });

    it('answers 404 for an unknown provider, whatever the body', async () => {
      for (const segment of ['palm', 'Writer', 'constructor', '__proto__', randomUUID()]) {
        expectRefused(await put(segment, { token: 'x' }), 404, 'not_found');
        expectRefused(await get(segment), 404, 'not_found');
        expectRefused(await app.client.send('DELETE', path(`/${segment}`)), 404, 'not_found');
      }
    });

    it('keeps each of many sent at once for one integration whole', async () => {
      const tokens = Array.from({ length: 8 }, (_, at) => `token ${at}`);
      const replies = await Promise.all(tokens.map((token) => put('writer', writer(token))));
      for (const { status } of replies) expect(status).to.equal(200);
      expect(new Set(replies.map(({ body }) => body.id)).size).to.equal(1);
    });

    it('changes under If-Match only what the caller saw', async () => {
      expectRefused(await put('writer', writer(), { 'If-Match': '*' }), 412, 'precondition_failed');
      const made = await put('writer', writer());
      const seen = String(made.headers.etag);
      const races = await Promise.all(
        Array.from({ length: 6 }, (_, at) => put('writer', writer(`t${at}`), { 'If-Match': seen })),
      );
      const statuses = races.map(({ status }) => status).sort((one, other) => one - other);
      expect(statuses).to.deep.equal([200, 412, 412, 412, 412, 412]);
      expectRefused(
        await put('writer', writer('x'), { 'If-Match': 'x' }),
        400,
        'malformed_request',
      );
      const { headers } = await get('writer');
      const weak = `W/${String(headers.etag)}`;
      expectRefused(
        await put('writer', writer('x'), { 'If-Match': weak }),
        412,
        'precondition_failed',
      );
      const current = await put('writer', writer('x'), { 'If-Match': String(headers.etag) });
      expect(current.status).to.equal(200);
    });

    it('answers 403 to a bound key, on every one of the routes', async () => {
      const project = await keys.project(`integrations ${randomUUID()}`);
      const { as } = await keys.make({ project_id: project });
      const asked: readonly (readonly [string, string, object])[] = [
        ['PUT', '/writer', { body: writer() }],
        ['GET', '', {}],
        ['GET', '/available', {}],
        ['GET', '/writer', {}],
        ['DELETE', '/writer', {}],
        ['PUT', `/${randomUUID()}/select`, {}],
        ['POST', '/disable', { body: { integration_name: 'writer' } }],
      ];
      for (const [method, rest, ask] of asked) {
        expectRefused(await as.send(method, path(rest), ask), 403, 'forbidden');
      }
    });
  });

  describe('the other routes', () => {
    it('list existing integrations and possible providers', async () => {
      expect((await app.client.send('GET', path())).body).to.deep.equal([]);
      const available = await app.client.send('GET', path('/available'));
      expect(available.body).to.deep.equal({ integrations: [...providers] });
    });

    it('delete an integration; the next one for the provider is new', async () => {
      const made = await put('writer', writer());
      const gone = await app.client.send<{ message: string }>('DELETE', path('/writer'));
      expect(gone.status).to.equal(200);
      expect(gone.body.message).to.be.a('string');
      expectRefused(await get('writer'), 404, 'not_found');
      expectRefused(await app.client.send('DELETE', path('/writer')), 404, 'not_found');
      const again = await put('writer', writer());
      expect(again.body.id).to.not.equal(made.body.id);
      expect(again.body.created_at > made.body.created_at).to.equal(true);
    });

    it('keep one ciphertext for each integration and destroy it on deletion', async () => {
      const log = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
      try {
        const seals = () => log.reader.streams('sealed-integration-', null, 100);
        for (const token of ['a', 'b', 'c']) await put('writer', writer(token));
        await put('openai', { token: 'a' });
        expect(await seals()).to.have.length(2);
        await app.client.call('DELETE', path('/writer'));
        expect(await seals()).to.have.length(1);
        await app.client.call('DELETE', path('/openai'));
        expect(await seals()).to.deep.equal([]);
      } finally {
        await log.close();
      }
    });

    it('delete under If-Match only what the caller saw', async () => {
      const remove = (tag: string) =>
        app.client.send('DELETE', path('/writer'), { headers: { 'If-Match': tag } });
      expectRefused(await remove('*'), 404, 'not_found');
      const { headers } = await put('writer', writer());
      await put('writer', writer('other'));
      expectRefused(await remove(String(headers.etag)), 412, 'precondition_failed');
      expectRefused(await remove('none'), 400, 'malformed_request');
      expect((await remove(String((await get('writer')).headers.etag))).status).to.equal(200);
    });

    it('belong to one user: 404 for others, and an admin may only see them', async () => {
      const { user, manager, admin, auditor } = cast.ours;
      const { body: theirs } = await cast.theirs.admin.as.call<Integration>(
        'PUT',
        path('/writer'),
        {
          body: writer(),
        },
      );
      const made = await user.as.call<Integration>('PUT', path('/writer'), { body: writer() });
      const { id, created_by: owner } = made.body;
      expect(owner).to.equal(user.id).and.not.equal(theirs.created_by);
      const listed = async (by: Client) =>
        (await by.call<Integration[]>('GET', path())).body.map((one) => one.created_by);
      expect(await listed(user.as)).to.deep.equal([user.id]);
      for (const { as } of [manager, auditor]) expect(await listed(as)).to.deep.equal([]);
      expect(await listed(admin.as)).to.deep.equal([user.id]);
      const [seen] = (await admin.as.call<Integration[]>('GET', path())).body;
      expect(seen?.permissions.map(({ allowed }) => allowed)).to.deep.equal(Array(4).fill(false));
      for (const { as } of [manager, admin]) {
        expectRefused(await as.send('GET', path('/writer')), 404, 'not_found');
        expectRefused(await as.send('DELETE', path('/writer')), 404, 'not_found');
        const body = { integration_name: 'writer' };
        expectRefused(await as.send('POST', path('/disable'), { body }), 404, 'not_found');
      }
      for (const { as } of [manager, cast.theirs.admin]) {
        expectRefused(await as.send('PUT', path(`/${id}/select`)), 404, 'not_found');
      }
      expectRefused(await admin.as.send('PUT', path(`/${id}/select`)), 403, 'forbidden');
      const own = await manager.as.call<Integration>('PUT', path('/writer'), { body: writer() });
      expect(own.body.id).to.not.equal(id);
      expect((await user.as.call('GET', path('/writer'))).body).to.deep.equal(made.body);
      for (const { as } of [user, manager, cast.theirs.admin]) {
        await as.call('DELETE', path('/writer'));
      }
    });

    it('select the selected one again, and answer 404 for unknown ones', async () => {
      const made = await put('writer', writer());
      const select = (id: string, by: Client = app.client) =>
        by.send<Integration>('PUT', path(`/${id}/select`));
      const reply = await select(made.body.id);
      expect(reply).to.deep.include({ status: 200, body: made.body, position: made.position });
      expectRefused(await select(randomUUID()), 404, 'not_found');
      expectInvalid(await select('x'), ['path', 'integration_id'], 'uuid_parsing');
      const under = (ifMatch: string) =>
        app.client.send('PUT', path(`/${made.body.id}/select`), {
          headers: { 'If-Match': ifMatch },
        });
      expect((await under(reply.headers.etag ?? '')).status).to.equal(200);
      expectRefused(await under('"other"'), 412, 'precondition_failed');
      expectRefused(await under('other'), 400, 'malformed_request');
    });

    it('disable and enable, which a change of configuration does not undo', async () => {
      const made = await put('writer', writer());
      const disable = (body: object) =>
        app.client.send<Integration>('POST', path('/disable'), { body });
      const off = await disable({ integration_name: 'writer' });
      const { updated_at: at, ...rest } = off.body;
      const { updated_at: before, ...old } = made.body;
      expect(rest).to.deep.equal({ ...old, is_disabled: true });
      expect(at > before).to.equal(true);
      expect((await get('writer')).body).to.deep.equal(off.body);
      const same = await disable({ integration_name: 'writer', disabled: true });
      expect(same.position).to.equal(off.position);
      expect((await put('writer', writer('other'))).body.is_disabled).to.equal(true);
      const on = await disable({ integration_name: 'writer', disabled: false });
      expect(on.body.is_disabled).to.equal(false);
      expectRefused(await disable({ integration_name: 'openai' }), 404, 'not_found');
      expectRefused(await disable({ integration_name: 'palm' }), 404, 'not_found');
      expectInvalid(await disable({}), ['body', 'integration_name'], 'missing');
    });
  });
});
