import { openCounter } from '../../kernel/counter.js';
import { openWaitQueue } from '../../kernel/wait-queue.js';
import type { QuotaOwner } from './byte-budget.js';

/** So many work at a time: in all, of one caller, and of all keys of one person. */
type SemaphoreLimits = {
  readonly max: number;
  readonly perCallerMax: number;
  readonly perPersonMax: number;
};

/**
 * Whoever waits goes when there is room and they have less than their share of it, in the order of
 * coming. Rejects with the reason of `signal` when it aborts before.
 */
export type QuotaSemaphore = {
  /** For work that begins here and ends elsewhere: what ends it. */
  readonly acquire: (owner: QuotaOwner, signal: AbortSignal) => Promise<() => void>;
  readonly run: <T>(
    owner: QuotaOwner,
    signal: AbortSignal,
    work: (aside: YieldSlot) => Promise<T>,
  ) => Promise<T>;
};
/** Gives the place to others while this one waits, and waits for another one then. */
export type YieldSlot = (wait: () => Promise<void>) => Promise<void>;

export const openQuotaSemaphore = ({
  max,
  perCallerMax,
  perPersonMax,
}: SemaphoreLimits): QuotaSemaphore => {
  const working = openCounter();
  const waiting = openWaitQueue<QuotaOwner>();
  let all = 0;
  const count = ({ name, person }: QuotaOwner, by: number): void => {
    all += by;
    working.add(`c ${name}`, by);
    working.add(`p ${person}`, by);
  };
  const begins = (owner: QuotaOwner): boolean => {
    const hasRoom =
      all < max &&
      working.count(`c ${owner.name}`) < perCallerMax &&
      working.count(`p ${owner.person}`) < perPersonMax;
    if (hasRoom) count(owner, 1);
    return hasRoom;
  };
  const enter: QuotaSemaphore['acquire'] = async (owner, signal) => {
    if (!begins(owner)) await waiting.enqueue(owner, signal);
    return () => {
      count(owner, -1);
      waiting.admit(begins);
    };
  };
  return {
    acquire: enter,
    run: async (owner, signal, work) => {
      let leave = await enter(owner, signal);
      try {
        return await work(async (wait) => {
          leave();
          leave = () => undefined;
          await wait();
          leave = await enter(owner, signal);
        });
      } finally {
        leave();
      }
    },
  };
};
