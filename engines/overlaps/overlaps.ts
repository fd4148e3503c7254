import { Worker } from 'node:worker_threads';
import { threadFile } from '../node/thread-file.js';
import { openFairLine } from '../../kernel/fair.js';
import { Fault } from '../../kernel/fault.js';
import {
  areOverlapTexts,
  overlapOf,
  type OverlapName,
  type Overlaps,
} from '../../kernel/records/overlaps.js';

export type Pair = {
  readonly name: OverlapName;
  readonly output: string;
  readonly reference: string;
};

/** Characters of a pair that is computed here: it takes a millisecond, however hostile. */
const hereMax = 2_000;

/** One thread, which begins with the first pair of long texts, computes a pair at a time. */
export const openOverlaps = (): Overlaps => {
  const line = openFairLine(1, 1);
  let thread: Worker | null = null;
  const apart = (pair: Pair): Promise<number | null> =>
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
    of: async (name, output, reference, whose) => {
      const pair = { name, output, reference };
      if (!areOverlapTexts(output, reference)) return null;
      if (output.length + reference.length <= hereMax) return overlapOf(name, output, reference);
      const leave = await line.enter(whose);
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
