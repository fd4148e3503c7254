import { Fault } from './fault.js';
import type { Asking } from './ports.js';

/** What a question throws once its asker no longer waits. */
export const noLongerAsked = ({ reason }: Partial<AbortSignal> = {}): Fault =>
  reason instanceof Fault
    ? reason
    : new Fault('unavailable', 'Nobody waits for this answer any more', {
        retryAfterSeconds: 1,
        cause: reason,
      });

/** Throws Fault `unavailable` when the asker no longer waits. */
export const checkAsked = ({ signal }: Asking): void => {
  if (signal?.aborted === true) throw noLongerAsked(signal);
};

/**
 * `work`, or Fault `unavailable` as soon as the asker no longer waits. `end` is called then: it
 * must end what `work` does, whose outcome is ignored.
 */
export const whileAsked = async <T>(
  { signal }: Asking,
  work: () => Promise<T>,
  end: () => void = () => undefined,
): Promise<T> => {
  if (signal === undefined) return work();
  checkAsked({ signal });
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(noLongerAsked(signal));
    end();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
