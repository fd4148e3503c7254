import type { Coming } from './body.js';
import type { Budget, Owner } from './budget.js';
import type { Quota } from './quota.js';

/**
 * So many times as long as a large body kept the thread from others it is theirs before the next
 * one of that place: checking and deciding take as long as parsing again.
 */
const restTimes = 8;

/**
 * What comes counts, decompressed; few large bodies are worked on at a time, and the others wait as
 * they came.
 */
export const openComing =
  ({
    bytes,
    large,
    waitMsMax,
    refuse,
  }: {
    readonly bytes: Budget;
    readonly large: Quota;
    readonly waitMsMax: number;
    readonly refuse: (why: string) => never;
  }) =>
  (owner: Owner, signal: AbortSignal): Coming => {
    const held = bytes.open(owner);
    let place: Promise<() => void> | null = null;
    let parsedMs = 0;
    const enter = async (): Promise<() => void> => {
      const patience = AbortSignal.timeout(waitMsMax);
      try {
        return await large.enter(owner, AbortSignal.any([signal, patience]));
      } catch (error) {
        if (signal.aborted || !patience.aborted) throw error;
        return refuse('You send more large bodies than are worked on at a time');
      }
    };
    return {
      take: held.take,
      turn: async () => {
        place ??= enter();
        await place;
      },
      parsed: (milliseconds) => {
        parsedMs += milliseconds;
      },
      release: () => {
        held.release();
        const rests = (leave: () => void) => void setTimeout(leave, parsedMs * restTimes).unref();
        place?.then(rests, () => undefined);
      },
    };
  };
