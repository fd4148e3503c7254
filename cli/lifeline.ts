import type { Clock, EventLog } from '../kernel/ports.js';
import type { Logger } from '../engines/pino/logger.js';

/** How often a fatal log is looked for: the process must be gone within a second (target A4). */
const healthIntervalMs = 200;

/**
 * Rejects when the log can never be written again in this process, or a part of it died that nobody
 * starts again: the process should end and be started anew.
 */
export const doom = (log: EventLog, ended: Promise<void>, logger: Logger): Promise<never> => {
  const doomed = new Promise<never>((_resolve, reject) => {
    const timer = setInterval(() => {
      const { fatal, cause } = log.health();
      if (!fatal) return;
      clearInterval(timer);
      logger.error({ cause }, 'the log cannot be trusted any more; ending');
      reject(new Error(`the log failed: ${cause}`));
    }, healthIntervalMs).unref();
    ended.catch((error: unknown) => {
      logger.error({ cause: String(error) }, 'the read side died; ending');
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
  // Whoever wants to know asks; nobody asking is no crash.
  doomed.catch(() => null);
  return doomed;
};

/** How often an engine that is not there yet is tried again. */
const againMs = 1_000;

/**
 * Tries until it works: a service of several processes starts before its engines do. `signal` ends
 * it, and then it throws what it failed with last.
 */
export const patiently = async <T>(
  what: string,
  work: () => Promise<T>,
  { clock, logger, signal }: { clock: Clock; logger: Logger; signal: AbortSignal },
): Promise<T> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw error;
      logger.warn({ cause: String(error) }, `${what} is not there yet; trying again`);
      await clock.wait(againMs, signal);
    }
  }
};

/** Closes what was opened, the last first; each is tried whatever the others do. */
export const openings = () => {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add: (close: () => Promise<void> | void): void => {
      closers.push(close);
    },
    close: async (): Promise<void> => {
      let failure: unknown = null;
      for (const close of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          failure ??= error;
        }
      }
      if (failure !== null) throw failure as Error;
    },
  };
};
