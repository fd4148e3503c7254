import { AssayFault } from './fault.js';
import { pause } from './retry.js';

export type PollRules<T> = {
  /** First wait; each further one is longer by half, up to eight times. Default 500. */
  readonly intervalMs?: number;
  /** Time limit of the polling; none by default. The operation itself continues. */
  readonly withinMs?: number;
  /** Called with each answer, the last one too. */
  readonly onProgress?: (answer: T) => void;
};

/** Final states of contract 4.13, 4.14 and 5.13. */
const endStates: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/**
 * Polls until the operation has ended. Rejects with the fault of a request, `timeout` or `aborted`.
 */
export const poll = async <T>(
  ask: () => Promise<T>,
  { intervalMs = 500, withinMs = Infinity, onProgress }: PollRules<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const begun = performance.now();
  for (let wait = intervalMs; ; wait = Math.min(wait * 1.5, intervalMs * 8)) {
    const answer = await ask();
    onProgress?.(answer);
    if (endStates.has((answer as { readonly status?: unknown }).status)) return answer;
    if (performance.now() - begun + wait > withinMs) {
      throw new AssayFault(`It was not over within ${withinMs} ms`, { code: 'timeout' });
    }
    await pause(wait, signal);
  }
};
