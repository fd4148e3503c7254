import { expect } from 'chai';
import { logStart } from '../../kernel/ports.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { appPassword, startApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import {
  adminEmail,
  basic,
  bearer,
  openLoginClient,
  type LoginClient,
  type Token,
} from '../support/logins.js';
import { pollUntil } from '../support/poll-until.js';

// The admin's password changes here, so it is an admin that no other test has.
describe('changing the password over HTTP', () => {
  let app: App;
  let door: LoginClient;
  let client: Client;
  before(async () => {
    app = await startApp();
    door = openLoginClient(app);
    client = door.anonymousClient();
  });
  after(async () => {
    door.close();
    await app.close();
  });
  const change = (
    headers: Readonly<Record<string, string>>,
    current_password: string,
    new_password: string,
  ) =>
    client.send('PUT', '/v2/current_user/password', {
      headers,
      body: { current_password, new_password },
    });
  const second = 'the second password';
  const third = 'the third password, 🔑';

  it('ends every other login, and lets the new password in at once', async () => {
    const mine = await door.logIn();
    const other = await door.logIn();
    const reply = await change(bearer(mine.token), appPassword, second);
    expect(reply.body).to.have.all.keys('message');
    await pollUntil('the other login is dead', 1_000, async () => {
      return (await door.statusWith(other.token)) === 401;
    });
    expect((await door.refresh(other.cookie)).status).to.equal(401);
    expect((await door.refresh(mine.cookie)).status).to.equal(200);
    expect(await door.statusWith(mine.token)).to.equal(200);
    const old = { headers: basic(adminEmail, appPassword) };
    expectRefused(await client.send('GET', '/v2/projects', old), 401, 'invalid_credentials');
    expect(await door.statusWith((await door.logIn(adminEmail, second)).token)).to.equal(200);
  });

  it('works with Basic, which ends all logins', async () => {
    const login = await door.logIn(adminEmail, second);
    expect((await change(basic(adminEmail, second), second, third)).status).to.equal(200);
    expect((await door.refresh(login.cookie)).status).to.equal(401);
    expect((await door.logIn(adminEmail, third)).token).to.be.a('string');
  });

  it('answers 422 for a wrong current password and for one too short or too long', async () => {
    const headers = basic(adminEmail, third);
    expectInvalid(
      await change(headers, 'not this password', second),
      ['body', 'current_password'],
      'value_error',
    );
    expectInvalid(await change(headers, third, 'x'.repeat(11)), loc, 'string_too_short');
    expectInvalid(await change(headers, third, 'x'.repeat(129)), loc, 'string_too_long');
  });
  const loc = ['body', 'new_password'];

  it('counts wrong current passwords as failures', async () => {
    const { token } = await door.logIn(adminEmail, third);
    const asked = [];
    for (let times = 0; times < 6; times += 1) {
      asked.push((await change(bearer(token), 'not this password', second)).status);
    }
    expect(asked.at(-1)).to.equal(429);
    expect(asked[0]).to.equal(422);
  });

  it('is refused to keys, and to tokens issued for a key', async () => {
    const reply = await client.send<Token>('POST', '/v2/login/api_key', {
      body: { api_key: app.apiKey },
    });
    const byToken = await change(bearer(reply.body.access_token), third, second);
    expectRefused(byToken, 403, 'forbidden');
    const byKey = await change({ 'Service-API-Key': app.apiKey }, third, second);
    expectRefused(byKey, 401, 'unauthenticated');
  });

  it('leaves no password and no token in the log', async () => {
    const login = await door.logIn(adminEmail, third);
    const log = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    const text = JSON.stringify((await log.reader.page(logStart, 1_000)).events);
    await log.close();
    expect(text).to.include('PasswordChanged').and.include('RefreshFamilyStarted');
    for (const secret of [appPassword, second, third, login.token, login.cookie, app.apiKey]) {
      expect(text).not.to.include(secret);
    }
  });
});
