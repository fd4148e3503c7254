import { expect } from 'chai';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { socialLoginWrites } from '../../command-api/logins/social.js';
import { openCredentialRateLimit } from '../../command-api/access/credential-rate-limit.js';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import { openIdentityTokens } from '../../engines/jose/identity-tokens.js';
import { systemClock } from '../../engines/node/clock.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets } from '../../engines/node/secrets.js';
import { cpuTime } from '../support/cpu-time.js';
import { smallService } from '../support/small-service.js';
import { startApp, type App } from '../support/app.js';
import type { Client, Reply } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { forgeries } from '../support/forged-tokens.js';
import { expectInvalid, expectRefused } from '../support/key-ring.js';
import {
  adminEmail,
  bearer,
  cookieOf,
  openLoginClient,
  type LoginClient,
  type Token,
} from '../support/logins.js';
import { rsaKey, startIssuer, type Issuer } from '../support/oidc-issuer.js';
import { pollUntil } from '../support/poll-until.js';

type Me = { readonly id: string; readonly [member: string]: unknown };

describe('social login over HTTP', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let issuer: Issuer;
  let other: Issuer;
  let app: App;
  let door: LoginClient;
  let client: Client;

  /** Configures a provider as an operator does: finds the address of the keys, writes it down. */
  const configured = async (provider: string, { url, clientId }: Issuer) => {
    const found = await fetch(`${url}/.well-known/openid-configuration`);
    const { issuer: name, jwks_uri } = (await found.json()) as Readonly<Record<string, string>>;
    return { provider, issuer: name, audience: clientId, jwks_uri };
  };
  before(async () => {
    issuer = await startIssuer();
    other = await startIssuer();
    issuer.keys.push(rsaKey('rsa-2'));
    const providers = [
      await configured('okta', issuer),
      { ...(await configured('custom', other)), email_domains: ['example.com'], nonce: true },
    ];
    folder = await temporaryFolder();
    const path = join(folder.dir, 'providers.json');
    await writeFile(path, JSON.stringify(providers));
    app = await startApp(undefined, { ASSAY_IDENTITY_PROVIDERS: path });
    door = openLoginClient(app);
    client = door.anonymousClient();
  });
  after(async () => {
    door.close();
    await app.close();
    await issuer.close();
    await other.close();
    await folder.remove();
  });

  /** Logs in from an address of its own, so that failures are not counted together. */
  const logIn = (id_token: string, provider = 'okta', from?: string): Promise<Reply<Token>> =>
    client.send<Token>('POST', '/v2/login/social', {
      body: { id_token, provider },
      headers: { 'X-Forwarded-For': from ?? `10.${randomInt(256)}.${randomInt(256)}.9` },
    });
  const refused = (reply: Reply<unknown>): void => {
    expectRefused(reply, 401, 'invalid_credentials');
    expect(reply.body).to.include({ detail: 'Login failed' });
    expect(cookieOf(reply)).to.equal(null);
  };
  const me = async (token: string): Promise<Me> =>
    (await client.call<Me>('GET', '/v2/current_user', { headers: bearer(token) })).body;
  let subjects = 0;
  const somebody = (email: string, more: object = {}) => {
    subjects += 1;
    return issuer.claims({ sub: `subject-${subjects}`, email, ...more });
  };
  const invited = async (email: string, more: object = {}) => {
    const body = { emails: [email], auth_method: 'okta', ...more };
    await app.client.call('POST', '/v2/invite_users', { body });
    return email;
  };
  const newcomer = () => invited(`${randomUUID()}@example.org`);

  it('links the identity to the user of its verified e-mail, and knows it from then', async () => {
    const claims = somebody(adminEmail.toUpperCase());
    const first = await logIn(issuer.token(claims));
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    expect(first.body.token_type).to.equal('bearer');
    const user = await me(first.body.access_token);
    expect(user).to.include({ email: adminEmail, email_is_verified: true, role: 'admin' });
    const later = { ...claims, jti: 'later', email: 'moved@example.org', email_verified: false };
    expect((await me((await logIn(issuer.token(later))).body.access_token)).id).to.equal(user.id);
  });

  it('gives a refresh cookie like every login', async () => {
    const reply = await logIn(issuer.token(somebody(await newcomer())));
    const value = cookieOf(reply)?.get('refresh_token') ?? '';
    const renewed = await door.refresh(value);
    expect(renewed.status).to.equal(200);
    expect(await door.statusWith(renewed.body.access_token)).to.equal(200);
  });

  it('logs in an invited user, in the role of the invitation', async () => {
    const email = await invited(`${randomUUID()}@example.org`, { role: 'auditor' });
    const reply = await logIn(issuer.token(somebody(email)));
    const user = await me(reply.body.access_token);
    expect(user).to.include({ email, role: 'auditor', auth_method: 'okta' });
    const change = { current_password: 'x'.repeat(12), new_password: 'y'.repeat(12) };
    const asked = { headers: bearer(reply.body.access_token), body: change };
    expectRefused(await client.send('PUT', '/v2/current_user/password', asked), 403, 'forbidden');
  });

  it('accepts a token once, even when it is sent twice at the same time', async () => {
    const token = issuer.token(somebody(await newcomer()));
    const replies = await Promise.all([logIn(token), logIn(token), logIn(token)]);
    expect(replies.map(({ status }) => status)).to.have.members([200, 401, 401]);
    refused(await logIn(token));
  });

  it('accepts a nonce once where the configuration requires one', async () => {
    const email = await invited(`${randomUUID()}@example.com`);
    const token = (jti: string) => other.token(other.claims({ email, nonce: 'n'.repeat(20), jti }));
    expect((await logIn(token('1'), 'custom')).status).to.equal(200);
    refused(await logIn(token('2'), 'custom'));
  });

  it('makes no user, and trusts no e-mail that is unverified or not the provider’s', async () => {
    refused(await logIn(issuer.token(somebody(`${randomUUID()}@example.org`))));
    for (const email_verified of [false, 'true', undefined]) {
      refused(await logIn(issuer.token(somebody(adminEmail, { email_verified }))));
    }
    const foreign = other.claims({ sub: 's', email: await newcomer(), nonce: 'n'.repeat(21) });
    refused(await logIn(other.token(foreign), 'custom'));
    // U+212A looks like k and becomes one in lower case.
    const email = await invited(`k-${randomUUID()}@example.org`);
    refused(await logIn(issuer.token(somebody(email.replace('k-', '\u212a-')))));
  });

  it('keeps an identity with the user it was linked to', async () => {
    const claims = somebody(await newcomer());
    const { id } = await me((await logIn(issuer.token(claims))).body.access_token);
    const next = { ...claims, email: await newcomer(), jti: 'next' };
    expect((await me((await logIn(issuer.token(next))).body.access_token)).id).to.equal(id);
    await app.client.call('DELETE', `/v2/users/${id}`);
    refused(await logIn(issuer.token({ ...claims, jti: 'removed' })));
  });

  it('ends with the user: tokens die within a second', async () => {
    const reply = await logIn(issuer.token(somebody(await newcomer())));
    const { id } = await me(reply.body.access_token);
    await app.client.call('DELETE', `/v2/users/${id}`);
    await pollUntil('the token is dead', 1_000, async () => {
      return (await door.statusWith(reply.body.access_token)) === 401;
    });
    const renewed = await door.refresh(cookieOf(reply)?.get('refresh_token') ?? '');
    expectRefused(renewed, 401, 'invalid_credentials');
  });

  it('answers the same to every forged token, in five milliseconds at most', async () => {
    const corpus = forgeries(issuer).filter(([, token]) => token.length <= 16_384);
    expect(corpus.length).to.be.greaterThan(60);
    const times: number[] = [];
    for (const [what, token] of corpus) {
      const taken = cpuTime();
      const reply = await logIn(token);
      times.push(taken());
      expect(reply.status, what).to.equal(401);
      refused(reply);
    }
    // Each alone is in test/engines/identity-tokens.test.ts: here the way to it and back.
    expect(Math.min(...times)).to.be.lessThan(5);
  });

  it('answers the same for a provider that is not configured, or no id_token', async () => {
    refused(await logIn(issuer.token(somebody(adminEmail)), 'google'));
    refused(await logIn(issuer.token(somebody(adminEmail)), 'custom'));
    const body = { provider: 'okta', access_token: 'x' };
    refused(await door.anonymousClient().send('POST', '/v2/login/social', { body }));
  });

  it('answers 422 for an unknown provider name, and for tokens out of bounds', async () => {
    expectInvalid(await logIn('x', 'nobody'), ['body', 'provider'], 'enum');
    expectInvalid(await logIn(''), ['body', 'id_token'], 'string_too_short');
    expectInvalid(await logIn('x'.repeat(16_385)), ['body', 'id_token'], 'string_too_long');
    const nothing = await client.send('POST', '/v2/login/social', { body: { provider: 'okta' } });
    expectInvalid(nothing, ['body', 'id_token'], 'missing', 'Field required');
    const body = { id_token: null, access_token: 'x', provider: 'okta' };
    const none = await client.send('POST', '/v2/login/social', { body });
    expectInvalid(none, ['body', 'id_token'], 'string_type');
  });

  it('refuses pages of other hosts', async () => {
    const ask = {
      body: { provider: 'okta', id_token: 'x' },
      headers: { Origin: 'https://a.example' },
    };
    expectRefused(await client.send('POST', '/v2/login/social', ask), 403, 'forbidden');
  });

  it('reports the failed check to the operator only', async () => {
    const clock = systemClock;
    const secrets = openSecrets(randomBytes(32));
    const small = await smallService((log) =>
      socialLoginWrites({
        log,
        ids: randomIds,
        rateLimit: openCredentialRateLimit(clock),
        identityTokens: openIdentityTokens([], { clock, onError: () => undefined }),
        tokens: openAccessTokens(secrets.accessTokenSeed),
        secrets,
      }),
    );
    const token = issuer.token(somebody('ada@example.org'));
    const id = randomUUID();
    const reply = await small.as(null).send('POST', '/v2/login/social', {
      body: { id_token: token, provider: 'okta' },
      headers: { 'X-Request-Id': id },
    });
    refused(reply);
    const [line = ''] = small.lines.filter((one) => one.includes('not configured'));
    expect(JSON.parse(line)).to.deep.include({
      level: 40,
      request_id: id,
      operation: 'socialLogin',
      cause: 'login with okta: the provider is not configured',
    });
    expect(small.lines.join('')).not.to.include(token).and.not.to.include('ada@example.org');
    await small.close();
  });

  it('counts failures for the address alone', async () => {
    const statuses: number[] = [];
    // Tries come back with time: on a slow machine a few more than 30 are judged.
    while (statuses.length < 100 && statuses.at(-1) !== 429) {
      statuses.push((await logIn('x', 'okta', '10.9.9.9')).status);
    }
    expect(statuses.slice(0, 30)).to.deep.equal(Array(30).fill(401));
    expect(statuses.at(-1)).to.equal(429);
    const email = await newcomer();
    expect((await logIn(issuer.token(somebody(email)), 'okta', '10.9.9.9')).status).to.equal(200);
  });

  it('leaves the users in the read model as the log has them', async () => {
    await app.untilCaughtUp();
    const [verified] = await app.projector.verify('user_list');
    expect(verified?.difference, JSON.stringify(verified)).to.equal(null);
  });
});
