import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import type { AccessClaims } from '../../kernel/credentials.js';
import type { FamilyId, Instant } from '../../kernel/schema-types.js';
import { instantAfter } from '../support/test-log.js';
import { ecKey, hmacWith, jws, signerOf } from '../support/oidc-issuer.js';
import { keyId, organization, userId } from '../support/access-events.js';
import { cpuTime } from '../support/cpu-time.js';

const seed = Buffer.alloc(32, 5);
const day = 86_400;
const claims: AccessClaims = {
  userId: userId(1),
  organizationId: organization,
  session: { familyId: 'eeeeeeee-0000-4000-8000-000000000001' as FamilyId, keyId: null },
};
const now = instantAfter(0);
const partsOf = (token: string) =>
  token.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'));

describe('access tokens', () => {
  const tokens = openAccessTokens(seed);

  it('identify the user and expire after 24 hours', async () => {
    const token = await tokens.issue(claims, now, null);
    expect(await tokens.read(token, now)).to.deep.equal(claims);
    expect(await tokens.read(token, instantAfter(day - 1))).to.deep.equal(claims);
    expect(await tokens.read(token, instantAfter(day))).to.equal('expired');
    const [header = ''] = partsOf(token);
    expect(JSON.parse(header)).to.include({ alg: 'ES256', typ: 'at+jwt' });
  });

  it("carry their API key's id and expire with it", async () => {
    const ofKey = { ...claims, session: { familyId: null, keyId: keyId(1) } };
    const token = await tokens.issue(ofKey, now, instantAfter(60));
    expect(await tokens.read(token, instantAfter(59))).to.deep.equal(ofKey);
    expect(await tokens.read(token, instantAfter(60))).to.equal('expired');
  });

  it('verify in every process with the same secret key only', async () => {
    const token = await tokens.issue(claims, now, null);
    expect(await openAccessTokens(Buffer.from(seed)).read(token, now)).to.deep.equal(claims);
    expect(await openAccessTokens(randomBytes(32)).read(token, now)).to.equal(null);
  });

  it('rotate the signing key every 30 days; the previous one verifies for a day', async () => {
    const keyOf = (token: string) => (JSON.parse(partsOf(token)[0] ?? '') as { kid: string }).kid;
    const at = (days: number): Instant => instantAfter(days * day);
    const ids = await Promise.all(
      Array.from({ length: 61 }, async (_, days) =>
        keyOf(await tokens.issue(claims, at(days), null)),
      ),
    );
    const changes = ids.filter((one, index) => index > 0 && one !== ids[index - 1]);
    expect(changes).to.have.length(2);
    const lastDay = ids.findIndex((one) => one !== ids[0]) - 1;
    const token = await tokens.issue(claims, at(lastDay), null);
    const later = instantAfter(lastDay * day + day - 1);
    expect(await openAccessTokens(seed).read(token, later)).to.deep.equal(claims);
  });

  it('reject forged tokens within five milliseconds each', async () => {
    const good = await tokens.issue(claims, now, null);
    const [head = '', body = '', signature = ''] = good.split('.');
    const [header = '', payload = ''] = partsOf(good);
    const ours = JSON.parse(header) as object;
    const stranger = signerOf(ecKey('x'));
    const headed = (more: object) => jws({ ...ours, ...more }, payload, stranger);
    const more = (member: object) => ({ ...(JSON.parse(payload) as object), ...member });
    const forged: readonly string[] = [
      '',
      '.',
      '..',
      'x',
      `${head}.${body}`,
      `${head}.${body}.`,
      `${good}.x`,
      `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      jws({ ...ours, alg: 'none' }, payload),
      jws({ ...ours, alg: 'nOnE' }, payload),
      jws({ ...ours, alg: 'HS256' }, payload, hmacWith('secret')),
      jws({ ...ours, typ: 'JWT' }, payload, stranger),
      jws(header, more({ sub: userId(2) }), () => Buffer.from(signature, 'base64url')),
      jws(header, more({ exp: 1e12 }), stranger),
      headed({}),
      ...['../key', '/dev/null', '', null, 7, 'x'.repeat(1_900), '0'.repeat(16)].map((kid) =>
        headed({ kid }),
      ),
      headed({ jwk: ecKey('x').public.export({ format: 'jwk' }) }),
      headed({ jku: 'https://elsewhere.example/keys' }),
      headed({ x5u: 'https://elsewhere.example/keys' }),
      headed({ crit: ['b64'], b64: false }),
      headed({ crit: ['exp'] }),
      'a.'.repeat(8_000),
      `${head}.${'A'.repeat(65_536)}.${signature}`,
      '['.repeat(65_536),
    ];
    for (const token of forged) {
      const taken = cpuTime();
      let found = await tokens.read(token, now);
      let took = taken();
      for (let times = 0; times < 2; times += 1) {
        const again = cpuTime();
        found ??= await tokens.read(token, now);
        took = Math.min(took, again());
      }
      expect(found, token.slice(0, 80)).to.equal(null);
      expect(took, token.slice(0, 80)).to.be.lessThan(5);
    }
    expect(await tokens.read(good, now)).to.deep.equal(claims);
  });
});
