import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openIdentityTokens } from '../../engines/jose/identity-tokens.js';
import { readProviders } from '../../engines/jose/identity-providers.js';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import type { IdentityTokens } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { temporaryFolder } from '../support/folder.js';
import { forgeries } from '../support/forged-tokens.js';
import { testClock } from '../support/test-log.js';
import { ecKey, jws, rsaKey, signerOf, startIssuer, type Issuer } from '../support/oidc-issuer.js';
import { cpuTime } from '../support/cpu-time.js';

const answerWithinMs = 5;

describe('id_tokens', () => {
  let issuer: Issuer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let troubles: string[];
  let clock: ReturnType<typeof testClock>;
  beforeEach(async () => {
    issuer = await startIssuer();
    folder = await temporaryFolder();
    troubles = [];
    clock = testClock();
  });
  afterEach(async () => {
    await issuer.close();
    await folder.remove();
  });

  const opened = async (more: object = {}): Promise<IdentityTokens> => {
    const path = join(folder.dir, 'providers.json');
    const usual = { provider: 'okta', issuer: issuer.url, audience: issuer.clientId };
    const entry = { ...usual, jwks_uri: `${issuer.url}/keys`, ...more };
    await writeFile(path, JSON.stringify([entry]));
    return openIdentityTokens(await readProviders(diskFiles, path), {
      clock,
      onError: (_provider, error) => troubles.push(String(error)),
    });
  };
  const verdict = (tokens: IdentityTokens, token: string, provider = 'okta') =>
    tokens.verify(provider, token, systemClock.now());
  /** Null when it is refused. */
  const verify = async (tokens: IdentityTokens, token: string, provider = 'okta') => {
    const found = await verdict(tokens, token, provider);
    return 'refused' in found ? null : found;
  };
  const works = async (tokens: IdentityTokens, key = issuer.keys[0]): Promise<boolean> =>
    (await verify(tokens, issuer.token(issuer.claims(), key))) !== null;

  describe('valid tokens', () => {
    it('identify the user, by RS256 and ES256 by default', async () => {
      const tokens = await opened();
      for (const key of issuer.keys) {
        const identity = await verify(tokens, issuer.token(issuer.claims(), key));
        expect(identity).to.deep.include({
          issuer: issuer.url,
          subject: 'subject-1',
          email: 'ada@example.org',
        });
      }
      const pss = { ...rsaKey('pss', 2_048, { alg: undefined }), algorithm: 'PS256' } as const;
      issuer.keys.push(pss);
      expect(await works(await opened(), pss)).to.equal(false);
      expect(await works(await opened({ algorithms: ['PS256'] }), pss)).to.equal(true);
    });

    it('tolerate a minute of clock skew, extra members and several audiences', async () => {
      const tokens = await opened({ issuer: [issuer.url, 'https://other.example'] });
      const now = Math.floor(Date.now() / 1_000);
      for (const more of [
        { iat: now + 50, nbf: now + 50 },
        { exp: now - 50 },
        { iat: now - 640 },
        { aud: [issuer.clientId] },
        { aud: [issuer.clientId, 'another'], azp: issuer.clientId },
        { groups: ['a'], nonce: 'n' },
      ]) {
        const token = issuer.token(issuer.claims(more));
        expect(await verify(tokens, token), JSON.stringify(more)).not.to.equal(null);
      }
    });

    it('need no key id if the provider has one key of the algorithm', async () => {
      const tokens = await opened();
      const token = issuer.token(issuer.claims(), issuer.keys[0], { kid: undefined });
      expect(await verify(tokens, token)).not.to.equal(null);
    });

    it('vouch for an e-mail only if verified and of an allowed domain', async () => {
      const emailOf = async (more: object, config: object = {}) =>
        (await verify(await opened(config), issuer.token(issuer.claims(more))))?.email;
      for (const email_verified of [false, 'true', 1, undefined]) {
        expect(await emailOf({ email_verified })).to.equal(null);
      }
      expect(await emailOf({ email: undefined })).to.equal(null);
      expect(await emailOf({ email: ['ada@example.org'] })).to.equal(null);
      const only = { email_domains: ['Example.org'] };
      expect(await emailOf({}, only)).to.equal('ada@example.org');
      expect(await emailOf({ email: 'ada@sub.example.org' }, only)).to.equal(null);
      expect(await emailOf({ email: 'ada@example.org@evil.example' }, only)).to.equal(null);
    });

    it('have one digest for all encodings of their signature', async () => {
      const tokens = await opened();
      const [, key = ecKey('x')] = issuer.keys;
      const claims = issuer.claims();
      const once = async () => (await verify(tokens, issuer.token(claims, key)))?.singleUseDigests;
      // ECDSA draws a number each time, so these are two texts with one meaning.
      expect(await once()).to.deep.equal(await once());
    });

    it('require a nonce if configured', async () => {
      const tokens = await opened({ nonce: true });
      expect(await verify(tokens, issuer.token(issuer.claims()))).to.equal(null);
      expect(await verify(tokens, issuer.token(issuer.claims({ nonce: '' })))).to.equal(null);
      expect(await verify(tokens, issuer.token(issuer.claims({ nonce: 'n' })))).not.to.equal(null);
      const first = await verify(tokens, issuer.token(issuer.claims({ nonce: 'n'.repeat(16) })));
      const other = await verify(
        tokens,
        issuer.token(issuer.claims({ nonce: 'n'.repeat(16), jti: 'other' })),
      );
      expect(first?.singleUseDigests[0]).not.to.equal(other?.singleUseDigests[0]);
      expect(first?.singleUseDigests[1]).to.equal(other?.singleUseDigests[1]);
    });
  });

  describe('forged tokens', () => {
    it('are rejected within five milliseconds each', async () => {
      issuer.keys.push(rsaKey('rsa-2'));
      const tokens = await opened();
      expect(await works(tokens)).to.equal(true);
      const corpus = forgeries(issuer);
      expect(corpus.length).to.be.greaterThan(60);
      const slow: string[] = [];
      for (const [what, token] of corpus) {
        let best = Infinity;
        for (let times = 0; times < 3; times += 1) {
          const taken = cpuTime();
          expect(await verify(tokens, token), what).to.equal(null);
          best = Math.min(best, taken());
        }
        if (best >= answerWithinMs) slow.push(`${what}: ${best} ms`);
      }
      expect(slow).to.deep.equal([]);
      expect(await works(tokens)).to.equal(true);
    });

    it('are rejected for an unknown provider, whatever its name', async () => {
      const tokens = await opened();
      const token = issuer.token(issuer.claims());
      for (const name of ['google', 'custom', '__proto__', '']) {
        expect(await verify(tokens, token, name)).to.equal(null);
      }
    });

    it('report the failed check without token contents', async () => {
      const tokens = await opened({ nonce: true });
      const claims = issuer.claims({ nonce: 'once' });
      const because = async (token: string, provider?: string): Promise<string> => {
        const found = await verdict(tokens, token, provider);
        return 'refused' in found ? found.refused : 'good';
      };
      expect(await because(issuer.token(claims))).to.equal('good');
      expect(await because(issuer.token(claims), 'google')).to.include('not configured');
      expect(await because('x')).to.include('JWS');
      for (const [claim, more] of [
        ['iss', { iss: 'https://elsewhere.example' }],
        ['aud', { aud: 'hostile-audience' }],
        ['azp', { aud: [issuer.clientId, 'another'] }],
        ['nonce', { nonce: undefined }],
        ['exp', { exp: 1 }],
      ] as const) {
        const told = await because(issuer.token({ ...claims, ...more }));
        expect(told).to.include(claim).and.not.include('hostile');
      }
      const stranger = rsaKey('nobody-has-this');
      expect(await because(issuer.token(claims, stranger))).to.include('no key');
      const [known] = issuer.keys;
      const forged = issuer.token(claims, { ...rsaKey('x'), id: known?.id ?? '' });
      expect(await because(forged)).to.include('signature');
    });

    it('are rejected for a short key, another use, or another algorithm', async () => {
      const weak = [
        rsaKey('short', 1_024),
        rsaKey('enc', 2_048, { use: 'enc' }),
        rsaKey('ops', 2_048, { key_ops: ['encrypt'] }),
        rsaKey('other', 2_048, { alg: 'PS256' }),
      ];
      issuer.keys.push(...weak);
      const tokens = await opened();
      for (const key of weak) expect(await works(tokens, key), key.id).to.equal(false);
      expect(await works(tokens)).to.equal(true);
    });
  });

  describe('provider keys', () => {
    it('are fetched once, and again for a new key id', async () => {
      const tokens = await opened();
      for (let times = 0; times < 5; times += 1) expect(await works(tokens)).to.equal(true);
      expect(issuer.keyRequests()).to.equal(1);
      const fresh = rsaKey('rsa-9');
      issuer.keys.push(fresh);
      expect(await works(tokens, fresh)).to.equal(true);
      expect(issuer.keyRequests()).to.equal(2);
    });

    it('are fetched at most twice in 30 seconds for made-up ids', async () => {
      const tokens = await opened();
      const { algorithm, ...key } = issuer.keys[0] ?? rsaKey('x');
      const claims = issuer.claims();
      const signer = signerOf({ algorithm, ...key });
      const junk = signer('x');
      const made = Array.from({ length: 10_000 }, (_, index) =>
        jws({ alg: algorithm, kid: `made-up-${index}` }, claims, () => junk),
      );
      for (let at = 0; at < made.length; at += 100) {
        const found = await Promise.all(made.slice(at, at + 100).map((one) => verify(tokens, one)));
        expect(found.every((one) => one === null)).to.equal(true);
      }
      expect(issuer.keyRequests()).to.equal(2);
      clock.move(31);
      await verify(tokens, made[0] ?? '');
      expect(issuer.keyRequests()).to.equal(3);
    });

    it('are not fetched for tokens that cannot pass anyway', async () => {
      const tokens = await opened();
      for (const more of [{ iss: 'https://elsewhere.example' }, { aud: 'another' }]) {
        await verify(tokens, issuer.token(issuer.claims(more)));
      }
      expect(issuer.keyRequests()).to.equal(0);
    });

    it('are used for a day while the provider is down', async () => {
      const tokens = await opened();
      expect(await works(tokens)).to.equal(true);
      issuer.behave('down');
      clock.move(86_000);
      expect(await works(tokens)).to.equal(true);
      expect(troubles).to.have.length(1);
      clock.move(500);
      expect(await works(tokens)).to.equal(false);
      issuer.behave('well');
      clock.move(31);
      expect(await works(tokens)).to.equal(true);
    });

    it('are dropped within ten minutes after revocation', async () => {
      const tokens = await opened();
      const [first] = issuer.keys;
      expect(await works(tokens, first)).to.equal(true);
      issuer.keys.shift();
      clock.move(601);
      expect(await works(tokens, first)).to.equal(false);
    });

    for (const mood of ['down', 'redirecting', 'huge', 'nonsense'] as const) {
      it(`are missing while the provider is ${mood}`, async () => {
        issuer.behave(mood);
        expect(await works(await opened())).to.equal(false);
        expect(troubles).to.have.length(1);
      });
    }

    it('time out after three seconds', async () => {
      issuer.behave('slow');
      const [began, waited] = [performance.now(), idleAwareClock()];
      expect(await works(await opened())).to.equal(false);
      expect(performance.now() - began).to.be.at.least(2_900);
      expect(waited()).to.be.at.most(4_500);
    });

    it('come from a replaceable file or from the configuration', async () => {
      const set = async (): Promise<object> =>
        (await (await fetch(`${issuer.url}/keys`)).json()) as object;
      const path = join(folder.dir, 'keys.json');
      await writeFile(path, JSON.stringify(await set()));
      const tokens = await opened({ jwks_uri: undefined, jwks: 'keys.json' });
      expect(await works(tokens)).to.equal(true);
      const fresh = rsaKey('rsa-9');
      issuer.keys.push(fresh);
      await writeFile(path, JSON.stringify(await set()));
      expect(await works(tokens, fresh)).to.equal(true);
      expect(await works(await opened({ jwks_uri: undefined, jwks: await set() }))).to.equal(true);
    });
  });

  describe('providers file', () => {
    const refusal = async (text: string): Promise<string> => {
      const path = join(folder.dir, 'providers.json');
      await writeFile(path, text);
      try {
        await readProviders(diskFiles, path);
        return 'none';
      } catch (error) {
        return error instanceof Fault ? error.message : 'a defect';
      }
    };
    const entry = {
      provider: 'okta',
      issuer: 'https://idp.example',
      audience: 'assay',
      jwks_uri: 'https://idp.example/keys',
    };

    it('is rejected with the place of the error', async () => {
      const refused: readonly (readonly [unknown, RegExp])[] = [
        [{}, /the root/],
        [[{ ...entry, provider: 'nobody' }], /0\.provider/],
        [[{ ...entry, audiance: 'assay' }], /0\.audiance/],
        [[{ ...entry, issuer: undefined }], /0\.issuer/],
        [[{ ...entry, algorithms: ['HS256'] }], /0\.algorithms/],
        [[{ ...entry, algorithms: ['none'] }], /0\.algorithms/],
        [[{ ...entry, jwks: { keys: [] } }], /either jwks_uri or jwks/],
        [[{ ...entry, jwks_uri: undefined }], /either jwks_uri or jwks/],
        [[{ ...entry, jwks_uri: 'http://idp.example/keys' }], /https/],
        [[{ ...entry, jwks_uri: 'file:///etc/keys' }], /https/],
        [[{ ...entry, jwks_uri: 'keys' }], /https/],
        [[entry, entry], /okta twice/],
      ];
      for (const [value, why] of refused) {
        const said = await refusal(JSON.stringify(value));
        expect(said)
          .to.match(/ASSAY_IDENTITY_PROVIDERS/)
          .and.match(why);
      }
      expect(await refusal('[')).to.match(/not JSON/);
      expect(await refusal(JSON.stringify([entry]))).to.equal('none');
    });

    it('must exist', async () => {
      const missing = await readProviders(diskFiles, join(folder.dir, 'none.json')).catch(
        (error: unknown) => String(error),
      );
      expect(missing).to.match(/not there/);
    });
  });
});
