import { createPublicKey, hash, randomUUID, type KeyObject } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { AccessClaims, AccessTokens } from '../../kernel/credentials.js';
import { deriveP256Key } from '../node/p256.js';
import { parseCompactJws } from '../node/compact-jws.js';
import type {
  ApiKeyId,
  FamilyId,
  Instant,
  OrganizationId,
  UserId,
} from '../../kernel/schema-types.js';

/** Contract 2.2, rule 2. */
const lifeSeconds = 86_400;
/** Key rotation: a key signs for 30 days and verifies for a day more. */
const keyLifeSeconds = 30 * 86_400;
const issuer = 'assay';
const audience = 'assay-api';
const type = 'at+jwt';
const algorithm = 'ES256';

/** Longest token read; ours are some 500 characters. */
const charactersMax = 2_048;
const keyIdForm = /^[0-9a-f]{16}$/;

/** Cache of verified tokens: a signature check costs the event loop some 0.1 ms. */
const verifiedTokensMax = 10_000;

type KeyPair = {
  readonly id: string;
  readonly private: KeyObject;
  readonly public: KeyObject;
};

/**
 * Access tokens, ES256 under keys derived from `seed` (32 bytes) and the date, so that every
 * process of an installation has the same keys and stores none. `clock` readings come with each
 * call.
 */
export const openAccessTokens = (seed: Uint8Array): AccessTokens => {
  const pairs = new Map<number, KeyPair>();
  const pairOf = (period: number): KeyPair => {
    const pair = pairs.get(period) ?? deriveKeyPair(seed, period);
    pairs.set(period, pair);
    return pair;
  };
  /**
   * Public key by id: the current one, that of the last day's tokens, or that of a process whose
   * clock is a little ahead.
   */
  const keyNamed = (id: string, now: number): KeyObject | null => {
    const periods = [now, now - lifeSeconds, now + skewSeconds].map(periodOf);
    for (const period of new Set(periods)) {
      const pair = pairOf(period);
      if (pair.id === id) return pair.public;
    }
    return null;
  };
  const checked = boundedMap<string, VerifiedToken>(verifiedTokensMax);

  return {
    issue: async ({ userId, organizationId, session }, now, until) => {
      const issued = secondsOf(now);
      const pair = pairOf(periodOf(issued));
      const expires = Math.min(issued + lifeSeconds, until === null ? Infinity : secondsOf(until));
      const { familyId, keyId } = session;
      const payload = {
        org: organizationId,
        sid: familyId ?? keyId,
        ...(keyId !== null && { key: keyId }),
        iss: issuer,
        aud: audience,
        sub: userId,
        iat: issued,
        exp: expires,
        jti: randomUUID(),
      };
      const header = { alg: algorithm, typ: type, kid: pair.id } as const;
      return jsonwebtoken.sign(payload, pair.private, { algorithm, header });
    },
    read: async (token, now) => {
      const seconds = secondsOf(now);
      const mark = tokenDigest(token);
      const known = checked.get(mark);
      if (known !== undefined) return known.expires <= seconds ? 'expired' : known.claims;
      const id = token.length <= charactersMax ? keyIdOf(token) : null;
      const key = id === null ? null : keyNamed(id, seconds);
      if (key === null) return null;
      try {
        const payload = jsonwebtoken.verify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience,
          clockTimestamp: seconds,
        });
        if (typeof payload === 'string' || !hasAll(payload)) return null;
        const claims = claimsOf(payload);
        checked.set(mark, { claims, expires: payload['exp'] });
        return claims;
      } catch (error) {
        return error instanceof jsonwebtoken.TokenExpiredError ? 'expired' : null;
      }
    },
  };
};

type SignedClaims = Readonly<Record<'sub' | 'org' | 'sid' | 'jti', string>> &
  Readonly<Record<'iat' | 'exp', number>> & { readonly key?: string };

/** Type check of the claims; the signature is ours, so every present member is what we set. */
const hasAll = (payload: object): payload is SignedClaims =>
  ['sub', 'org', 'sid', 'iat', 'exp', 'jti'].every((claim) => Object.hasOwn(payload, claim));

const skewSeconds = 60;
const secondsOf = (instant: Instant): number => Math.floor(Date.parse(instant) / 1_000);
const periodOf = (seconds: number): number => Math.floor(seconds / keyLifeSeconds);

const claimsOf = ({ sub, org, sid, key }: SignedClaims): AccessClaims => ({
  userId: sub as UserId,
  organizationId: org as OrganizationId,
  session:
    key === undefined
      ? { familyId: sid as FamilyId, keyId: null }
      : { familyId: null, keyId: key as ApiKeyId },
});

/** `kid` of a token in our form; trusts nothing in it. */
const keyIdOf = (token: string): string | null => {
  const { kid, alg, typ } = parseCompactJws(token)?.header ?? {};
  const isOurs = alg === algorithm && typ === type;
  return isOurs && typeof kid === 'string' && keyIdForm.test(kid) ? kid : null;
};

/** Derives the key pair of one period. */
const deriveKeyPair = (seed: Uint8Array, period: number): KeyPair => {
  const { private: own, jwk, point } = deriveP256Key(seed, `access token ${period}`);
  return {
    id: hash('sha256', point, 'hex').slice(0, 16),
    private: own,
    public: createPublicKey({ key: jwk, format: 'jwk' }),
  };
};

type VerifiedToken = { readonly claims: AccessClaims; readonly expires: number };

/** Digest under which a token is cached, so that no token is kept. */
const tokenDigest = (token: string): string => hash('sha256', token, 'base64');
