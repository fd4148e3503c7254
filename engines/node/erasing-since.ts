import type { Instant } from '../../kernel/shapes.js';
import { systemClock } from './clock.js';

/** Since when something that was deleted has been in files, which are cleaned now and then. */
export type ErasingSince = {
  /** Null: the files are clean. */
  readonly since: () => Instant | null;
  readonly deleted: () => void;
  /** What was deleted after the cleaning began is not gone with it. */
  readonly cleaning: <T>(clean: () => Promise<T>) => Promise<T>;
};

export const openErasingSince = (): ErasingSince => {
  let since: Instant | null = null;
  let later: Instant | null = null;
  let isCleaning = false;
  return {
    since: () => since ?? later,
    deleted: () => {
      if (isCleaning) later ??= systemClock.now();
      else since ??= systemClock.now();
    },
    cleaning: async (clean) => {
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
