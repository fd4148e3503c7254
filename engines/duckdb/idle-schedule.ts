import { openMutex } from '../../kernel/concurrency.js';

/** Delay after a failed run. */
const retryDelayMs = 10_000;
/**
 * Duty cycle: a run is followed by a pause of four times its duration (a fifth of the time at
 * most).
 */
const restRatio = 4;

export type IdleSchedule = {
  /** Schedules a run after `afterMs`, unless one is due earlier. */
  readonly runAfter: (afterMs: number) => void;
  /** Schedules a run once no write came for `idleMs`, at the latest after `latestMs`. */
  readonly runWhenIdle: (idleMs: number, latestMs: number) => void;
  /** Records a write, which restarts the idle time. */
  readonly recordWrite: () => void;
  readonly stop: () => void;
};

/**
 * Timer of a maintenance task: concurrent requests share the earliest run, one runs at a time, a
 * failed one is retried.
 */
export const openIdleSchedule = (task: () => Promise<void>): IdleSchedule => {
  const runExclusive = openMutex();
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
    // A timer may fire a moment early; a write since then postpones the run.
    if (performance.now() < next() - 1) {
      arm();
      return;
    }
    [due, idle] = [Infinity, null];
    void runExclusive(run).catch(() => after(retryDelayMs));
  };
  const run = async (): Promise<void> => {
    if (isStopped) return;
    const began = performance.now();
    await task();
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
