import { expect } from 'chai';
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeApiKey } from '../../engines/node/secrets.js';
import { sharedApp, startApp, type App } from '../support/app.js';
import { clientOf, type Client } from '../support/client.js';
import { pollUntil } from '../support/poll-until.js';
import {
  expectInvalid,
  expectRefused,
  keyRing,
  type KeyAnswer,
  type KeyRing,
} from '../support/key-ring.js';

type Page = { readonly api_keys: readonly KeyAnswer[]; readonly [member: string]: unknown };
const later = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('API keys over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let admin: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
    project = await keys.project(`keys ${randomUUID()}`);
    admin = (await keys.make()).created_by;
  });
  after(() => keys.close());

  const create = (body: object, client: Client = app.client) =>
    client.send<KeyAnswer>('POST', '/v2/users/api_keys', {
      body: { description: 'of a test', ...body },
    });
  const revoke = (id: string, client: Client = app.client) =>
    client.send('DELETE', `/v2/users/api_keys/${id}`);
  const list = (client: Client = app.client, query = '?limit=1000', user = admin) =>
    client.send<Page>('GET', `/v2/users/${user}/api_keys${query}`);
  const listed = async (id: string) =>
    (await list()).body.api_keys.find((one) => one.id === id) ?? null;
  const works = async (client: Client): Promise<boolean> =>
    (await client.send('GET', '/v2/projects')).status === 200;

  describe('POST', () => {
    it('answers the record with the whole value, once', async () => {
      const until = later(30);
      const { status, body } = await create({
        description: 'nightly',
        project_id: project,
        project_role: 'editor',
        expires_at: until,
      });
      expect(status).to.equal(200);
      const { id, api_key: value, created_at: at, ...rest } = body;
      expect(value).to.match(/^asy_[0-9A-Za-z]{49}$/);
      expect(rest).to.deep.equal({
        description: 'nightly',
        updated_at: at,
        created_by: admin,
        truncated: `${value.slice(0, 8)}...${value.slice(-4)}`,
        expires_at: until.replace('Z', '000Z'),
        last_used: null,
        project_id: project,
        project_role: 'editor',
      });
      expect(await listed(id)).to.deep.equal({ id, created_at: at, ...rest });
    });

    it('shows no value again under the same Idempotency-Key', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const ask = { body: { description: 'once' }, headers };
      const first = await app.client.send<KeyAnswer>('POST', '/v2/users/api_keys', ask);
      const again = await app.client.send<KeyAnswer>('POST', '/v2/users/api_keys', ask);
      expect(again.body).to.deep.equal({ ...first.body, api_key: '' });
    });

    it('takes a value that was made elsewhere', async () => {
      for (const value of [encodeApiKey(randomBytes(32)), randomBytes(24).toString('hex')]) {
        const made = await create({ api_key: value });
        expect(made.body.api_key).to.equal(value);
        const client = clientOf({ url: app.url, apiKey: value });
        expect(await works(client)).to.equal(true);
        client.close();
      }
    });

    it('refuses a value in use without naming its owner, and limits such attempts', async () => {
      // The count is kept for the user, so it is a user that no other test has.
      const lone = await startApp();
      const ask = (value: string | null) =>
        lone.client.send('POST', '/v2/users/api_keys', {
          body: { description: 'of a test', api_key: value },
        });
      const value = encodeApiKey(randomBytes(32));
      expect((await ask(value)).status).to.equal(200);
      for (let times = 0; times < 5; times += 1) {
        expectInvalid(
          await ask(value),
          ['body', 'api_key'],
          'value_error',
          'Value error, this key value cannot be used',
        );
      }
      const refused = await ask(encodeApiKey(randomBytes(32)));
      expectRefused(refused, 429, 'too_many_requests');
      expect(Number(refused.headers['retry-after'])).to.be.greaterThan(0);
      expect((await ask(null)).status, 'minted values go on').to.equal(200);
      lone.client.close();
      await lone.close();
    });

    it('answers 422 for malformed values, past dates and unknown roles', async () => {
      const broken = `${encodeApiKey(randomBytes(32)).slice(0, -1)}_`;
      for (const value of [
        'short',
        'x'.repeat(256),
        `${'x'.repeat(31)} `,
        broken,
        `asy_${'0'.repeat(49)}`,
      ]) {
        expectInvalid(await create({ api_key: value }), ['body', 'api_key'], 'value_error');
      }
      const past = await create({ expires_at: '2020-01-01' });
      expectInvalid(past, ['body', 'expires_at'], 'value_error');
      expectInvalid(
        await create({ project_role: 'pending' }),
        ['body', 'project_role'],
        'enum',
        "Input should be 'viewer', 'annotator', 'editor' or 'owner'",
      );
      expectInvalid(
        await app.client.send('POST', '/v2/users/api_keys'),
        ['body', 'description'],
        'missing',
      );
      expectInvalid(
        await create({ description: 'x'.repeat(1_001) }),
        ['body', 'description'],
        'string_too_long',
      );
    });

    it('answers 404 for a project out of sight', async () => {
      expectRefused(await create({ project_id: randomUUID() }), 404, 'not_found');
      const { as } = await keys.make({ project_id: project });
      const other = await keys.project(`other ${randomUUID()}`);
      expectRefused(await create({ project_id: other }, as), 404, 'not_found');
    });

    it('refuses members that it does not name', async () => {
      const others = {
        id: admin,
        created_by: project,
        organization_id: project,
        value_hash: 'x',
        truncated: 'x',
        ancestors: [],
        last_used: '2001-01-01',
      };
      for (const [name, value] of Object.entries(others)) {
        expectInvalid(await create({ [name]: value }), ['body', name], 'extra_forbidden');
      }
    });
  });

  describe('keys made with keys', () => {
    it('take from their parent what the request leaves out', async () => {
      const parent = await keys.make({ project_role: 'editor', expires_at: later(5) });
      const child = await keys.make({}, parent.as);
      expect(child).to.include({ project_role: 'editor', expires_at: parent.expires_at });
    });

    it('have at most the rights of their parent, and are never owners', async () => {
      const parent = await keys.make({ project_role: 'editor', expires_at: later(5) });
      for (const more of [
        { project_role: 'owner' },
        { expires_at: later(6) },
        { project_id: project },
        { api_key: encodeApiKey(randomBytes(32)) },
      ]) {
        expectRefused(await create(more, parent.as), 403, 'forbidden');
      }
      expect(
        (await create({ project_role: 'viewer', expires_at: later(4) }, parent.as)).status,
      ).to.equal(200);
      expectRefused(await create({ project_role: 'owner' }), 403, 'forbidden');
    });

    it('cannot be made, nor others revoked, by a key below editor or by its token', async () => {
      const other = await keys.make();
      const login = clientOf({ url: app.url, apiKey: null });
      for (const project_role of ['viewer', 'annotator']) {
        const { as, api_key } = await keys.make({ project_role });
        const { body } = await login.call<{ access_token: string }>('POST', '/v2/login/api_key', {
          body: { api_key },
        });
        const headers = { Authorization: `Bearer ${body.access_token}` };
        for (const [client, more] of [
          [as, {}],
          [login, { headers }],
        ] as const) {
          const key = { body: { description: 'child', project_role }, ...more };
          expectRefused(await client.send('POST', '/v2/users/api_keys', key), 403, 'forbidden');
          const revoked = await client.send('DELETE', `/v2/users/api_keys/${other.id}`, more);
          expectRefused(revoked, 403, 'forbidden');
        }
      }
      login.close();
      expect(await works(other.as)).to.equal(true);
    });

    it('are editors at most where their parent has no role, even by its token', async () => {
      const mine = await keys.project(`of a child ${randomUUID()}`);
      const parent = await keys.make();
      const child = await keys.make({}, parent.as);
      expect(child).to.include({ project_id: null, project_role: 'editor' });
      const asked = { body: { name: `of a child ${randomUUID()}` } };
      expectRefused(await child.as.send('PUT', `/v2/projects/${mine}`, asked), 403, 'forbidden');
      const guest = { body: { emails: [`${randomUUID()}@example.org`] } };
      expectRefused(await child.as.send('POST', '/v2/invite_users', guest), 403, 'forbidden');
      const bound = await keys.make({ project_id: mine }, parent.as);
      expect(bound).to.include({ project_id: mine, project_role: 'editor' });
      const { body } = await app.client.call<{ access_token: string }>(
        'POST',
        '/v2/login/api_key',
        { body: { api_key: parent.api_key } },
      );
      const nobody = clientOf({ url: app.url, apiKey: null });
      const ofToken = await nobody.call('POST', '/v2/users/api_keys', {
        body: { description: 'of a token' },
        headers: { Authorization: `Bearer ${body.access_token}` },
      });
      nobody.close();
      expect(ofToken.body).to.include({ project_role: 'editor' });
    });

    it('die with their parent within a second, and so do the children of children', async () => {
      const parent = await keys.make();
      const child = await keys.make({}, parent.as);
      const grandchild = await keys.make({}, child.as);
      expect(await works(grandchild.as)).to.equal(true);
      expect((await revoke(parent.id)).status).to.equal(200);
      for (const { as, id } of [parent, child, grandchild]) {
        await pollUntil('the key is refused', 1_000, async () => !(await works(as)));
        expectRefused(await as.send('GET', '/v2/projects'), 401, 'invalid_credentials');
        expect(await listed(id)).to.equal(null);
      }
    });
  });

  describe('rights of a key', () => {
    it('allow a bound key its project within its role, nothing in the organisation', async () => {
      const { as } = await keys.make({ project_id: project, project_role: 'viewer' });
      expect((await as.send('GET', `/v2/projects/${project}`)).status).to.equal(200);
      const asked = { body: { name: 'x' } };
      expectRefused(
        await as.send('POST', `/v2/projects/${project}/log_streams`, asked),
        403,
        'forbidden',
      );
      expectRefused(await as.send('POST', '/v2/projects', asked), 403, 'forbidden');
      expectRefused(await list(as), 403, 'forbidden');
    });

    it('allow a limited key every project of its creator within its role', async () => {
      const { as } = await keys.make({ project_role: 'editor' });
      const asked = { body: { name: `limited ${randomUUID()}` } };
      expect((await as.send('POST', `/v2/projects/${project}/log_streams`, asked)).status).to.equal(
        200,
      );
      expectRefused(await as.send('DELETE', `/v2/projects/${project}`), 403, 'forbidden');
    });

    it('end when the key expires', async () => {
      const soon = await keys.make({ expires_at: new Date(Date.now() + 2_500).toISOString() });
      expect(await works(soon.as)).to.equal(true);
      await pollUntil('the key has expired', 5_000, async () => !(await works(soon.as)));
      expectRefused(await soon.as.send('GET', '/v2/projects'), 401, 'token_expired');
      expect(await listed(soon.id)).to.equal(null);
    });

    it('are refused without a key, with a wrong key, or with a wrong checksum', async () => {
      const unknown = [encodeApiKey(randomBytes(32)), `asy_${'0'.repeat(49)}`, 'nonsense'];
      for (const value of unknown) {
        const client = clientOf({ url: app.url, apiKey: value });
        expectRefused(await client.send('GET', '/v2/projects'), 401, 'invalid_credentials');
        client.close();
      }
      const nobody = clientOf({ url: app.url, apiKey: null });
      expectRefused(await nobody.send('GET', '/v2/projects'), 401, 'unauthenticated');
      nobody.close();
    });
  });

  describe('GET', () => {
    it('lists live keys, the newest first, in pages, without values', async () => {
      const made = [await keys.make(), await keys.make()];
      const { body } = await list(app.client, '?limit=2');
      expect(body.api_keys.map(({ id }) => id)).to.deep.equal(made.map(({ id }) => id).reverse());
      expect(body).to.deep.include({ limit: 2, paginated: true, next_starting_token: 2 });
      expect(body.api_keys[0]).not.to.have.property('api_key');
      const rest = await list(app.client, '?limit=1000&starting_token=2');
      expect(rest.body).to.include({ next_starting_token: null });
      expect(rest.body.api_keys.map(({ id }) => id)).not.to.include(made[0]?.id);
    });

    it('says when a key was last used', async () => {
      const key = await keys.make();
      expect((await listed(key.id))?.['last_used']).to.equal(null);
      await works(key.as);
      expect((await listed(key.id))?.['last_used']).to.match(/^\d{4}-.*Z$/);
    });

    it('answers 404 for an unknown user', async () => {
      expectRefused(await list(app.client, '', randomUUID()), 404, 'not_found');
    });
  });

  describe('DELETE', () => {
    it('succeeds again when it is repeated', async () => {
      const { id } = await keys.make();
      expect((await revoke(id)).body).to.have.all.keys('message');
      expect((await revoke(id)).status).to.equal(200);
    });

    it('answers 404 for an unknown key and 403 to a bound key', async () => {
      expectRefused(await revoke(randomUUID()), 404, 'not_found');
      const { as, id } = await keys.make({ project_id: project });
      expectRefused(await revoke(id, as), 403, 'forbidden');
    });
  });
});
