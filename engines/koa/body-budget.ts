import type { BodyBudget } from './decode-body.js';
import type { ByteBudget, QuotaOwner } from '../../kernel/byte-budget.js';
import type { Limiter } from '../../kernel/limiter.js';

/** Limiter of work by caller, and by all keys of one person. */
export type QuotaLimiter = Limiter<'caller' | 'person'>;

/** Keys of an owner; clients without a credential share the quota of one person. */
export const limitKeysOf = ({ name, person }: QuotaOwner) => ({
  caller: name,
  person: String(person),
});

/**
 * Cooldown of a large-body slot, as a multiple of the parse time that blocked the event loop:
 * validation and the decision take as long as parsing again.
 */
const cooldownFactor = 8;

/**
 * Memory budget of request bodies: counts decompressed bytes, and lets few large bodies be
 * processed at a time (limiter), while the others wait as received.
 */
export const openBodyBudgets =
  ({
    bytes,
    large,
    waitMsMax,
    refuse,
  }: {
    readonly bytes: ByteBudget;
    readonly large: QuotaLimiter;
    readonly waitMsMax: number;
    readonly refuse: (why: string) => never;
  }) =>
  (owner: QuotaOwner, signal: AbortSignal): BodyBudget => {
    const reservation = bytes.open(owner);
    let slot: Promise<() => void> | null = null;
    let parsedMs = 0;
    const enter = async (): Promise<() => void> => {
      const timeout = AbortSignal.timeout(waitMsMax);
      try {
        const either = AbortSignal.any([signal, timeout]);
        return await large.acquire(limitKeysOf(owner), { signal: either });
      } catch (error) {
        if (signal.aborted || !timeout.aborted) throw error;
        return refuse('Too many concurrent large bodies from this caller');
      }
    };
    return {
      reserve: reservation.reserve,
      acquireLargeSlot: async () => {
        slot ??= enter();
        await slot;
      },
      recordParseTime: (milliseconds) => {
        parsedMs += milliseconds;
      },
      release: () => {
        reservation.release();
        const closeAfterCooldown = (release: () => void) =>
          void setTimeout(release, parsedMs * cooldownFactor).unref();
        slot?.then(closeAfterCooldown, () => undefined);
      },
    };
  };
