import type { BodyBudget } from './decode-body.js';
import type { ByteBudget, QuotaOwner } from './byte-budget.js';
import type { QuotaSemaphore } from './quota-semaphore.js';

/**
 * Cooldown of a large-body slot, as a multiple of the parse time that blocked the event loop:
 * validation and the decision take as long as parsing again.
 */
const cooldownFactor = 8;

/**
 * Memory budget of request bodies: counts decompressed bytes, and lets few large bodies be
 * processed at a time (semaphore), while the others wait as received.
 */
export const openBodyBudgets =
  ({
    bytes,
    large,
    waitMsMax,
    refuse,
  }: {
    readonly bytes: ByteBudget;
    readonly large: QuotaSemaphore;
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
        return await large.acquire(owner, AbortSignal.any([signal, timeout]));
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
