import { isFault, type AssayFault } from './fault.js';

export type RetryRules = {
  /** How often a request is sent at most; 1: never again. */
  readonly triesMax: number;
  /** Before the second try, doubled before each further one. */
  readonly firstWaitMs: number;
  /** Of one wait. Who is asked to wait longer gets the fault at once. */
  readonly waitMaxMs: number;
};

/** Some 15 s of trying: a restart of the service fits in. */
export const usualRetries: RetryRules = { triesMax: 6, firstWaitMs: 250, waitMaxMs: 30_000 };

/**
 * Worth a repeat: nobody answered, or whoever did says that it is for now only. A damaged log is
 * not: waiting mends nothing (contract 1.5).
 */
export const isRetryable = (fault: AssayFault): boolean => {
  if (fault.code === 'aborted' || fault.code === 'log_damaged') return false;
  if (fault.code === 'unreachable' || fault.code === 'timeout') return true;
  return fault.code === 'idempotency_in_progress' || retryableStatuses.has(fault.status ?? 0);
};
const retryableStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * How long to wait before the next try: at least what the service asked for, else the doubled wait
 * with half of it left to chance, so that clients that failed together do not come back together.
 * Null: do not.
 */
export const backoffMs = (
  fault: AssayFault,
  tries: number,
  rules: RetryRules,
  random: () => number = Math.random,
): number | null => {
  if (!isRetryable(fault) || tries >= rules.triesMax) return null;
  const asked = fault.retryAfterMs ?? 0;
  if (asked > rules.waitMaxMs) return null;
  const doubled = Math.min(rules.waitMaxMs, rules.firstWaitMs * 2 ** Math.min(tries - 1, 20));
  return Math.max(asked, doubled / 2 + (doubled / 2) * random());
};

/** Resolves after that time, or at once when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/**
 * Does it until it succeeds, fails for good, or has been tried often enough. Rejects with the last
 * fault, which says how often it was tried.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  rules: RetryRules,
  signal?: AbortSignal,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isFault(error)) throw error;
      error.tries = tries;
      const wait = backoffMs(error, tries, rules);
      if (wait === null || signal?.aborted === true) throw error;
      await pause(wait, signal);
    }
  }
};
