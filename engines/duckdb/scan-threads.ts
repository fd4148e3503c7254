import type { DuckDBInstance } from '@duckdb/node-api';
import { openMutex } from '../../kernel/concurrency.js';

// The calling thread spins for work while another thread has all of it, and a commit is one task:
// with two threads one of them would spin meanwhile. Scans are many tasks, which two threads share
// (D-177).

/** Thread count of the engine: one, and two during scans. */
type ScanThreads = {
  readonly runScan: <T>(work: () => Promise<T>) => Promise<T>;
};

/**
 * Delay before going back to one thread: queries come in bursts, and a change takes half a
 * millisecond.
 */
const idleDelayMs = 250;

const threadsByInstance = new WeakMap<DuckDBInstance, ScanThreads>();

/** The thread count of this engine, which was opened with one. */
export const scanThreadsOf = (instance: DuckDBInstance): ScanThreads => {
  const known = threadsByInstance.get(instance);
  if (known !== undefined) return known;
  const threads = openScanThreads(instance);
  threadsByInstance.set(instance, threads);
  return threads;
};

const openScanThreads = (instance: DuckDBInstance): ScanThreads => {
  const runExclusive = openMutex();
  let scans = 0;
  let count = 1;
  let idleTimer: NodeJS.Timeout | null = null;
  /**
   * Sets the thread count. A failure shows in the next statement; an invalidated engine has no
   * threads.
   */
  const setThreads = (wanted: number): Promise<void> =>
    runExclusive(async () => {
      if (count === wanted || (wanted === 1 && scans > 0)) return;
      const connection = await instance.connect();
      try {
        await connection.run(`SET threads TO ${wanted}`);
        count = wanted;
      } finally {
        connection.closeSync();
      }
    }).catch(() => undefined);
  return {
    runScan: async (work) => {
      scans += 1;
      if (idleTimer !== null) clearTimeout(idleTimer);
      idleTimer = null;
      try {
        // Under the mutex, so that a pending change back to one thread does not come after it.
        await setThreads(2);
        return await work();
      } finally {
        scans -= 1;
        if (scans === 0) idleTimer = setTimeout(() => void setThreads(1), idleDelayMs).unref();
      }
    },
  };
};
