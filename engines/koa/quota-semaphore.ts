import { openCounter } from '../../kernel/counter.js';
import type { YieldSlot } from '../../kernel/limiter.js';
import { openWaitQueue } from '../../kernel/wait-queue.js';
import type { QuotaOwner } from './byte-budget.js';

/** Concurrency limits: in total, per caller, and for all keys of one person. */
type SemaphoreLimits = {
  readonly max: number;
  readonly perCallerMax: number;
  readonly perPersonMax: number;
};

/**
 * Semaphore with quotas: a waiting owner gets a slot when one is free and its quota allows, in
 * order of arrival. Rejects with the reason of `signal` when it aborts before.
 */
export type QuotaSemaphore = {
  /** Acquires a slot for work that ends elsewhere; returns the function that releases it. */
  readonly acquire: (owner: QuotaOwner, signal: AbortSignal) => Promise<() => void>;
  readonly run: <T>(
    owner: QuotaOwner,
    signal: AbortSignal,
    work: (yieldSlot: YieldSlot) => Promise<T>,
  ) => Promise<T>;
};

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
      let release = await enter(owner, signal);
      try {
        return await work(async (wait) => {
          release();
          release = () => undefined;
          await wait();
          release = await enter(owner, signal);
        });
      } finally {
        release();
      }
    },
  };
};
