import { hash } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { Identity, IdentityTokens, TokenRejection } from '../../kernel/credentials.js';
import type { Clock } from '../../kernel/ports.js';
import { identityAlgorithms, openKeySet, type IdentityAlgorithm, type KeySet } from './key-set.js';
import type { TrustedProvider } from './identity-providers.js';
import { parseCompactJws, type TokenClaims } from '../node/compact-jws.js';

/** Contract 4.2, rule 1. */
const ageMax = '10m';
const leewaySeconds = 60;
const textMax = 255;
/** Longest e-mail address (RFC 5321). */
const emailMax = 254;

type ProviderWithKeys = TrustedProvider & { readonly set: KeySet };

/**
 * Verifies id_tokens of the configured providers only. A token's own statements about keys (`jwk`,
 * `jku`, `x5u`, `x5c`) are ignored, and a token that cannot pass anyway never causes a fetch of
 * keys.
 */
export const openIdentityTokens = (
  providers: readonly TrustedProvider[],
  {
    clock,
    onError,
  }: {
    readonly clock: Pick<Clock, 'milliseconds'>;
    /** Called when the keys of a provider could not be fetched. */
    readonly onError: (provider: string, error: unknown) => void;
  },
): IdentityTokens => {
  const known = new Map<string, ProviderWithKeys>(
    providers.map((one) => {
      const onKeySetError = (error: unknown): void => onError(one.name, error);
      return [one.name, { ...one, set: openKeySet(one.keys, { clock, onError: onKeySetError }) }];
    }),
  );
  return {
    verify: async (name, token, now) => {
      const provider = known.get(name);
      if (provider === undefined) return refusal('the provider is not configured');
      const parts = parseCompactJws(token);
      if (parts === null) return refusal('the token is not a JWS of two objects in canonical form');
      const { header, payload, input } = parts;
      const algorithm = algorithmOf(header, provider);
      if (algorithm === null) {
        return refusal('the header has an alg or typ that is not accepted, or more than it may');
      }
      const foreign = rejectedClaim(payload, provider);
      if (foreign !== null) return refusal(`the claim ${foreign} is missing or not accepted`);
      const key = await provider.set.find(header['kid'] as string | undefined, algorithm);
      if (key === null) return refusal('no key of the provider has this kid and algorithm');
      try {
        await jwtVerify(token, key, {
          algorithms: [algorithm],
          issuer: [...provider.issuers],
          audience: [...provider.audiences],
          clockTolerance: leewaySeconds,
          maxTokenAge: ageMax,
          requiredClaims: ['exp', 'iat', 'sub'],
          currentDate: new Date(Date.parse(now)),
        });
      } catch (error) {
        // The messages of jose name claims and times, never contents of a token.
        return refusal(error instanceof Error ? error.message : 'the signature does not verify');
      }
      return identityOf(payload, input, provider);
    },
  };
};

const refusal = (why: string): TokenRejection => ({ refused: why });

/**
 * Algorithm of the header; null if not allowed, or if the header has extensions that must be
 * understood.
 */
const algorithmOf = (
  header: TokenClaims,
  { algorithms }: TrustedProvider,
): IdentityAlgorithm | null => {
  const { alg, typ, kid, crit, b64, zip, enc } = header;
  const isPlain = [crit, b64, zip, enc].every((member) => member === undefined);
  const isToken = typ === undefined || (typeof typ === 'string' && /^jwt$/i.test(typ));
  const hasId = kid === undefined || isText(kid);
  if (!isPlain || !isToken || !hasId) return null;
  const found = identityAlgorithms.find((one) => one === alg);
  return found !== undefined && algorithms.includes(found) ? found : null;
};

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= textMax;

/** The first claim that makes the token invalid for this service; null if all are valid. */
const rejectedClaim = (
  payload: TokenClaims,
  { issuers, audiences, isNonceRequired }: TrustedProvider,
): string | null => {
  const { iss, aud, azp, sub, exp, iat, nonce } = payload;
  const listed = (Array.isArray(aud) ? aud : [aud]) as readonly unknown[];
  const isOurs = (one: unknown): boolean => typeof one === 'string' && audiences.includes(one);
  const checks: Readonly<Record<string, boolean>> = {
    iss: typeof iss === 'string' && issuers.includes(iss),
    aud: listed.some(isOurs),
    azp: azp === undefined ? listed.length === 1 : isOurs(azp),
    nonce: !isNonceRequired || isText(nonce),
    sub: isText(sub),
    exp: Number.isFinite(exp),
    iat: Number.isFinite(iat),
  };
  return Object.keys(checks).find((claim) => checks[claim] === false) ?? null;
};

const identityOf = (payload: TokenClaims, input: string, provider: TrustedProvider): Identity => {
  const { iss, sub, nonce } = payload as Readonly<Record<'iss' | 'sub' | 'nonce', string>>;
  // Digest of the signed part only: an ECDSA signature can be written in two ways.
  const token = digestOf(`token\n${iss}\n${input}`);
  const once = provider.isNonceRequired ? [token, digestOf(`nonce\n${iss}\n${nonce}`)] : [token];
  return { issuer: iss, subject: sub, email: emailOf(payload, provider), singleUseDigests: once };
};

const emailOf = (
  { email, email_verified: isVerified }: TokenClaims,
  { emailDomains }: TrustedProvider,
): string | null => {
  if (isVerified !== true || typeof email !== 'string' || email.length > emailMax) return null;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return emailDomains === null || emailDomains.includes(domain) ? email : null;
};

const digestOf = (text: string): string => hash('sha256', text, 'hex');
