import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { appKey, appPassword, sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import {
  adminEmail,
  basic,
  bearer,
  cookie,
  cookieOf,
  openLoginClient,
  form,
  type LoginClient,
  type Token,
} from '../support/logins.js';
import { runs } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';

const claimsOf = (token: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as never;

describe('logins over HTTP', () => {
  let app: App;
  let door: LoginClient;
  let keys: KeyRing;
  let client: Client;
  before(async () => {
    app = await sharedApp();
    door = openLoginClient(app);
    keys = keyRing(app);
    client = door.anonymousClient();
  });
  after(() => {
    door.close();
    keys.close();
  });
  const right = { username: adminEmail, password: appPassword };
  const dead = (token: string) =>
    pollUntil(
      'the access token is dead',
      1_000,
      async () => (await door.statusWith(token)) === 401,
    );

  describe('POST /login', () => {
    it('answers a bearer token for 24 hours and the refresh cookie', async () => {
      const reply = await form(client, '/v2/login', {
        ...right,
        grant_type: 'password',
        scope: '',
      });
      expect(reply.status).to.equal(200);
      expect(reply.body).to.have.all.keys('access_token', 'token_type', 'ignored_members');
      expect(reply.body.token_type).to.equal('bearer');
      expect(reply.headers['cache-control']).to.equal('no-store');
      const set = cookieOf(reply);
      expect([...(set?.keys() ?? [])]).to.deep.equal([
        'refresh_token',
        'HttpOnly',
        'SameSite',
        'Path',
        'Max-Age',
      ]);
      expect([set?.get('SameSite'), set?.get('Path'), set?.get('Max-Age')]).to.deep.equal([
        'Strict',
        '/',
        '604800',
      ]);
      const claims = claimsOf(reply.body.access_token);
      expect(claims).to.have.all.keys('iss', 'aud', 'sub', 'org', 'sid', 'iat', 'exp', 'jti');
      expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(86_400);
      expect(await door.statusWith(reply.body.access_token)).to.equal(200);
    });

    it('names the cookie __Host- over TLS, so that sibling hosts cannot plant it', async () => {
      const https = { 'X-Forwarded-Proto': 'https' };
      const reply = await form(client, '/v2/login', right, https);
      const [first, second] = reply.headers['set-cookie'] ?? [];
      expect(first).to.match(
        /^__Host-refresh_token=[\w-]+; HttpOnly; Secure; SameSite=Strict; Path=\/; Max-Age=604800$/,
      );
      expect(second).to.match(/^refresh_token=; .*Secure; .*Max-Age=0$/);
      const plain = await form(client, '/v2/login', right);
      expect(plain.headers['set-cookie']).to.have.length(1);
      expect(cookieOf(plain)?.has('Secure')).to.equal(false);
    });

    it('accepts either name of the cookie, and prefers the safer one', async () => {
      const https = { 'X-Forwarded-Proto': 'https' };
      const refreshed = (Cookie: string) =>
        client.send('POST', '/v2/refresh_token', { headers: { Cookie, ...https } });
      const plain = await door.logIn();
      const reply = await refreshed(`refresh_token=${plain.cookie}`);
      expect(reply.status).to.equal(200);
      const safe = cookieOf(reply)?.get('__Host-refresh_token') ?? '';
      expect(
        (await refreshed(`refresh_token=planted; __Host-refresh_token=${safe}`)).status,
      ).to.equal(200);
      const refused = await refreshed('__Host-refresh_token=x');
      expect([refused.status, refused.headers['set-cookie']?.length]).to.deep.equal([401, 2]);
    });

    it('answers the same for an unknown e-mail and a wrong password', async () => {
      const known = await form(client, '/v2/login', { ...right, password: 'not this password' });
      const unknown = await form(client, '/v2/login', { username: 'no@one', password: 'whatever' });
      for (const reply of [known, unknown]) {
        expectRefused(reply, 401, 'invalid_credentials');
        expect(reply.body).to.include({ detail: 'Login failed' });
        expect(cookieOf(reply)).to.equal(null);
      }
      const shape = ({ headers, body }: typeof known) => [
        Object.keys(headers).sort(),
        Object.keys(body).sort(),
      ];
      expect(shape(known)).to.deep.equal(shape(unknown));
    });

    it('ignores other credentials and Idempotency-Key', async () => {
      const beside = { 'Service-API-Key': 'x', ...bearer('y'), 'Idempotency-Key': 'spaces no' };
      expect((await form(client, '/v2/login', right, beside)).status).to.equal(200);
    });

    it('answers 422 for fields that are missing or belong to another grant', async () => {
      expectInvalid(
        await form(client, '/v2/login', { username: 'ada' }),
        ['body', 'password'],
        'missing',
        'Field required',
      );
      expectInvalid(
        await form(client, '/v2/login', { ...right, grant_type: 'code' }),
        ['body', 'grant_type'],
        'string_pattern_mismatch',
        "String should match pattern '^password$'",
      );
    });

    it('answers 415 for JSON, 400 for broken percent-encoding, 403 to other pages', async () => {
      expectRefused(
        await client.send('POST', '/v2/login', { body: right }),
        415,
        'unsupported_media_type',
      );
      const broken = { body: 'username=%zz', headers: { 'Content-Type': formType } };
      expectRefused(await client.send('POST', '/v2/login', broken), 400, 'malformed_request');
      const elsewhere = { Origin: 'https://elsewhere.example' };
      expectRefused(await form(client, '/v2/login', right, elsewhere), 403, 'forbidden');
      const here = { Origin: app.url };
      expect((await form(client, '/v2/login', right, here)).status).to.equal(200);
    });
  });
  const formType = 'application/x-www-form-urlencoded';

  describe('POST /login/api_key', () => {
    const exchange = (api_key: string) =>
      client.send<Token>('POST', '/v2/login/api_key', { body: { api_key } });

    it('answers a token with the rights of the key and no cookie', async () => {
      const project = await keys.project(`token ${randomUUID()}`);
      const key = await keys.make({ project_id: project, project_role: 'viewer' });
      const reply = await exchange(key.api_key);
      expect(cookieOf(reply)).to.equal(null);
      const headers = bearer(reply.body.access_token);
      const seen = await client.send('GET', `/v2/projects/${project}`, { headers });
      expect(seen.status).to.equal(200);
      const made = { headers, body: { name: 'x' } };
      const refused = await client.send('POST', `/v2/projects/${project}/log_streams`, made);
      expectRefused(refused, 403, 'forbidden');
      expect(claimsOf(reply.body.access_token)).to.include({ sid: key.id, key: key.id });
      expect(reply.headers['x-log-position']).to.match(/^[0-9a-f]{16}$/);
    });

    it('makes a token that ends with its key, by time and by revocation', async () => {
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const key = await keys.make({ expires_at: soon });
      const { access_token: token } = (await exchange(key.api_key)).body;
      expect(claimsOf(token)['exp']).to.equal(Math.floor(Date.parse(soon) / 1_000));
      await app.client.call('DELETE', `/v2/users/api_keys/${key.id}`);
      await dead(token);
    });

    it('makes keys that are children of its key', async () => {
      const key = await keys.make({ project_role: 'editor' });
      const { access_token: token } = (await exchange(key.api_key)).body;
      const ask = {
        headers: bearer(token),
        body: { description: 'child', project_role: 'owner' },
      };
      expectRefused(await client.send('POST', '/v2/users/api_keys', ask), 403, 'forbidden');
    });

    it('refuses an unknown key with the words of every login', async () => {
      const reply = await exchange('x'.repeat(40));
      expectRefused(reply, 401, 'invalid_credentials');
      expect(reply.body).to.include({ detail: 'Login failed' });
      expectInvalid(
        await client.send('POST', '/v2/login/api_key', { body: {} }),
        ['body', 'api_key'],
        'missing',
      );
    });
  });

  describe('POST /refresh_token', () => {
    it('gives the successor, and the same one again within ten seconds', async () => {
      const login = await door.logIn();
      const first = await door.refresh(login.cookie);
      expect(first.status).to.equal(200);
      const successor = cookieOf(first)?.get('refresh_token') ?? '';
      expect(successor)
        .to.match(/^[0-9A-Za-z_-]{64}$/)
        .and.not.to.equal(login.cookie);
      const again = await door.refresh(login.cookie);
      expect(cookieOf(again)?.get('refresh_token')).to.equal(successor);
      expect(again.position).to.equal(first.position);
      expect(await door.statusWith(again.body.access_token)).to.equal(200);
    });

    it('revokes the family when an older token is reused: 401 for all its tokens', async () => {
      const login = await door.logIn();
      const second = cookieOf(await door.refresh(login.cookie))?.get('refresh_token') ?? '';
      const third = await door.refresh(second);
      const reply = await door.refresh(login.cookie);
      expectRefused(reply, 401, 'invalid_credentials');
      expect(cookieOf(reply)?.get('Max-Age')).to.equal('0');
      expect(cookieOf(reply)?.get('refresh_token')).to.equal('');
      await dead(third.body.access_token);
      await dead(login.token);
      expect((await door.refresh(cookieOf(third)?.get('refresh_token') ?? '')).status).to.equal(
        401,
      );
    });

    it('keeps the family when a forged token is sent', async () => {
      const login = await door.logIn();
      const family = Buffer.from(login.cookie, 'base64url').subarray(0, 16);
      const made = Buffer.concat([family, Buffer.alloc(32, 1)]).toString('base64url');
      for (const value of [made, 'x', '!'.repeat(64), `${login.cookie}A`]) {
        const reply = await door.refresh(value);
        expectRefused(reply, 401, 'invalid_credentials');
        expect(cookieOf(reply)?.get('Max-Age')).to.equal('0');
      }
      expect((await door.refresh(login.cookie)).status).to.equal(200);
    });

    it('answers 422 without the cookie, even with another credential', async () => {
      for (const headers of [{}, { 'Service-API-Key': appKey }, basic(adminEmail, appPassword)]) {
        expectInvalid(
          await client.send('POST', '/v2/refresh_token', { headers }),
          ['cookie', 'refresh_token'],
          'missing',
          'Field required',
        );
      }
    });

    it('ignores a body and other headers, and refuses pages of other hosts', async () => {
      const login = await door.logIn();
      const headers = { ...cookie(login.cookie), ...bearer('x'), 'Service-API-Key': 'y' };
      const reply = await client.send<Token>('POST', '/v2/refresh_token', { headers, body: '{{' });
      expect(reply.status).to.equal(200);
      for (const Origin of ['https://elsewhere.example', 'null', `${app.url}0`]) {
        const asked = { headers: { ...cookie(login.cookie), Origin } };
        expectRefused(await client.send('POST', '/v2/refresh_token', asked), 403, 'forbidden');
      }
    });

    it('gives each family, ten refreshes at once each, one successor', async () => {
      const count = runs(100);
      const logins = await Promise.all(Array.from({ length: count }, () => door.logIn()));
      const successors = await Promise.all(
        logins.map(async (login) => {
          const replies = await Promise.all(
            Array.from({ length: 10 }, () => door.refresh(login.cookie)),
          );
          expect(replies.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
          return new Set(replies.map((reply) => cookieOf(reply)?.get('refresh_token')));
        }),
      );
      expect(successors.map(({ size }) => size)).to.deep.equal(Array(count).fill(1));
      const last = [...(successors.at(-1) ?? [])][0] ?? '';
      expect((await door.refresh(last)).status).to.equal(200);
    });
  });

  describe('POST /logout', () => {
    const logOut = (headers: Readonly<Record<string, string>>) =>
      client.send('POST', '/v2/logout', { headers });

    it('ends the login of the cookie, or of the bearer token', async () => {
      const byCookie = await door.logIn();
      const byToken = await door.logIn();
      const reply = await logOut(cookie(byCookie.cookie));
      expect(reply.body).to.have.all.keys('message');
      expect(cookieOf(reply)?.get('Max-Age')).to.equal('0');
      expect((await logOut(bearer(byToken.token))).status).to.equal(200);
      for (const login of [byCookie, byToken]) {
        await dead(login.token);
        expect((await door.refresh(login.cookie)).status).to.equal(401);
      }
    });

    it('accepts the cookie along with a token that is no longer valid', async () => {
      const login = await door.logIn();
      expect((await logOut({ ...cookie(login.cookie), ...bearer('old') })).status).to.equal(200);
      await dead(login.token);
    });

    it('changes nothing for the token of a key', async () => {
      const key = await keys.make();
      const { body } = await client.send<Token>('POST', '/v2/login/api_key', {
        body: { api_key: key.api_key },
      });
      expect((await logOut(bearer(body.access_token))).status).to.equal(200);
      expect(await door.statusWith(body.access_token)).to.equal(200);
    });

    it('answers 401 without a credential, with another scheme, and for a repeat', async () => {
      expectRefused(await logOut({}), 401, 'unauthenticated');
      expectRefused(await logOut({ 'Service-API-Key': appKey }), 401, 'unauthenticated');
      expectRefused(await logOut(basic(adminEmail, appPassword)), 401, 'unauthenticated');
      const login = await door.logIn();
      await logOut(cookie(login.cookie));
      expectRefused(await logOut(cookie(login.cookie)), 401, 'invalid_credentials');
    });

    it('refuses pages of other hosts', async () => {
      const login = await door.logIn();
      const headers = { ...cookie(login.cookie), Origin: 'https://elsewhere.example' };
      expectRefused(await logOut(headers), 403, 'forbidden');
    });
  });
});
