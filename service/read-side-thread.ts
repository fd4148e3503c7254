import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Config } from '../config.js';
import { startThread } from '../engines/node/start-thread.js';

/** Folding makes much short-lived garbage; a larger nursery halved the time spent collecting it. */
const youngMegabytes = 64;

/**
 * Three times what folding the heaviest accepted records needs beside a rebuild. Without it V8 lets
 * garbage grow with the machine's memory: 0.6 GB in a rebuild during an attack.
 */
const oldMegabytes = 1_024;

let warmedThread: Worker | null = null;

/** Data of the thread: true if it loads the engine of embedded records before its start message. */
export type WarmsRecords = boolean;

/**
 * Preloads the code of the read side in a spare thread, concurrently with that of the service, and
 * the engine of its records where that is embedded. Does not keep the process alive.
 */
export const warmReadSide = ({
  mongodbUrl,
  records,
}: Pick<Config, 'mongodbUrl' | 'records'>): void => {
  warmedThread ??= spawnReadSideThread(mongodbUrl === null || records === 'replica');
  warmedThread.unref();
};

/** Time limit of that wait: loading takes a second, more on a busy machine. */
const endWithinMs = 10_000;

/**
 * Ends an unused spare thread once it has loaded: an exit while a native module loads aborts the
 * process (SIGABRT) instead of returning its exit code.
 */
export const endSpareReadSide = async (): Promise<void> => {
  const thread = warmedThread;
  if (thread === null) return;
  warmedThread = null;
  thread.ref();
  thread.postMessage('end');
  const signal = AbortSignal.timeout(endWithinMs);
  await once(thread, 'exit', { signal }).catch(() => null);
};

/** A thread that waits for its start message (`ReadSideStart`): the spare one or a new one. */
export const readSideThread = (): Worker => {
  const thread = warmedThread ?? spawnReadSideThread(false);
  warmedThread = null;
  thread.ref();
  return thread;
};

const spawnReadSideThread = (warmsRecords: WarmsRecords): Worker =>
  startThread('read-side', {
    workerData: warmsRecords,
    resourceLimits: {
      maxYoungGenerationSizeMb: youngMegabytes,
      maxOldGenerationSizeMb: oldMegabytes,
    },
  });
