import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { canaries, type Canaries } from '../support/canaries.js';
import { clientOf, type Ask, type Reply } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { integrationBodies } from '../support/integration-bodies.js';
import { adminEmail, basic, cookie, cookieOf, form, type Token } from '../support/logins.js';
import { startIssuer, type Issuer } from '../support/oidc-issuer.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';

/** Answers as they came, status and headers too, to be looked through afterwards. */
type Heard = { readonly said: () => Buffer };

const listening = (service: ServiceProcess) => {
  const replies: string[] = [];
  const heard: Heard = { said: () => Buffer.from(replies.join('\n')) };
  const ask = async (method: string, path: string, sent: Ask = {}): Promise<number> => {
    const { status, headers, body } = await service.client.send(method, path, sent);
    replies.push(JSON.stringify([status, headers, body]));
    return status;
  };
  return { ...heard, ask };
};

/** Every way in which a secret can come to the service, accepted or not. */
const sendSecrets = async (service: ServiceProcess, planted: Canaries) => {
  const { ask, said } = listening(service);
  const put = (provider: string, sent: Ask) => ask('PUT', `/v2/integrations/${provider}`, sent);
  for (const round of ['first', 'replaced']) {
    const bodies = integrationBodies((where) => planted.plant(`${round} ${where}`));
    for (const [provider, body] of Object.entries(bodies)) {
      expect(await put(provider, { body }), provider).to.equal(200);
      await ask('GET', `/v2/integrations/${provider}`);
    }
  }
  const wrong = (place: string) => ({ organization_id: 5, token: planted.plant(place) });
  expect(await put('writer', { body: wrong('refused by the guard') })).to.equal(422);
  expect(await put('palm', { body: wrong('of no provider') })).to.equal(404);
  expect(await put('aws_bedrock', { body: { token: planted.plant('of another type') } })).to.equal(
    422,
  );
  const nested = { token: { aws_access_key_id: planted.plant('half a key') } };
  expect(await put('aws_bedrock', { body: nested })).to.equal(422);
  const surplus = { ...wrong('x'), organization_id: 'a', surplus: planted.plant('of no name') };
  expect(await put('writer', { body: surplus })).to.equal(200);
  expect(await put('writer', { body: `{"token":"${planted.plant('broken JSON')}"` })).to.equal(422);
  const text = { 'Content-Type': 'text/plain' };
  expect(await put('writer', { body: planted.plant('other media'), headers: text })).to.equal(415);
  const zipped = gzipSync(JSON.stringify(wrong('zipped')));
  const gzip = { 'Content-Encoding': 'gzip' };
  expect(await put('writer', { body: zipped, headers: gzip })).to.equal(422);
  expect(await put('writer', { body: zipped.subarray(0, 30), headers: gzip })).to.equal(400);
  const etag = { 'If-Match': `"${planted.plant('a tag')}"` };
  expect(await put('writer', { body: wrong('under a tag'), headers: etag })).to.equal(422);
  expect(await ask('GET', `/v2/integrations/${planted.plant('in the path')}`)).to.equal(404);
  expect(await ask('GET', `/v2/integrations?token=${planted.plant('in the query')}`)).to.equal(200);
  await ask('DELETE', '/v2/integrations/openai');
  await ask('GET', '/v2/integrations');
  return said;
};

/** Credentials that are wrong, and a key of one's own making. */
const sendCredentials = async (service: ServiceProcess, planted: Canaries): Promise<Buffer> => {
  const nobody = { ...service, client: clientOf({ url: service.url, apiKey: null }) };
  const { ask, said } = listening(nobody);
  const greet = (headers: Record<string, string>) =>
    ask('GET', '/v2/current_user/groups', { headers });
  const basic = Buffer.from(`admin@localhost:${planted.plant('a password')}`).toString('base64');
  await greet({ 'Service-API-Key': planted.plant('a key') });
  await greet({ 'Service-API-Key': `asy_${planted.plant('an own key')}` });
  await greet({ Authorization: `Bearer ${planted.plant('a token')}` });
  await greet({ Authorization: `Basic ${basic}` });
  await greet({ Cookie: `refresh_token=${planted.plant('a cookie')}` });
  const api_key = planted.plant('a key that works');
  await service.client.call('POST', '/v2/users/api_keys', {
    body: { description: 'own', api_key },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  const answer = await clientOf({ url: service.url, apiKey: api_key }).send('GET', '/v2/projects');
  expect(answer.status).to.equal(200);
  nobody.client.close();
  return said();
};

/** Logs in by password and by id_token; what that gives is not said again either. */
const sendLogins = async (
  service: ServiceProcess,
  planted: Canaries,
  { issuer, password }: { readonly issuer: Issuer; readonly password: string },
): Promise<void> => {
  const nobody = clientOf({ url: service.url, apiKey: null });
  const learn = (how: string, reply: Reply<Token>): string => {
    expect(reply.status, `${how}: ${JSON.stringify(reply.body)}`).to.equal(200);
    const refresh = cookieOf(reply)?.get('refresh_token') ?? '';
    planted.register(`the access token of ${how}`, reply.body.access_token);
    planted.register(`the refresh token of ${how}`, refresh);
    return refresh;
  };
  const sent = { username: adminEmail, password };
  const first = learn('a password', await form(nobody, '/v2/login', sent));
  const again = { headers: cookie(first) };
  learn('a refresh', await nobody.send<Token>('POST', '/v2/refresh_token', again));
  const greeted = { headers: basic(adminEmail, password) };
  expect((await nobody.send('GET', '/v2/projects', greeted)).status).to.equal(200);
  const invited = { emails: ['ada@example.org'], auth_method: 'okta' };
  await nobody.call('POST', '/v2/invite_users', { ...greeted, body: invited });
  for (const [what, more] of [
    ['an id_token', {}],
    ['an id_token of nobody', { sub: 'another', email: 'nobody@example.org' }],
  ] as const) {
    const id_token = issuer.token(issuer.claims(more));
    planted.register(what, id_token);
    planted.register(`the signature of ${what}`, id_token.split('.')[2]?.slice(0, 40) ?? '');
    const body = { provider: 'okta', id_token };
    const reply = await nobody.send<Token>('POST', '/v2/login/social', { body });
    if (what === 'an id_token') learn(what, reply);
    else expect(reply.status).to.equal(401);
  }
  const made = await nobody.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
    ...greeted,
    body: { description: 'minted' },
  });
  planted.register('a minted key', made.body.api_key);
  nobody.close();
};

