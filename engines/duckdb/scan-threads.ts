import type { DuckDBInstance } from '@duckdb/node-api';
import { openMutex } from '../../kernel/concurrency.js';

// Whoever runs a statement asks for work again and again while another thread has all of it, and a
// commit is one piece of work: with two threads one of them spins meanwhile. Questions that scan
// are many pieces, which two threads share (D-177).

/** How many threads of the engine work: one, and two while something scans. */
type ScanThreads = {
  readonly runScan: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Questions come close to each other; changing the number takes half a millisecond. */
const idleDelayMs = 250;

const threadsByInstance = new WeakMap<DuckDBInstance, ScanThreads>();

/** Those of this engine, which was opened with one. */
export const scanThreadsOf = (instance: DuckDBInstance): ScanThreads => {
  const known = threadsByInstance.get(instance);
  if (known !== undefined) return known;
  const threads = openScanThreads(instance);
  threadsByInstance.set(instance, threads);
  return threads;
};

const openScanThreads = (instance: DuckDBInstance): ScanThreads => {
  const inTurn = openMutex();
  let scans = 0;
  let count = 1;
  let resting: NodeJS.Timeout | null = null;
  /** A failure shows in the next statement, and an engine that is gone has no threads. */
  const become = (wanted: number): Promise<void> =>
    inTurn(async () => {
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
      if (resting !== null) clearTimeout(resting);
      resting = null;
      try {
        // In turn, so that a change back to one that is on its way does not come after it.
        await become(2);
        return await work();
      } finally {
        scans -= 1;
        if (scans === 0) resting = setTimeout(() => void become(1), idleDelayMs).unref();
      }
    },
  };
};
