import { isFault, type AssayFault } from './fault.js';

export type RetryRules = {
  /** Maximum number of tries; 1: no retries. */
  readonly triesMax: number;
  /** Wait before the second try, doubled before each further one. */
  readonly firstWaitMs: number;
  /** Limit of one wait. A longer `Retry-After` fails at once. */
  readonly waitMaxMs: number;
};

/** Some 15 s of trying: a restart of the service fits in. */
export const usualRetries: RetryRules = { triesMax: 6, firstWaitMs: 250, waitMaxMs: 30_000 };

/**
 * True for transient faults: no answer, or a status that says so. A damaged log is not transient
 * (contract 1.5).
 */
export const isRetryable = (fault: AssayFault): boolean => {
  if (fault.code === 'aborted' || fault.code === 'log_damaged') return false;
  if (fault.code === 'unreachable' || fault.code === 'timeout') return true;
  return fault.code === 'idempotency_in_progress' || retryableStatuses.has(fault.status ?? 0);
};
const retryableStatuses: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/**
 * Wait before the next try: at least `Retry-After`, else exponential backoff with half of it random
 * (jitter), so that clients that failed together do not retry together. Null: no retry.
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
 * Retries until success, a permanent fault, or the limit of tries. Rejects with the last fault,
 * which has the number of tries.
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
