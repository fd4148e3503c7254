import { Fault, redactedReason } from '../kernel/fault.js';
import type { Clock, EventLog } from '../kernel/ports.js';
import type { Logger } from '../engines/pino/logger.js';

/** How often a fatal log is looked for: the process must be gone within a second. */
const healthIntervalMs = 200;

/**
 * Rejects when the log can never be written again in this process, or a part of it died that nobody
 * starts again: the process should end and be started anew.
 */
export const watchFatal = (log: EventLog, ended: Promise<void>, logger: Logger): Promise<never> => {
  const fatal = new Promise<never>((_resolve, reject) => {
    let told: string | null = null;
    const timer = setInterval(() => {
      const { fatal, cause, writable } = log.health();
      // Once, however often it is asked for; /readyz says it for as long as it lasts.
      if (!writable && !fatal && told !== cause) logger.error({ cause }, 'the log takes no writes');
      told = cause;
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
  fatal.catch(() => null);
  return fatal;
};

/** How often an engine that is not there yet is tried again. */
const retryIntervalMs = 1_000;

export type EngineWait = {
  /**
   * Tries until it works: a service of several processes starts before its engines do. Only an
   * absent engine is waited for; what a better configuration must mend is thrown.
   */
  readonly retryUntilUp: <T>(what: string, work: () => Promise<T>) => Promise<T>;
  /** What is waited for now, and why; null = nothing. */
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
          logger.warn(waiting, 'waiting for an engine; trying again');
          await clock.wait(retryIntervalMs, never);
        }
      }
    },
  };
};

/**
 * All of a stop: supervisors wait 10 s before they kill, and the process ends in what is left.
 */
const closeAllWithinMs = 9_000;
/** One that hangs leaves the others their part. */
const closeWithinMs = 3_000;
/** The API has 5 s, and those who work beside it end what they are at in the same time. */
const endWithinMs = 5_500;

type Closer = { readonly name: string; readonly close: () => Promise<void> | void };

/**
 * Closes what was opened: at once whatever works with the engines, then these, the last first. Each
 * is tried whatever the others do, and waited for as long as a stop may take; `close` throws Fault
 * `unavailable` with the names of those that took longer.
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
    return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  };
  return {
    /** An engine, which others need until they ended. */
    add: (name: string, close: Closer['close']): void => {
      opened.push({ name, close });
    },
    /** Something that works with engines. */
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
