import { openMutex } from '../../../kernel/concurrency.js';

/** After one that failed. */
const retryDelayMs = 10_000;
/** A copy may take a fifth of the time: the next one rests four times as long as it took. */
const restRatio = 4;

export type CompactionSchedule = {
  /** Purges after so long, unless it comes before that anyway. */
  readonly runAfter: (afterMs: number) => void;
  /** Purges once nothing was written for `idleMs`, and after `latestMs` whatever is written. */
  readonly runWhenIdle: (idleMs: number, latestMs: number) => void;
  /** Something was written. */
  readonly recordWrite: () => void;
  readonly stop: () => void;
};

/**
 * Many who want a purge have the earliest of them, one at a time; one that fails comes again.
 */
export const openCompactionSchedule = (purge: () => Promise<void>): CompactionSchedule => {
  const inTurn = openMutex();
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let due = Infinity;
  let idle: { readonly ms: number; readonly latest: number } | null = null;
  let writtenAt = -Infinity;
  let restUntil = -Infinity;

  const next = (): number => {
    if (idle === null) return due;
    const quiet = Math.max(writtenAt + idle.ms, restUntil);
    return Math.min(due, Math.max(quiet, 0), idle.latest);
  };
  const arm = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const at = next();
    if (isStopped || at === Infinity) return;
    timer = setTimeout(fire, Math.max(0, at - performance.now())).unref();
  };
  const fire = (): void => {
    // A timer may come a moment early; what was written meanwhile puts the purge off.
    if (performance.now() < next() - 1) {
      arm();
      return;
    }
    [due, idle] = [Infinity, null];
    void inTurn(run).catch(() => after(retryDelayMs));
  };
  const run = async (): Promise<void> => {
    if (isStopped) return;
    const began = performance.now();
    await purge();
    const ended = performance.now();
    restUntil = ended + restRatio * (ended - began);
  };
  const after = (afterMs: number): void => {
    due = Math.min(due, performance.now() + afterMs);
    arm();
  };
  return {
    runAfter: after,
    runWhenIdle: (ms, latestMs) => {
      const latest = performance.now() + latestMs;
      idle = { ms, latest: Math.min(idle?.latest ?? Infinity, latest) };
      arm();
    },
    recordWrite: () => {
      writtenAt = performance.now();
    },
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
