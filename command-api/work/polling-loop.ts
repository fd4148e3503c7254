import type { Clock } from '../../kernel/ports.js';

/** A background process that runs until it is stopped. */
export type Worker = { readonly stop: () => Promise<void> };

type Needs = {
  readonly clock: Clock;
  /** Polling interval after an idle or failed step. */
  readonly restMs: number;
  /** Reports a failed step, which is retried. */
  readonly onError: (error: unknown) => void;
};

/**
 * Polling loop: repeats `step` until `stop`, after a yield to the event loop while it reports work,
 * and after `restMs` when idle or failed. `lastly` runs after the last step.
 */
export const startWorker = (
  { clock, restMs, onError }: Needs,
  step: (signal: AbortSignal) => Promise<boolean>,
  lastly: () => Promise<void> = async () => undefined,
): Worker => {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const worked = await step(end.signal).catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (worked) await yieldToEventLoop();
      else await clock.wait(restMs, end.signal);
    }
    await lastly().catch(onError);
  };
  const ended = loop();
  return {
    stop: async () => {
      end.abort();
      await ended;
    },
  };
};

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
