import { Fault, redactedReason } from '../../kernel/fault.js';
import type { Clock } from '../../kernel/ports.js';

/** Heartbeat of an engine: a health check that runs once a second. */
export type HealthProbe<T> = {
  /** The newest result; null before the first. */
  readonly lastResult: () => T | null;
  /** Error of the last check; null when it succeeded. */
  readonly lastError: () => string | null;
  /** Runs a check now; resolves when it ends, at the latest after `withinMs`. */
  readonly probeNow: (withinMs: number) => Promise<void>;
  /**
   * Circuit breaker: runs `work`, or throws Fault `unavailable` once the heartbeat is missed, since
   * calls to a stopped engine would hang until their client's time-out. Calls that succeed extend
   * the heartbeat's time limit: a busy engine may answer it late.
   */
  readonly runWhileUp: <R>(work: () => Promise<R>) => Promise<R>;
};

const heartbeatMs = 1_000;
/** Together with the interval below the 3 s within which a read must fail. */
export const probeTimeoutMs = 1_500;
/** Limit for a thread of this process, which may be busy; no circuit breaker depends on it. */
export const threadProbeTimeoutMs = 5_000;

/** Starts the heartbeat, until `signal` aborts. `timeoutMs`: how long one check may take. */
export const startHealthProbe = <T>(
  { what, clock, signal }: { what: string; clock: Clock; signal: AbortSignal },
  check: () => Promise<T>,
  timeoutMs: number,
): HealthProbe<T> => {
  const results = openProbeResults<T>(what, clock);
  let running: Promise<void> | null = null;
  const beat = async (): Promise<void> => {
    const answered = new AbortController();
    const began = clock.milliseconds();
    for (let restMs = timeoutMs; restMs > 0 && !answered.signal.aborted;) {
      // Repeated while other calls succeed: the connection of this check may be dead.
      void results.record(check()).finally(() => answered.abort());
      await clock.wait(restMs, answered.signal);
      restMs = Math.max(began, results.lastSuccessAt()) + timeoutMs - clock.milliseconds();
    }
    // The answer may be queued behind work that blocked this event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (!answered.signal.aborted) results.timedOut(timeoutMs);
  };
  const probe = (): Promise<void> => {
    running ??= beat().finally(() => {
      running = null;
    });
    return running;
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await probe();
      await clock.wait(heartbeatMs, signal);
    }
  };
  void loop();
  return {
    lastResult: results.lastResult,
    lastError: results.lastError,
    probeNow: async (withinMs) => {
      const timeout = new AbortController();
      await Promise.race([
        probe().then(() => timeout.abort()),
        clock.wait(withinMs, timeout.signal),
      ]);
    },
    runWhileUp: results.runWhileUp,
  };
};

/** Results of checks, which may end in any order. */
const openProbeResults = <T>(what: string, clock: Clock) => {
  let lastResult: T | null = null;
  let lastError: string | null = null;
  let circuitFault: Fault | null = null;
  let started = 0;
  let newestSuccess = 0;
  let lastSuccessAt = -Infinity;
  const waiting = new Set<(fault: Fault) => void>();
  return {
    lastResult: () => lastResult,
    lastError: () => lastError,
    lastSuccessAt: () => lastSuccessAt,
    record: async (answer: Promise<T>): Promise<void> => {
      started += 1;
      const number = started;
      try {
        lastResult = await answer;
        [lastError, circuitFault, newestSuccess] = [null, null, Math.max(newestSuccess, number)];
      } catch (error) {
        // A later check that succeeded counts more.
        if (number > newestSuccess) lastError = redactedReason(error);
      }
    },
    timedOut: (forMs: number): void => {
      lastError = `${what} did not answer within ${forMs / 1_000} s`;
      const fault = new Fault('unavailable', lastError, { retryAfterSeconds: 1 });
      circuitFault = fault;
      for (const fail of waiting) fail(fault);
    },
    runWhileUp: async <R>(work: () => Promise<R>): Promise<R> => {
      if (circuitFault !== null) throw circuitFault;
      const { promise: circuitOpened, reject: fail } = Promise.withResolvers<never>();
      waiting.add(fail);
      try {
        const done = await Promise.race([work(), circuitOpened]);
        lastSuccessAt = clock.milliseconds();
        return done;
      } finally {
        waiting.delete(fail);
      }
    },
  };
};
