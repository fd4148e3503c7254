import { Fault } from '../kernel/fault.js';
import type { Clock, EventLog } from '../kernel/ports.js';
import type { Logger } from '../engines/pino/logger.js';

/** How often a fatal log is looked for: the process must be gone within a second. */
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

export type Patience = {
  /**
   * Tries until it works: a service of several processes starts before its engines do. Only an
   * absent engine is waited for; what a better configuration must mend is thrown.
   */
  readonly patiently: <T>(what: string, work: () => Promise<T>) => Promise<T>;
  /** What is waited for now, and why; null = nothing. */
  readonly for: () => { readonly what: string; readonly cause: string } | null;
};

/** With what is behind a fault: its message alone is meant for clients. */
export const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

export const openPatience = (clock: Clock, logger: Logger): Patience => {
  const never = new AbortController().signal;
  let waiting: ReturnType<Patience['for']> = null;
  return {
    for: () => waiting,
    patiently: async (what, work) => {
      for (;;) {
        try {
          const done = await work();
          waiting = null;
          return done;
        } catch (error) {
          const isAbsent = error instanceof Fault && error.code === 'unavailable';
          if (!isAbsent) throw error;
          waiting = { what, cause: causeOf(error) };
          logger.warn(waiting, 'waiting for an engine; trying again');
          await clock.wait(againMs, never);
        }
      }
    },
  };
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
