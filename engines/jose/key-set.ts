import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { Clock } from '../../kernel/ports.js';

/** Algorithms of contract 4.2, rule 1. */
export const identityAlgorithms = ['RS256', 'PS256', 'ES256'] as const;
export type IdentityAlgorithm = (typeof identityAlgorithms)[number];

/** Fetches a JWK set, unchecked; rejects on failure. */
export type KeySource = () => Promise<unknown>;

export type KeySet = {
  /**
   * The one key that may have signed with this algorithm; without an id only if unambiguous. Null
   * when it is missing or the provider cannot be reached.
   */
  readonly find: (
    id: string | undefined,
    algorithm: IdentityAlgorithm,
  ) => Promise<CryptoKey | null>;
};

/**
 * Rate limit of fetches: tokens with made-up key ids must not become requests to the
 * provider.
 */
const fetchesMax = 2;
const fetchWindowMs = 30_000;
/** Refresh interval: a key that the provider revoked is gone here after it. */
const refreshAfterMs = 600_000;
/** Longest use of stale keys while the provider is unreachable (stale-if-error). */
const staleMaxMs = 86_400_000;
/** Keys read per set; providers publish two or three. */
const keysMax = 50;
/** RSA key sizes: shorter keys are broken, longer ones make verification slow. */
const rsaBits = { least: 2_048, most: 8_192 } as const;

type VerificationKey = {
  readonly id: string | undefined;
  readonly byAlgorithm: ReadonlyMap<IdentityAlgorithm, CryptoKey>;
};

/**
 * Cached keys of one provider (single flight), fetched on first use, when old, or for an unknown
 * id.
 */
export const openKeySet = (
  source: KeySource,
  {
    clock,
    onError,
  }: {
    readonly clock: Pick<Clock, 'milliseconds'>;
    readonly onError: (error: unknown) => void;
  },
): KeySet => {
  let keys: readonly VerificationKey[] = [];
  let fetchedAt = -Infinity;
  let attempts: readonly number[] = [];
  let pending: Promise<void> | null = null;

  const fetchKeys = async (): Promise<void> => {
    const now = clock.milliseconds();
    attempts = attempts.filter((at) => now - at < fetchWindowMs);
    if (attempts.length >= fetchesMax) return;
    attempts = [...attempts, now];
    try {
      keys = await importKeySet(await source());
      fetchedAt = clock.milliseconds();
    } catch (error) {
      onError(error);
    }
  };
  const fetchOnce = (): Promise<void> => {
    pending ??= fetchKeys().finally(() => {
      pending = null;
    });
    return pending;
  };
  const pick = (id: string | undefined, algorithm: IdentityAlgorithm): CryptoKey | null => {
    if (clock.milliseconds() - fetchedAt > staleMaxMs) return null;
    const found = keys.flatMap((key) => {
      const one = key.byAlgorithm.get(algorithm);
      return one !== undefined && (id === undefined || key.id === id) ? [one] : [];
    });
    return found.length === 1 || id !== undefined ? (found[0] ?? null) : null;
  };

  return {
    find: async (id, algorithm) => {
      const isFresh = clock.milliseconds() - fetchedAt < refreshAfterMs;
      const known = isFresh ? pick(id, algorithm) : null;
      if (known !== null) return known;
      await fetchOnce();
      return pick(id, algorithm);
    },
  };
};

/** Imports the usable keys of a set and skips other kinds. Throws if it is not a set. */
const importKeySet = async (set: unknown): Promise<readonly VerificationKey[]> => {
  const { keys } = (set ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new TypeError('malformed JWK set: keys is not an array');
  const found = await Promise.all(
    (keys as readonly unknown[]).slice(0, keysMax).map((one) => importKey(one as JWK)),
  );
  return found.filter((key) => key.byAlgorithm.size > 0);
};

const importKey = async (jwk: JWK): Promise<VerificationKey> => {
  const byAlgorithm = new Map<IdentityAlgorithm, CryptoKey>();
  const open = publicPart(jwk);
  for (const algorithm of open === null ? [] : algorithmsOf(jwk)) {
    try {
      byAlgorithm.set(algorithm, (await importJWK(open ?? {}, algorithm)) as CryptoKey);
    } catch {
      // A malformed key is skipped; those beside it may be valid.
    }
  }
  return { id: typeof jwk.kid === 'string' ? jwk.kid : undefined, byAlgorithm };
};

/** Public numbers of a key only, so that its other members have no effect. */
const publicPart = ({ kty, n, e, crv, x, y }: JWK): JWK | null => {
  if (kty === 'RSA' && typeof n === 'string' && typeof e === 'string') return { kty, n, e };
  const isPoint = kty === 'EC' && crv === 'P-256';
  return isPoint && typeof x === 'string' && typeof y === 'string' ? { kty, crv, x, y } : null;
};

const algorithmsOf = (jwk: JWK): readonly IdentityAlgorithm[] => {
  const isForSigning = jwk.use === undefined || jwk.use === 'sig';
  const mayVerify = jwk.key_ops === undefined || jwk.key_ops.includes('verify');
  if (!isForSigning || !mayVerify) return [];
  const possible: readonly IdentityAlgorithm[] =
    jwk.kty === 'EC' ? ['ES256'] : hasGoodSize(jwk.n ?? '') ? ['RS256', 'PS256'] : [];
  return possible.filter((algorithm) => jwk.alg === undefined || jwk.alg === algorithm);
};

const hasGoodSize = (modulus: string): boolean => {
  const hex = Buffer.from(modulus, 'base64url').toString('hex').replace(/^0+/, '');
  return hex.length * 4 >= rsaBits.least && hex.length * 4 <= rsaBits.most;
};
