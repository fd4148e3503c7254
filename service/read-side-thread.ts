import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadFile } from '../engines/node/thread-file.js';

/** Folding makes much short-lived garbage; a larger nursery halved the time spent collecting it. */
const youngMegabytes = 64;

/**
 * Three times what folding the heaviest records that are taken needs, beside a rebuild of them.
 * Without it V8 lets garbage grow with the machine's memory: 0.6 GB in a rebuild beside an attack.
 */
const oldMegabytes = 1_024;

let warmedThread: Worker | null = null;

/**
 * Begins to load the code of the read side, which takes as long as that of the service: a process
 * that will fold does both at the same time. Does not keep the process alive.
 */
export const warmReadSide = (): void => {
  warmedThread ??= spawnReadSideThread();
  warmedThread.unref();
};

/** What loads in a second takes some on a busy machine; a process that ends waits no longer. */
const endWithinMs = 10_000;

/**
 * Ends the thread that was warmed and not taken, once it has loaded: an exit in the midst of
 * loading a native module aborts the process (SIGABRT) in place of its exit code.
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

/** A thread that waits for a message of what to open (`ReadSideStart`). */
export const readSideThread = (): Worker => {
  const thread = warmedThread ?? spawnReadSideThread();
  warmedThread = null;
  thread.ref();
  return thread;
};

const spawnReadSideThread = (): Worker =>
  new Worker(threadFile('read-side'), {
    resourceLimits: {
      maxYoungGenerationSizeMb: youngMegabytes,
      maxOldGenerationSizeMb: oldMegabytes,
    },
  });
