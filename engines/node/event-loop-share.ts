import type { RunInSlice } from '../../kernel/concurrency.js';

/**
 * A share of each turn of this thread's event loop for work that holds it up: who finds the share
 * used waits for the next turn, so that what else waits there comes in between.
 */
export type EventLoopShare = {
  /** Does the work in a turn that has something left of its share. */
  readonly run: <T extends { readonly cost: number }>(work: () => T) => Promise<T>;
};

export const openEventLoopShare = (share: number): EventLoopShare => {
  let used = 0;
  let next: Promise<void> | null = null;
  const nextTurn = (): Promise<void> =>
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
      while (isSpent()) await nextTurn();
      const done = work();
      used += done.cost;
      if (done.cost > 0) void nextTurn();
      return done;
    },
  };
};

/**
 * All that is to be done in a turn of the loop, in milliseconds: a small question takes some five
 * turns and is late by so many slices, and the turn itself costs little beside it.
 */
const sliceMs = 5;

/** For all long works of this thread together. */
export const openTimeSlices = (): RunInSlice => {
  const turns = openEventLoopShare(sliceMs);
  return async (work) => {
    const { value } = await turns.run(() => {
      const began = performance.now();
      const done = work();
      return { value: done, cost: performance.now() - began };
    });
    return value;
  };
};
