import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { appKey, appPassword, sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import {
  adminEmail,
  basic,
  bearer,
  openLoginClient,
  form,
  type LoginClient,
} from '../support/logins.js';

describe('authentication over HTTP', () => {
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

  describe('GET /current_user', () => {
    type Me = {
      readonly permissions: readonly { readonly action: string; readonly allowed: boolean }[];
      readonly [member: string]: unknown;
    };
    const me = (headers: Readonly<Record<string, string>>) =>
      client.send<Me>('GET', '/v2/current_user', { headers });

    it('answers the caller, or the creator of a key or of its token', async () => {
      const { token } = await door.logIn();
      const byToken = await me(bearer(token));
      expect(byToken.body).to.include({
        email: adminEmail,
        role: 'admin',
        auth_method: 'email',
        organization_name: 'default',
      });
      expect(byToken.body['generic_permissions']).to.deep.equal([]);
      expect(byToken.body.permissions.map(({ action }) => action)).to.deep.equal([
        'update',
        'delete',
        'read_api_keys',
        'change_role_to_admin',
        'change_role_to_manager',
        'change_role_to_user',
        'change_role_to_read_only',
        'change_role_to_auditor',
      ]);
      for (const headers of [{ 'Service-API-Key': appKey }, basic(adminEmail, appPassword)]) {
        const { credential, ...user } = (await me(headers)).body;
        expect({ ...user, credential: byToken.body['credential'] }).to.deep.equal(byToken.body);
        expect(credential).not.to.deep.equal(byToken.body['credential']);
      }
    });

    it('names the credential of the request, with the limits of a key', async () => {
      const credentialOf = async (headers: Readonly<Record<string, string>>) =>
        (await me(headers)).body['credential'];
      const { token } = await door.logIn();
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
        readonly sid: string;
      };
      const person = { project_id: null, project_role: null };
      expect(await credentialOf(bearer(token))).to.deep.equal({
        type: 'login',
        id: claims.sid,
        ...person,
      });
      expect(await credentialOf(basic(adminEmail, appPassword))).to.deep.equal({
        type: 'password',
        id: null,
        ...person,
      });
      const project = await keys.project(`credential ${randomUUID()}`);
      const key = await keys.make({ project_id: project, project_role: 'editor' });
      const ofKey = {
        type: 'api_key',
        id: key.id,
        project_id: project,
        project_role: 'editor',
      };
      const headers = { 'Service-API-Key': key.api_key };
      expect(await credentialOf(headers)).to.deep.equal(ofKey);
      const exchanged = await client.call<{ access_token: string }>('POST', '/v2/login/api_key', {
        body: { api_key: key.api_key },
      });
      expect(await credentialOf(bearer(exchanged.body.access_token))).to.deep.equal(ofKey);
    });

    it('allows a bound key nothing about its creator', async () => {
      const project = await keys.project(`me ${randomUUID()}`);
      const key = await keys.make({ project_id: project });
      const { body } = await me({ 'Service-API-Key': key.api_key });
      expect(body).to.include({ email: adminEmail });
      expect(body.permissions.filter(({ allowed }) => allowed)).to.deep.equal([]);
    });

    it('answers 401 without a credential', async () => {
      expectRefused(await me({}), 401, 'unauthenticated');
    });
  });

  describe('credentials', () => {
    const projects = (headers: Readonly<Record<string, string>>) =>
      client.send('GET', '/v2/projects', { headers });

    it('are a key, a bearer token, or an e-mail with its password', async () => {
      const { token } = await door.logIn();
      for (const headers of [
        { 'Service-API-Key': appKey },
        bearer(token),
        basic(adminEmail, appPassword),
        basic(adminEmail.toUpperCase(), appPassword),
      ]) {
        expect((await projects(headers)).status).to.equal(200);
      }
    });

    it('are refused with 401 where the operation does not list them, even when right', async () => {
      const project = await keys.project(`schemes ${randomUUID()}`);
      const path = `/v2/projects/${project}/sessions/available_columns`;
      const reply = await client.send('POST', path, { headers: basic(adminEmail, appPassword) });
      expectRefused(reply, 401, 'unauthenticated');
      expect(reply.headers['www-authenticate']).to.equal('Basic realm="assay", charset="UTF-8"');
      const { token } = await door.logIn();
      expect((await client.send('POST', path, { headers: bearer(token) })).status).to.equal(200);
    });

    it('are refused when two are sent', async () => {
      const { token } = await door.logIn();
      const both = { 'Service-API-Key': appKey, ...bearer(token) };
      expectRefused(await projects(both), 401, 'ambiguous_credentials');
    });

    it('are answered with what was wrong, in WWW-Authenticate', async () => {
      const challenge = async (headers: Readonly<Record<string, string>>) =>
        (await projects(headers)).headers['www-authenticate'];
      expect(await challenge({})).to.equal('Bearer realm="assay"');
      expect(await challenge(bearer('x'))).to.equal('Bearer realm="assay", error="invalid_token"');
      expect(await challenge(basic('a', 'b'))).to.equal('Basic realm="assay", charset="UTF-8"');
    });
  });

  describe('failures', () => {
    const fails = (from: Client, username: string) =>
      form(from, '/v2/login', { username, password: 'not this password' });

    it('answer 429 from the sixth on for one e-mail, from any address', async () => {
      const stranger = `${randomUUID()}@example.org`;
      for (let times = 0; times < 5; times += 1) {
        expectRefused(await fails(door.anonymousClient(), stranger), 401, 'invalid_credentials');
      }
      const reply = await fails(door.anonymousClient(), stranger.toUpperCase());
      expectRefused(reply, 429, 'too_many_requests');
      expect(Number(reply.headers['retry-after'])).to.be.within(1, 60);
      const byBasic = { headers: basic(stranger, 'x') };
      expectRefused(await client.send('GET', '/v2/projects', byBasic), 429, 'too_many_requests');
    });

    it('answer 429 from the sixth on for one key', async () => {
      const key = { 'Service-API-Key': `${randomUUID()}${randomUUID()}` };
      const statuses = [];
      for (let times = 0; times < 7; times += 1) {
        const asked = await door.anonymousClient().send('GET', '/v2/projects', { headers: key });
        statuses.push(asked.status);
      }
      expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    });

    it('answer 429 from the 31st on for one address, except to a right credential', async () => {
      const busy = door.anonymousClient();
      const replies = await Promise.all(
        Array.from({ length: 34 }, () => fails(busy, `${randomUUID()}@example.org`)),
      );
      const count = (status: number) => replies.filter((one) => one.status === status).length;
      expect([count(401), count(429)]).to.deep.equal([30, 4]);
      const { token } = await door.logIn();
      for (const headers of [{ 'Service-API-Key': appKey }, bearer(token)]) {
        expect((await busy.send('GET', '/v2/projects', { headers })).status).to.equal(200);
      }
    });

    it('count when simultaneous like failures one after the other', async () => {
      const stranger = `${randomUUID()}@example.org`;
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => fails(door.anonymousClient(), stranger)),
      );
      expect(replies.filter(({ status }) => status === 401)).to.have.length(5);
    });
  });
});
