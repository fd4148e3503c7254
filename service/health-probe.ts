import { Fault, redactedReason } from '../kernel/fault.js';
import type { Clock } from '../kernel/ports.js';

/** An engine that is asked once a second whether it is there. */
export type HealthProbe<T> = {
  /** The newest answer; null: there was none yet. */
  readonly lastResult: () => T | null;
  /** Why the last question has no answer; null: it has one. */
  readonly lastError: () => string | null;
  /** Asks now, and resolves when that is answered, at the latest after so long. */
  readonly probeNow: (withinMs: number) => Promise<void>;
  /**
   * `work`, or Fault `unavailable` as soon as the engine is silent: one that is stopped, and not
   * gone, would be waited for until a time-out of its client. While work is answered the engine
   * speaks: a busy one may owe the answer to a beat for longer.
   */
  readonly runWhileUp: <R>(work: () => Promise<R>) => Promise<R>;
};

const heartbeatMs = 1_000;
/** With the time between two beats below the 3 s in which a read is to know. */
export const probeTimeoutMs = 1_500;
/** Of a thread of this process, which works on other things too; nobody heeds it. */
export const threadProbeTimeoutMs = 5_000;

/** Beats until `signal` aborts. `probeTimeoutMs`: how long an answer may take. */
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
      // Asked anew where others were answered meanwhile: the connection of a beat may be dead.
      void answers.take(ask()).finally(() => heard.abort());
      await clock.wait(restMs, heard.signal);
      restMs = Math.max(began, answers.spokeAt()) + patienceMs - clock.milliseconds();
    }
    // Where this process was busy itself, the answer lies there unheard.
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

/** What became of the questions, in whatever order they are answered. */
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
        // A later one that was answered says more.
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

/** The port, whose questions are given up once its engine is silent; `but` are asked as ever. */
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

/** What answers piece by piece. */
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
    // It ends after the piece that is waited for, which may be never.
    void iterator.return?.().catch(() => null);
  }
}
