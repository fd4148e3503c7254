import { Worker } from 'node:worker_threads';
import { threadFile } from '../node/thread-file.js';
import { openFairSemaphore } from '../../kernel/fair-semaphore.js';
import { Fault } from '../../kernel/fault.js';
import {
  fitOverlapLimit,
  computeOverlap,
  type OverlapName,
  type OverlapComputer,
} from '../../kernel/records/overlap-metrics.js';

export type OverlapPair = {
  readonly name: OverlapName;
  readonly output: string;
  readonly reference: string;
};

/** Longest pair computed on this thread: a millisecond, however hostile. */
const inlineCharactersMax = 2_000;

/** Computes overlaps, long pairs one at a time in a worker that starts with the first. */
export const openOverlapComputer = (): OverlapComputer => {
  const line = openFairSemaphore(1, 1);
  let thread: Worker | null = null;
  const apart = (pair: OverlapPair): Promise<number | null> =>
    new Promise((resolve, reject) => {
      thread ??= new Worker(threadFile('overlaps'));
      const mine = thread;
      mine.unref();
      const told = (value: number | null): void => {
        mine.off('error', lost).off('exit', lost);
        resolve(value);
      };
      const lost = (): void => {
        mine.off('message', told);
        if (thread === mine) thread = null;
        reject(new Fault('unavailable', 'Overlaps cannot be computed now'));
      };
      mine.once('message', told).once('error', lost).once('exit', lost);
      mine.postMessage(pair);
    });
  return {
    compute: async (name, output, reference, whose) => {
      const pair = { name, output, reference };
      if (!fitOverlapLimit(output, reference)) return null;
      if (output.length + reference.length <= inlineCharactersMax)
        return computeOverlap(name, output, reference);
      const leave = await line.acquire(whose);
      try {
        return await apart(pair);
      } finally {
        leave();
      }
    },
    close: async () => {
      await thread?.terminate();
    },
  };
};
