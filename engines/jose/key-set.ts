import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { Clock } from '../../kernel/ports.js';

/** Of contract 4.2, rule 1. */
export const identityAlgorithms = ['RS256', 'PS256', 'ES256'] as const;
export type IdentityAlgorithm = (typeof identityAlgorithms)[number];

/** Answers a JWK set as it was found; rejects when there is none. */
export type KeySource = () => Promise<unknown>;

export type KeySet = {
  /**
   * The one key that may have signed with this algorithm; without an id only when there is no
   * choice. Null when there is none, also because the provider cannot be asked.
   */
  readonly find: (
    id: string | undefined,
    algorithm: IdentityAlgorithm,
  ) => Promise<CryptoKey | null>;
};

/** Target D5: tokens with made-up key ids must not become requests to the provider. */
const fetchesMax = 2;
const fetchWindowMs = 30_000;
/** How soon a key that the provider took back is gone here, too. */
const refreshAfterMs = 600_000;
/** How long keys count while the provider cannot be asked. */
const staleMaxMs = 86_400_000;
/** Providers publish two or three. */
const keysMax = 50;
/** Shorter ones are broken, longer ones are slow on purpose. */
const rsaBits = { least: 2_048, most: 8_192 } as const;

type VerificationKey = {
  readonly id: string | undefined;
  readonly byAlgorithm: ReadonlyMap<IdentityAlgorithm, CryptoKey>;
};

/** Keys of one provider, asked for when they are needed first, old, or lack an id. */
export const openKeySet = (
  source: KeySource,
  {
    clock,
    trouble,
  }: {
    readonly clock: Pick<Clock, 'milliseconds'>;
    readonly trouble: (error: unknown) => void;
  },
): KeySet => {
  let keys: readonly VerificationKey[] = [];
  let askedAt = -Infinity;
  let tries: readonly number[] = [];
  let asking: Promise<void> | null = null;

  const ask = async (): Promise<void> => {
    const now = clock.milliseconds();
    tries = tries.filter((at) => now - at < fetchWindowMs);
    if (tries.length >= fetchesMax) return;
    tries = [...tries, now];
    try {
      keys = await importKeySet(await source());
      askedAt = clock.milliseconds();
    } catch (error) {
      trouble(error);
    }
  };
  const asked = (): Promise<void> => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
  const pick = (id: string | undefined, algorithm: IdentityAlgorithm): CryptoKey | null => {
    if (clock.milliseconds() - askedAt > staleMaxMs) return null;
    const found = keys.flatMap((key) => {
      const one = key.byAlgorithm.get(algorithm);
      return one !== undefined && (id === undefined || key.id === id) ? [one] : [];
    });
    return found.length === 1 || id !== undefined ? (found[0] ?? null) : null;
  };

  return {
    find: async (id, algorithm) => {
      const isFresh = clock.milliseconds() - askedAt < refreshAfterMs;
      const known = isFresh ? pick(id, algorithm) : null;
      if (known !== null) return known;
      await asked();
      return pick(id, algorithm);
    },
  };
};

/** What of a set can be used; keys of other kinds are passed over. Throws on what is no set. */
const importKeySet = async (set: unknown): Promise<readonly VerificationKey[]> => {
  const { keys } = (set ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new TypeError('what came is no JWK set');
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
      // A key out of form proves nothing; those beside it may.
    }
  }
  return { id: typeof jwk.kid === 'string' ? jwk.kid : undefined, byAlgorithm };
};

/** Nothing but the numbers, so that no other member of a key has a say. */
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
