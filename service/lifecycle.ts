import { Fault, redactedReason } from '../kernel/fault.js';
import type { Clock, EventLog } from '../kernel/ports.js';
import type { Logger } from '../engines/pino/logger.js';

/** Poll interval of the log's health: after a fatal error the process must end within a second. */
const healthIntervalMs = 200;

/**
 * Rejects when the log can never be written again in this process, or a thread died that is not
 * restarted: the process should end and be started anew.
 */
export const watchFatal = (log: EventLog, ended: Promise<void>, logger: Logger): Promise<never> => {
  const fatal = new Promise<never>((_resolve, reject) => {
    let loggedCause: string | null = null;
    const timer = setInterval(() => {
      const { fatal, cause, writable } = log.health();
      // Logged once per cause; /readyz reports it as long as it lasts.
      if (!writable && !fatal && loggedCause !== cause)
        logger.error({ cause }, 'the log is not writable');
      loggedCause = cause;
      if (!fatal) return;
      clearInterval(timer);
      logger.error({ cause }, 'the log failed for good; the process exits');
      reject(new Error(`the log failed: ${cause}`));
    }, healthIntervalMs).unref();
    ended.catch((error: unknown) => {
      logger.error({ cause: String(error) }, 'the read side failed; the process exits');
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
  // Avoids an unhandled rejection while no caller awaits it.
  fatal.catch(() => null);
  return fatal;
};

/** Retry interval for an engine that is not up yet. */
const retryIntervalMs = 1_000;

export type EngineWait = {
  /**
   * Retries until the engine is up: a service of several processes starts before its engines do.
   * Only Fault `unavailable` is retried; errors that need another configuration are thrown.
   */
  readonly retryUntilUp: <T>(what: string, work: () => Promise<T>) => Promise<T>;
  /** The engine that startup is waiting for, and the last error; null when it is not waiting. */
  readonly pending: () => { readonly what: string; readonly cause: string } | null;
};

export const openEngineWait = (clock: Clock, logger: Logger): EngineWait => {
  const never = new AbortController().signal;
  let waiting: ReturnType<EngineWait['pending']> = null;
  return {
    pending: () => waiting,
    retryUntilUp: async (what, work) => {
      for (;;) {
        try {
          const done = await work();
          waiting = null;
          return done;
        } catch (error) {
          const isAbsent = error instanceof Fault && error.code === 'unavailable';
          if (!isAbsent) throw error;
          waiting = { what, cause: redactedReason(error) };
          logger.warn(waiting, 'an engine is not reachable; retrying');
          await clock.wait(retryIntervalMs, never);
        }
      }
    },
  };
};

/** Time limit of graceful shutdown: supervisors kill after 10 s. */
const closeAllWithinMs = 9_000;
/** Time limit of one engine, so that one that hangs leaves time for the others. */
const closeWithinMs = 3_000;
/** Time limit of the API, which has 5 s, and of all workers beside it. */
const endWithinMs = 5_500;

type Closer = { readonly name: string; readonly close: () => Promise<void> | void };

/**
 * Graceful shutdown: ends all workers concurrently, then closes the engines in reverse order. Each
 * is closed even if others fail or hang; `close` throws Fault `unavailable` naming those that
 * exceeded their time limit.
 */
export const openDisposers = (clock: Clock, logger: Logger) => {
  const working: Closer[] = [];
  const opened: Closer[] = [];
  const closing = async (closers: readonly Closer[], withinMs: number) => {
    const outcomes = closers.map(async ({ name, close }) => {
      const closed = new AbortController();
      let isClosed = false;
      const all = (async () => close())().finally(() => {
        isClosed = true;
        closed.abort();
      });
      await Promise.race([all, clock.wait(withinMs, closed.signal).then(() => null)]);
      if (isClosed) return all;
      throw new Fault('unavailable', `${name} did not end in time`);
    });
    const settled = await Promise.allSettled(outcomes);
    return settled.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
  };
  return {
    /** Registers an engine, which workers need until they ended. */
    add: (name: string, close: Closer['close']): void => {
      opened.push({ name, close });
    },
    /** Registers a worker, which uses engines. */
    begin: (name: string, close: Closer['close']): void => {
      working.push({ name, close });
    },
    close: async (): Promise<void> => {
      const until = clock.milliseconds() + closeAllWithinMs;
      const failures = await closing(working.splice(0), endWithinMs);
      for (const closer of opened.splice(0).reverse()) {
        const left = Math.max(0, until - clock.milliseconds());
        failures.push(...(await closing([closer], Math.min(left, closeWithinMs))));
      }
      for (const cause of failures)
        logger.error({ cause: redactedReason(cause) }, 'closing failed');
      const [first] = failures;
      if (first !== undefined) throw first as Error;
    },
  };
};
