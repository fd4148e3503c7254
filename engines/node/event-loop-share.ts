import type { RunInSlice } from '../../kernel/concurrency.js';

/**
 * Budget per event-loop tick for blocking work: once it is used, work waits for the next tick, so
 * that other callbacks run in between.
 */
export type EventLoopShare = {
  /** Runs the work in a tick with budget left. */
  readonly run: <T extends { readonly cost: number }>(work: () => T) => Promise<T>;
};

export const openEventLoopShare = (share: number): EventLoopShare => {
  let used = 0;
  let next: Promise<void> | null = null;
  const nextLoopTick = (): Promise<void> =>
    (next ??= new Promise((resolve) =>
      setImmediate(() => {
        used = 0;
        next = null;
        resolve();
      }),
    ));
  const isSpent = (): boolean => used >= share;
  return {
    run: async (work) => {
      while (isSpent()) await nextLoopTick();
      const done = work();
      used += done.cost;
      if (done.cost > 0) void nextLoopTick();
      return done;
    },
  };
};

/**
 * Blocking work per event-loop tick, in milliseconds: a small query takes some five ticks and is
 * delayed by that many slices, and the tick itself costs little beside it.
 */
const sliceMs = 5;

/** Time slices shared by all long work of this thread. */
export const openTimeSlices = (): RunInSlice => {
  const loopShare = openEventLoopShare(sliceMs);
  return async (work) => {
    const { value } = await loopShare.run(() => {
      const began = performance.now();
      const done = work();
      return { value: done, cost: performance.now() - began };
    });
    return value;
  };
};
