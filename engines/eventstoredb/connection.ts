import { setTimeout as pause } from 'node:timers/promises';
import type { AllStreamResolvedEvent, ResolvedEvent, StreamingRead } from '@eventstore/db-client';
import { Fault } from '../../kernel/fault.js';
import { openClient } from './client.js';

/**
 * Timeouts for a silent server. A write, or a read that receives nothing, fails after `answerMs` (a
 * healthy cluster commits or rejects within 2 s), a call with all its retries after `callMs`, and a
 * subscription after two checks `lookMs` apart at which it lags.
 */
export type CallTimeouts = {
  readonly answerMs: number;
  readonly callMs: number;
  readonly lookMs: number;
  /** Backoff before the first retry; each further one waits four times as long. */
  readonly restMs: number;
};
const defaultTimeouts: CallTimeouts = { answerMs: 4_000, callMs: 8_000, lookMs: 5_000, restMs: 50 };
/** Attempts of one call; a restarted server responds to the second. */
const triesMax = 4;

/** Interval of health probes while the server cannot be reached. */
const probeMs = 1_000;
const closeWithinMs = 1_000;

/**
 * Meaning of a client error for the stream or the write. `elsewhere`: another node leads and
 * nothing was written. `refused`: nothing was written, and a retry will not help. `unknown`: it may
 * be written, now or later.
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

/**
 * Rejects when `work` takes longer; the client's own waits have no limit. The outcome of `work` is
 * then unknown.
 */
const withTimeout = async <T>(withinMs: number, what: string, work: Promise<T>): Promise<T> => {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response to ${what}`)), withinMs);
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
};

export type Connection = ReturnType<typeof openConnection>;

/**
 * Connection to one server or cluster, with its health. The connection string passes through: TLS,
 * credentials, gossip and discovery are the client's. Connects with the first call. Throws what the
 * client throws for an unreadable string.
 */
export const openConnection = (url: string, patience: CallTimeouts = defaultTimeouts) => {
  const client = openClient(url);
  const { answerMs } = patience;
  // While unhealthy, writes may be refused before they reach the server: recovery is detected by a
  // probe.
  const health = openConnectionHealth(() => {
    const end = client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    return forEachEvent(end, () => true, answerMs);
  });
  const { well } = health;
  const tries = () => openBackoff(health, patience);

  /**
   * Opens a read and passes its events on until `take` returns false. A read that fails midway
   * starts again, so `take` must tolerate repeated events. Returns `erased` or `missing` for such
   * streams; else throws Fault `unavailable`.
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
        const failureKind = failureKindOf(error);
        if (failureKind === 'erased' || failureKind === 'missing') {
          well();
          return failureKind;
        }
        await again(error);
      }
    }
  };

  /**
   * Sends a write and returns the server's response; without one in time the outcome is unknown.
   */
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
      await withTimeout(closeWithinMs, 'the disconnect', client.dispose()).catch(() => null);
    },
  };
};

/**
 * Exponential backoff: returns a function that waits before the next try, longer each time. It
 * throws Fault `unavailable` instead when a retry would not help or take too long.
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
 * Health by the outcome of the last call, with a heartbeat: while it is bad, `probe` runs each
 * second. An error response to a single read (type `unknown`: for example a position that does not
 * exist) does not mean that the server is unhealthy: then `probe` decides, at once.
 */
const openConnectionHealth = (probe: () => Promise<void>) => {
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
    probe().then(well, ill);
  };
  const unavailable = (error: unknown): Fault => {
    ill(error);
    return new Fault('unavailable', 'The log cannot be reached now', {
      retryAfterSeconds: 2,
      cause: error,
    });
  };
  let probing: Promise<void> | null = null;
  return {
    well,
    unavailable,
    /** Fault for a failed read. */
    unanswered: (error: unknown): Fault => {
      if ((error as { readonly type?: unknown } | null)?.type !== 'unknown') {
        return unavailable(error);
      }
      probing ??= probe()
        .then(well, ill)
        .finally(() => {
          probing = null;
        });
      const why = 'The log answered a read with an error';
      return new Fault('unavailable', why, { retryAfterSeconds: 2, cause: error });
    },
    now: () => ({ writable: cause === null && !closed, fatal: false, cause }),
    isClosed: () => closed,
    /** Throws Fault `unavailable` once closed: the client would reconnect. */
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
 * Iterates in the same tick in which the read was opened: its errors would otherwise be uncaught. A
 * read that stops early is cancelled on the server as well.
 */
const forEachEvent = async <E>(
  reading: StreamingRead<E>,
  take: (event: E) => boolean,
  silenceMs: number,
): Promise<void> => {
  const giveUp = (): void => void reading.destroy(new Error('no response to a read'));
  // Errors after the loop ended would be uncaught as well.
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
