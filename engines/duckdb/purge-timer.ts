import { openSequence } from '../../kernel/turns.js';

/** After one that failed. */
const againMs = 10_000;

export type PurgeTimer = {
  /** Purges after so long, unless it comes before that anyway. */
  readonly after: (afterMs: number) => void;
  readonly stop: () => void;
};

/**
 * Many who want a purge have the earliest of them, one at a time; one that fails comes again.
 */
export const openPurgeTimer = (purge: () => Promise<void>): PurgeTimer => {
  const inTurn = openSequence();
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let due = Infinity;
  const purgeUnlessStopped = async (): Promise<void> => {
    if (!isStopped) await purge();
  };
  const after = (afterMs: number): void => {
    const at = performance.now() + afterMs;
    if (isStopped || at >= due) return;
    if (timer !== null) clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      due = Infinity;
      void inTurn(purgeUnlessStopped).catch(() => after(Math.max(afterMs, againMs)));
    }, afterMs);
    timer.unref();
  };
  return {
    after,
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
