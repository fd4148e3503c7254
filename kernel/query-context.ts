import { Fault } from './fault.js';
import type { QueryContext } from './ports.js';

/** What a question throws once its asker no longer waits. */
export const cancellationFault = ({ reason }: Partial<AbortSignal> = {}): Fault =>
  reason instanceof Fault
    ? reason
    : new Fault('unavailable', 'Nobody waits for this answer any more', {
        retryAfterSeconds: 1,
        cause: reason,
      });

/** Throws Fault `unavailable` when the asker no longer waits. */
export const throwIfAborted = ({ signal }: QueryContext): void => {
  if (signal?.aborted === true) throw cancellationFault(signal);
};

/**
 * `work`, or Fault `unavailable` as soon as the asker no longer waits. `end` is called then: it
 * must end what `work` does, whose outcome is ignored.
 */
export const raceAbort = async <T>(
  { signal }: QueryContext,
  work: () => Promise<T>,
  end: () => void = () => undefined,
): Promise<T> => {
  if (signal === undefined) return work();
  throwIfAborted({ signal });
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(cancellationFault(signal));
    end();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
