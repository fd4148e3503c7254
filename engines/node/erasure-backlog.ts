import type { Instant } from '../../kernel/schema-types.js';
import { systemClock } from './clock.js';

/**
 * Backlog of an erasure: the time since which deleted content has been in files that are cleaned at
 * intervals.
 */
export type ErasureBacklog = {
  /** Null when the files are clean. */
  readonly since: () => Instant | null;
  readonly recordDeletion: () => void;
  /** Runs a cleaning; deletions recorded after its start stay in the backlog. */
  readonly runCleaning: <T>(clean: () => Promise<T>) => Promise<T>;
};

export const openErasureBacklog = (): ErasureBacklog => {
  let since: Instant | null = null;
  let later: Instant | null = null;
  let isCleaning = false;
  return {
    since: () => since ?? later,
    recordDeletion: () => {
      if (isCleaning) later ??= systemClock.now();
      else since ??= systemClock.now();
    },
    runCleaning: async (clean) => {
      isCleaning = true;
      try {
        const done = await clean();
        since = null;
        return done;
      } finally {
        isCleaning = false;
        [since, later] = [since ?? later, null];
      }
    },
  };
};
