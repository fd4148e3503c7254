import type { BodyBudget } from './decode-body.js';
import type { ByteBudget, QuotaOwner } from './byte-budget.js';
import type { QuotaSemaphore } from './quota-semaphore.js';

/**
 * So many times as long as a large body kept the thread from others it is theirs before the next
 * one of that place: checking and deciding take as long as parsing again.
 */
const cooldownFactor = 8;

/**
 * What comes counts, decompressed; few large bodies are worked on at a time, and the others wait as
 * they came.
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
    const held = bytes.open(owner);
    let place: Promise<() => void> | null = null;
    let parsedMs = 0;
    const enter = async (): Promise<() => void> => {
      const patience = AbortSignal.timeout(waitMsMax);
      try {
        return await large.acquire(owner, AbortSignal.any([signal, patience]));
      } catch (error) {
        if (signal.aborted || !patience.aborted) throw error;
        return refuse('You send more large bodies than are worked on at a time');
      }
    };
    return {
      reserve: held.reserve,
      acquireLargeSlot: async () => {
        place ??= enter();
        await place;
      },
      recordParseTime: (milliseconds) => {
        parsedMs += milliseconds;
      },
      release: () => {
        held.release();
        const rests = (leave: () => void) =>
          void setTimeout(leave, parsedMs * cooldownFactor).unref();
        place?.then(rests, () => undefined);
      },
    };
  };
