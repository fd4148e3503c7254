import { Fault, redactedReason } from '../kernel/fault.js';
import type { Clock } from '../kernel/ports.js';

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

/** Starts the heartbeat, until `signal` aborts. `patienceMs`: how long one check may take. */
export const startHealthProbe = <T>(
  { what, clock, signal }: { what: string; clock: Clock; signal: AbortSignal },
  ask: () => Promise<T>,
  patienceMs: number,
): HealthProbe<T> => {
  const answers = openProbeResults<T>(what, clock);
  let asked: Promise<void> | null = null;
  const beat = async (): Promise<void> => {
    const heard = new AbortController();
    const began = clock.milliseconds();
    for (let restMs = patienceMs; restMs > 0 && !heard.signal.aborted;) {
      // Repeated while other calls succeed: the connection of this check may be dead.
      void answers.take(ask()).finally(() => heard.abort());
      await clock.wait(restMs, heard.signal);
      restMs = Math.max(began, answers.spokeAt()) + patienceMs - clock.milliseconds();
    }
    // The answer may be queued behind work that blocked this event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (!heard.signal.aborted) answers.missing(patienceMs);
  };
  const look = (): Promise<void> => {
    asked ??= beat().finally(() => {
      asked = null;
    });
    return asked;
  };
  const goOn = async (): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await clock.wait(heartbeatMs, signal);
    }
  };
  void goOn();
  return {
    lastResult: answers.known,
    lastError: answers.trouble,
    probeNow: async (withinMs) => {
      const over = new AbortController();
      await Promise.race([look().then(() => over.abort()), clock.wait(withinMs, over.signal)]);
    },
    runWhileUp: answers.heed,
  };
};

/** Results of checks, which may end in any order. */
const openProbeResults = <T>(what: string, clock: Clock) => {
  let known: T | null = null;
  let trouble: string | null = null;
  let silence: Fault | null = null;
  let questions = 0;
  let answered = 0;
  let spokeAt = -Infinity;
  const waiting = new Set<(fault: Fault) => void>();
  return {
    known: () => known,
    trouble: () => trouble,
    spokeAt: () => spokeAt,
    take: async (answer: Promise<T>): Promise<void> => {
      questions += 1;
      const question = questions;
      try {
        known = await answer;
        [trouble, silence, answered] = [null, null, Math.max(answered, question)];
      } catch (error) {
        // A later check that succeeded counts more.
        if (question > answered) trouble = redactedReason(error);
      }
    },
    missing: (forMs: number): void => {
      trouble = `${what} did not answer within ${forMs / 1_000} s`;
      const fault = new Fault('unavailable', trouble, { retryAfterSeconds: 1 });
      silence = fault;
      for (const giveUp of waiting) giveUp(fault);
    },
    heed: async <R>(work: () => Promise<R>): Promise<R> => {
      if (silence !== null) throw silence;
      const { promise: silent, reject: giveUp } = Promise.withResolvers<never>();
      waiting.add(giveUp);
      try {
        const done = await Promise.race([work(), silent]);
        spokeAt = clock.milliseconds();
        return done;
      } finally {
        waiting.delete(giveUp);
      }
    },
  };
};

/** Wraps a port in a circuit breaker driven by the heartbeat. Methods in `but` bypass it. */
export const withCircuitBreaker = <T extends object>(
  port: T,
  { runWhileUp }: Pick<HealthProbe<unknown>, 'runWhileUp'>,
  but: readonly (keyof T)[],
): T =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || but.includes(name as keyof T)) return member;
      return (...values: readonly unknown[]) => {
        const ask = (): unknown => (member as (...given: readonly unknown[]) => unknown)(...values);
        if (isStreamMethod(name)) return guardedStream(ask() as AsyncIterable<unknown>, runWhileUp);
        return runWhileUp(ask as () => Promise<unknown>);
      };
    },
  });

/** True for methods that answer with an AsyncIterable. */
const isStreamMethod = (name: string | symbol): boolean => name === 'portions' || name === 'dump';

async function* guardedStream(
  iterable: AsyncIterable<unknown>,
  heed: HealthProbe<unknown>['runWhileUp'],
): AsyncIterable<unknown> {
  const iterator = iterable[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await heed(() => iterator.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    // Not awaited: the running `next()` may never settle.
    void iterator.return?.().catch(() => null);
  }
}
