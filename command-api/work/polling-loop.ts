import type { Clock } from '../../kernel/ports.js';

/** Something that goes on beside requests until it is stopped. */
export type Worker = { readonly stop: () => Promise<void> };

type Needs = {
  readonly clock: Clock;
  /** How soon it looks again when there was nothing to do, or a step failed. */
  readonly restMs: number;
  /** Told why a step failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/**
 * Repeats `step` from now until `stop`: at once, but after others had their turn, while it answers
 * that it worked, and after a rest when it did not or failed. `lastly` follows the last step.
 */
export const startWorker = (
  { clock, restMs, trouble }: Needs,
  step: (signal: AbortSignal) => Promise<boolean>,
  lastly: () => Promise<void> = async () => undefined,
): Worker => {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const worked = await step(end.signal).catch((error: unknown) => {
        trouble(error);
        return false;
      });
      if (worked) await yieldToEventLoop();
      else await clock.wait(restMs, end.signal);
    }
    await lastly().catch(trouble);
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
