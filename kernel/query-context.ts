import { Fault } from './fault.js';
import type { QueryContext } from './ports.js';

/** The error a query throws when its request was cancelled. */
export const cancellationFault = ({ reason }: Partial<AbortSignal> = {}): Fault =>
  reason instanceof Fault
    ? reason
    : new Fault('unavailable', 'The request was cancelled before its result was ready. Retry it.', {
        retryAfterSeconds: 1,
        cause: reason,
      });

/** Throws Fault `unavailable` if the request was cancelled. */
export const throwIfAborted = ({ signal }: QueryContext): void => {
  if (signal?.aborted === true) throw cancellationFault(signal);
};

/**
 * Runs `work`; throws Fault `unavailable` as soon as the request is cancelled. `end` is called then
 * and must stop `work`, whose outcome is ignored.
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
