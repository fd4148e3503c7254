import { randomBytes, randomUUID } from 'node:crypto';
import type { Scheme } from '../../contract/operation.js';
import { encodeApiKey } from '../../engines/node/secrets.js';
import { basic, bearer, openLoginClient, type Token } from './logins.js';
import { pollUntil } from './poll-until.js';
import type { TwoOrganizations } from './two-organizations.js';

export const password = 'correct horse battery staple';

/** Scheme, defect, headers, and the expected code. */
type BadCredential = readonly [Scheme, string, Readonly<Record<string, string>>, string];
const malformed: BadCredential = [
  'P',
  'malformed Basic',
  { Authorization: 'Basic !!!' },
  'invalid_credentials',
];
/** Tokens that were valid: of a revoked key, an expired one, and an ended login. */
const deadTokens = async (
  { app }: TwoOrganizations,
  make: (body: object) => Promise<{ readonly id: string; readonly api_key: string }>,
  expires_at: string,
): Promise<readonly BadCredential[]> => {
  const door = openLoginClient(app);
  const [revoked, expired] = [
    await make({ description: 'revoked' }),
    await make({ description: 'expired', expires_at }),
  ];
  const tokens = [];
  for (const { api_key } of [revoked, expired]) {
    const asked = { body: { api_key } };
    const { body } = await door.anonymousClient().call<Token>('POST', '/v2/login/api_key', asked);
    tokens.push(bearer(body.access_token));
  }
  const [ofRevoked = {}, ofExpired = {}] = tokens;
  await app.client.call('DELETE', `/v2/users/api_keys/${revoked.id}`);
  const ended = bearer((await door.logIn()).token);
  await door.anonymousClient().call('POST', '/v2/logout', { headers: ended });
  door.close();
  return [
    ['B', 'token of a revoked key', ofRevoked, 'invalid_credentials'],
    ['B', 'token of an expired key', ofExpired, 'token_expired'],
    ['B', 'token of a login that ended', ended, 'invalid_credentials'],
  ];
};

/** Invalid credentials for the operation of this index: failures count by subject. */
export const badCredentials = async (
  cast: TwoOrganizations,
  operationCount: number,
): Promise<(index: number) => readonly BadCredential[]> => {
  const { as } = cast.ours.admin;
  const sets = Math.ceil(operationCount / 3);
  const values: { revoked: string; expired: string }[] = [];
  let last = 0;
  const make = async (body: object) =>
    (await as.call<{ id: string; api_key: string }>('POST', '/v2/users/api_keys', { body })).body;
  for (let set = 0; set < sets; set += 1) {
    const revoked = await make({ description: 'revoked' });
    await as.call('DELETE', `/v2/users/api_keys/${revoked.id}`);
    last = Date.now() + 1_500;
    const expires_at = new Date(last).toISOString();
    const expired = await make({ description: 'expired', expires_at });
    values.push({ revoked: revoked.api_key, expired: expired.api_key });
  }
  const tokens = await deadTokens(cast, make, new Date(last).toISOString());
  await pollUntil('the keys are past their time', 10_000, async () => Date.now() > last);
  const header = (key: string) => ({ 'Service-API-Key': key });
  return (index) => {
    const { revoked = '', expired = '' } = values[index % sets] ?? {};
    const token = bearer(`${randomBytes(12).toString('base64url')}.e30.x`);
    return [
      ['K', 'unknown key', header(encodeApiKey(randomBytes(32))), 'invalid_credentials'],
      ['K', 'malformed key', header(`asy_${randomUUID()}`), 'invalid_credentials'],
      ['K', 'revoked key', header(revoked), 'invalid_credentials'],
      ['K', 'expired key', header(expired), 'token_expired'],
      ['B', 'malformed token', token, 'invalid_credentials'],
      ...tokens,
      ['P', 'unknown user', basic(`${randomUUID()}@example.org`, password), 'invalid_credentials'],
      // It names no user, and failures without one have a limit in a minute.
      ...(index < 4 ? [malformed] : []),
    ];
  };
};
