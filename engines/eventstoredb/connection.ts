import { setTimeout as pause } from 'node:timers/promises';
import type { AllStreamResolvedEvent, ResolvedEvent, StreamingRead } from '@eventstore/db-client';
import { Fault } from '../../kernel/fault.js';
import { openClient } from './client.js';

/**
 * How long a silent server is waited for: a write, or a read that hears nothing, is given up after
 * `answerMs` (a healthy cluster commits or says no within 2 s), a call with all its repeats after
 * `callMs`, and a subscription after two looks `lookMs` apart at which it is behind.
 */
export type CallTimeouts = {
  readonly answerMs: number;
  readonly callMs: number;
  readonly lookMs: number;
  /** Before the first repeat; four times as long before each further one. */
  readonly restMs: number;
};
const defaultTimeouts: CallTimeouts = { answerMs: 4_000, callMs: 8_000, lookMs: 5_000, restMs: 50 };
/** Tries of one call; a server that was started again answers the second. */
const triesMax = 4;

/** How often a server that could not be reached is asked whether it is back. */
const probeMs = 1_000;
const closeWithinMs = 1_000;

/**
 * What an error of the client says about the stream or about what was written. `elsewhere`: another
 * node leads and nothing was written. `refused`: nothing was written, and asking again will not
 * help. `unknown`: it may be written, now or later.
 */
type FailureKind = 'conflict' | 'erased' | 'missing' | 'elsewhere' | 'refused' | 'unknown';

const failureKinds: Readonly<Record<string, FailureKind>> = {
  'wrong-expected-version': 'conflict',
  'stream-deleted': 'erased',
  'stream-not-found': 'missing',
  'no-stream': 'missing',
  'not-leader': 'elsewhere',
  'access-denied': 'refused',
  'maximum-append-size-exceeded': 'refused',
  'invalid-argument': 'refused',
  unsupported: 'refused',
};
export const failureKindOf = (error: unknown): FailureKind =>
  failureKinds[String((error as { readonly type?: unknown } | null)?.type)] ?? 'unknown';

/** The client does not end a wait by itself; the outcome of what it waited for is then unknown. */
const withTimeout = async <T>(withinMs: number, what: string, work: Promise<T>): Promise<T> => {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), withinMs);
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
};

export type Connection = ReturnType<typeof openConnection>;

/**
 * The client of one server or cluster and what is known of its health. The connection string passes
 * through: TLS, credentials, gossip and discovery are the client's. Connects with the first call.
 * Throws what the client throws at a string it cannot read.
 */
export const openConnection = (url: string, patience: CallTimeouts = defaultTimeouts) => {
  const client = openClient(url);
  const { answerMs } = patience;
  // Nobody may be writing because this says that nobody can: it has to find out by itself.
  const health = openConnectionHealth(() => {
    const end = client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    return forEachEvent(end, () => true, answerMs);
  });
  const { well } = health;
  const tries = () => openBackoff(health, patience);

  /**
   * Opens a read and hands over what it brings until `take` answers false. A read that fails on the
   * way begins anew, so `take` must bear to see events again. Answers `erased` or `missing` where
   * the stream is; else throws Fault `unavailable`.
   */
  const read = async <E extends ResolvedEvent | AllStreamResolvedEvent>(
    open: () => StreamingRead<E>,
    begin: () => (event: E) => boolean,
  ): Promise<'read' | 'erased' | 'missing'> => {
    health.checkOpen();
    const again = openBackoff(health, patience, health.unanswered);
    for (;;) {
      try {
        await forEachEvent(open(), begin(), answerMs);
        well();
        return 'read';
      } catch (error) {
        const trouble = failureKindOf(error);
        if (trouble === 'erased' || trouble === 'missing') {
          well();
          return trouble;
        }
        await again(error);
      }
    }
  };

  /** What the server answers to a write; without an answer in time the outcome is unknown. */
  const write = async <T>(what: string, send: (deadline: number) => Promise<T>): Promise<T> => {
    health.checkOpen();
    const answer = await withTimeout(answerMs, what, send(answerMs));
    well();
    return answer;
  };

  return {
    client,
    patience,
    read,
    write,
    tries,
    unavailable: health.unavailable,
    health: health.now,
    close: async (): Promise<void> => {
      health.close();
      await withTimeout(closeWithinMs, 'the farewell', client.dispose()).catch(() => null);
    },
  };
};

/**
 * Answers a function that waits before the next try, longer each time. It throws Fault
 * `unavailable` instead when trying again would not help or take too long.
 */
const openBackoff = (
  health: ConnectionHealth,
  { answerMs, callMs, restMs }: CallTimeouts,
  failed = health.unavailable,
) => {
  const end = performance.now() + callMs;
  let failures = 0;
  return async (error: unknown): Promise<void> => {
    failures += 1;
    const isOver = failures === triesMax || performance.now() > end - answerMs;
    if (health.isClosed() || isOver || failureKindOf(error) === 'refused') {
      throw failed(error);
    }
    await pause(restMs * 4 ** (failures - 1));
  };
};

type ConnectionHealth = ReturnType<typeof openConnectionHealth>;

/**
 * What the last call said; while that is bad, `look` is tried each second. An error that the server
 * answers to one read (type `unknown`: a position that is none, say) is no sign that it is ill:
 * then `look` decides, at once.
 */
const openConnectionHealth = (look: () => Promise<void>) => {
  let cause: string | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;
  const well = (): void => {
    cause = null;
  };
  const ill = (error: unknown): void => {
    cause = String(error);
    if (!closed) timer ??= setTimeout(again, probeMs).unref();
  };
  const again = (): void => {
    timer = null;
    look().then(well, ill);
  };
  const unavailable = (error: unknown): Fault => {
    ill(error);
    return new Fault('unavailable', 'The log cannot be reached now', {
      retryAfterSeconds: 2,
      cause: error,
    });
  };
  let looking: Promise<void> | null = null;
  return {
    well,
    unavailable,
    /** Of a read. */
    unanswered: (error: unknown): Fault => {
      if ((error as { readonly type?: unknown } | null)?.type !== 'unknown') {
        return unavailable(error);
      }
      looking ??= look()
        .then(well, ill)
        .finally(() => {
          looking = null;
        });
      const why = 'The log answered a read with an error';
      return new Fault('unavailable', why, { retryAfterSeconds: 2, cause: error });
    },
    now: () => ({ writable: cause === null && !closed, fatal: false, cause }),
    isClosed: () => closed,
    /** The client would connect once more. */
    checkOpen: (): void => {
      if (closed) throw new Fault('unavailable', 'The service is stopping');
    },
    close: (): void => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};

/**
 * Iterates in the same turn in which the read was opened: its errors would else be thrown past
 * everyone. What is left early is ended on the server as well.
 */
const forEachEvent = async <E>(
  reading: StreamingRead<E>,
  take: (event: E) => boolean,
  silenceMs: number,
): Promise<void> => {
  const giveUp = (): void => void reading.destroy(new Error('no answer to a read'));
  // What fails after nobody listens any more would be thrown past everyone as well.
  reading.on('error', () => undefined);
  const timer = setTimeout(giveUp, silenceMs);
  let isDone = false;
  try {
    for await (const event of reading) {
      timer.refresh();
      if (!take(event)) return;
    }
    isDone = true;
  } finally {
    clearTimeout(timer);
    if (!isDone) reading.cancel().catch(() => null);
  }
};
