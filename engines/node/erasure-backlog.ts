import type { Instant } from '../../kernel/schema-types.js';
import { systemClock } from './clock.js';

/** Since when something that was deleted has been in files, which are cleaned now and then. */
export type ErasureBacklog = {
  /** Null: the files are clean. */
  readonly since: () => Instant | null;
  readonly recordDeletion: () => void;
  /** What was deleted after the cleaning began is not gone with it. */
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
