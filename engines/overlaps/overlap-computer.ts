import type { Worker } from 'node:worker_threads';
import { startThread } from '../node/start-thread.js';
import { Fault } from '../../kernel/fault.js';
import { openLimiter } from '../../kernel/limiter.js';
import { limits } from '../../kernel/limits.js';
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
  const limiter = openLimiter(limits.overlaps);
  let thread: Worker | null = null;
  const computeInWorker = (pair: OverlapPair): Promise<number | null> =>
    new Promise((resolve, reject) => {
      thread ??= startThread('overlaps');
      const worker = thread;
      worker.unref();
      const onMessage = (value: number | null): void => {
        worker.off('error', onEnd).off('exit', onEnd);
        resolve(value);
      };
      const onEnd = (): void => {
        worker.off('message', onMessage);
        if (thread === worker) thread = null;
        reject(new Fault('unavailable', 'The overlap worker ended unexpectedly. Retry'));
      };
      worker.once('message', onMessage).once('error', onEnd).once('exit', onEnd);
      worker.postMessage(pair);
    });
  return {
    compute: async (name, output, reference, tenant) => {
      const pair = { name, output, reference };
      if (!fitOverlapLimit(output, reference)) return null;
      if (output.length + reference.length <= inlineCharactersMax)
        return computeOverlap(name, output, reference);
      return limiter.run({ tenant }, {}, () => computeInWorker(pair));
    },
    close: async () => {
      await thread?.terminate();
    },
  };
};