/** A configuration of one provider, in a file below the folder. */
const providerOf = async ({ url, clientId }: Issuer, dir: string): Promise<string> => {
  const path = join(dir, 'providers.json');
  const okta = { provider: 'okta', issuer: url, audience: clientId, jwks_uri: `${url}/keys` };
  await writeFile(path, JSON.stringify([okta]));
  return path;
};

describe('secrets of requests', function () {
  it('are in no byte of the data folder, temporary files, logs and responses', async () => {
    const folder = await temporaryFolder();
    const scratch = await temporaryFolder();
    const issuer = await startIssuer();
    const planted = canaries();
    const inClear = planted.plant('no secret, for the scan to find');
    const password = planted.plant('the password of the first admin');
    try {
      const env = {
        ASSAY_LOG_LEVEL: 'debug',
        ASSAY_BOOTSTRAP_PASSWORD: password,
        ASSAY_IDENTITY_PROVIDERS: await providerOf(issuer, scratch.dir),
        TMPDIR: scratch.dir,
      };
      const service = await startService({ dir: folder.dir, env, linesMax: Infinity });
      await sendLogins(service, planted, { issuer, password });
      const said = await sendSecrets(service, planted);
      const alsoSaid = await sendCredentials(service, planted);
      const visible = { token: 'x', hostname: `https://${inClear}.example` };
      await service.client.call('PUT', '/v2/integrations/nvidia', { body: visible });
      const rotated = await runAssay(folder.dir, 'keys', 'rotate', '--json');
      expect(rotated.code, rotated.output).to.equal(0);
      const inspected = await runAssay(
        folder.dir,
        'inspect',
        'events',
        '--limit',
        '1000',
        '--json',
      );
      const ops = await fetch(`${service.opsUrl}/metrics`).then((reply) => reply.text());
      const whileUp = await planted.foundBelow(folder.dir);
      await service.stop();
      const heard = [said(), alsoSaid, service.output(), rotated.output, ops]
        .flatMap((one) => planted.foundIn(Buffer.from(one)))
        .filter((place) => place !== 'no secret, for the scan to find');
      expect(heard).to.deep.equal([]);
      expect(planted.foundIn(Buffer.from(inspected.output))).to.not.include('first writer');
      const onDisk = [
        ...whileUp,
        ...(await planted.foundBelow(folder.dir)),
        ...(await planted.foundBelow(scratch.dir)),
      ];
      const found = onDisk.filter((one) => one.startsWith('no secret'));
      expect(found, 'the scan finds what is there').to.not.deep.equal([]);
      expect(onDisk.filter((one) => !one.startsWith('no secret'))).to.deep.equal([]);
    } finally {
      await issuer.close();
      await scratch.remove();
      await folder.remove();
    }
  });

  it('are resealed by a key rotation without a running service', async () => {
    const folder = await temporaryFolder();
    try {
      const service = await startService({ dir: folder.dir });
      const body = { organization_id: 'account', token: 'secret' };
      await service.client.call('PUT', '/v2/integrations/writer', { body });
      await service.stop();
      const { code, output } = await runAssay(folder.dir, 'keys', 'rotate');
      expect(code, output).to.equal(0);
      expect(output).to.match(/sealed anew: 1; old data keys destroyed: 0\n.*kept until the next/);
      const again = await runAssay(folder.dir, 'keys', 'rotate');
      expect(again.output).to.match(/sealed anew: 1; old data keys destroyed: 1/);
      expect(again.output).not.to.include('kept until');
    } finally {
      await folder.remove();
    }
  });
});
