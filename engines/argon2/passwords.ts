import { argon2id, hash, verify } from 'argon2';
import { createHmac, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { PasswordHasher } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import { openLimiter, type Limit } from '../../kernel/limiter.js';
import { passwordLimit } from '../../kernel/limits.js';
import type { Clock } from '../../kernel/ports.js';

/** Cost of argon2id, the minimum of OWASP: 19 MiB, two passes, one lane; about 20 ms. */
const cost = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** TTL of a verified password in the cache. */
const cacheTtlMs = 60_000;
/** Wrong passwords within the TTL that disable the cache for a person (contract 2.5, rule 4). */
const wrongMax = 20;
/** People with a password who call within one minute; beyond that the oldest entry is evicted. */
const cacheEntriesMax = 10_000;

/** Longest password accepted (contract 2.5): longer ones fail without hashing. */
const charactersMax = 128;

/**
 * Dummy hash for unknown users: 16 bytes of salt and 32 of hash, all zero, at the same cost.
 * Comparing with it takes as long as a wrong password, against timing attacks.
 */
const dummyHash =
  `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}` +
  `$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Password hashing in libuv's threads, never on the event loop. `pepper` is 32 bytes outside the
 * log: without it a stolen log reveals nothing about passwords.
 */
export const openPasswords = ({
  pepper,
  clock,
  limit = passwordLimit(availableParallelism()),
}: {
  readonly pepper: Uint8Array;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly limit?: Limit<never>;
}): PasswordHasher => {
  const secret = Buffer.from(pepper);
  const limiter = openLimiter(
    limit,
    () => new Fault('unavailable', 'Too many password checks are queued. Retry in a second'),
  );
  const withSlot = <T>(work: () => Promise<T>): Promise<T> => limiter.run({}, {}, work);
  const recent = openPasswordCache(clock);
  return {
    hash: (password) => withSlot(() => hash(password, { ...cost, secret })),
    wasVerifiedRecently: (digest, password, network) =>
      digest !== null && recent.isKnown(digest, password, network),
    verify: async (digest, password, network) => {
      const isPossible = digest !== null && password.length <= charactersMax * 2;
      const tried = isPossible ? password : 'dummy';
      const right = await withSlot(() =>
        verify(isPossible ? digest : dummyHash, tried, { secret }),
      );
      if (!right || !isPossible) return false;
      recent.remember(digest, password, network);
      return true;
    },
  };
};

/** A verified password of one person at one network, as a keyed hash. */
type CachedPassword = { mark: string; at: number; wrong: readonly number[] };

/**
 * Cache of recently verified passwords, by person and network: a guess from elsewhere must not
 * learn here, uncounted, that it is right. Wrong ones from the same network are counted: after
 * `wrongMax` within a minute the cache accepts no password of that person, not even the right one.
 */
const openPasswordCache = (clock: Pick<Clock, 'milliseconds'>) => {
  // Random key of this process: cached marks are useless elsewhere.
  const key = randomBytes(32);
  const recent = boundedMap<string, CachedPassword>(cacheEntriesMax);
  const keyed = (text: string): string => createHmac('sha256', key).update(text).digest('base64');
  const isRecent = (at: number): boolean => clock.milliseconds() - at < cacheTtlMs;
  const nameOf = (digest: string, network: string): string => `${digest}\n${network}`;
  return {
    /** True if cached; counts the password as wrong when a different one is cached. */
    isKnown: (digest: string, password: string, network: string): boolean => {
      const known = recent.get(nameOf(digest, network));
      if (known === undefined) return false;
      known.wrong = known.wrong.filter(isRecent);
      if (known.mark !== keyed(password)) {
        known.wrong = [...known.wrong, clock.milliseconds()].slice(-wrongMax);
        return false;
      }
      return isRecent(known.at) && known.wrong.length < wrongMax;
    },
    remember: (digest: string, password: string, network: string): void => {
      const name = nameOf(digest, network);
      const wrong = recent.get(name)?.wrong ?? [];
      recent.set(name, { mark: keyed(password), at: clock.milliseconds(), wrong });
    },
  };
};
