import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreDBClient,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { Fault } from '../../kernel/fault.js';

/** A read that hears nothing for so long is given up. */
const silenceMs = 5_000;
/** Tries of one read; a server that was started again answers the second. */
const triesMax = 3;
const restFirstMs = 50;
/** How often a server that could not be reached is asked whether it is back. */
const probeMs = 1_000;
const closeWithinMs = 1_000;

/**
 * What an error of the client says about the stream or about what was written. `elsewhere`: another
 * node leads and nothing was written. `refused`: nothing was written, and asking again will not
 * help. `unknown`: it may be written, now or later.
 */
export type Trouble = 'conflict' | 'erased' | 'missing' | 'elsewhere' | 'refused' | 'unknown';

const troubles: Readonly<Record<string, Trouble>> = {
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
export const troubleOf = (error: unknown): Trouble =>
  troubles[String((error as { readonly type?: unknown } | null)?.type)] ?? 'unknown';

/** The client does not end a wait by itself; the outcome of what it waited for is then unknown. */
export const answered = async <T>(withinMs: number, what: string, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), withinMs);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
};

export const restBefore = (attempt: number): Promise<void> =>
  pause(restFirstMs * 4 ** (attempt - 1), undefined, { ref: false });

export type Connection = ReturnType<typeof openConnection>;

/**
 * The client of one server or cluster and what is known of its health. The connection string passes
 * through: TLS, credentials, gossip and discovery are the client's. Connects with the first call.
 * Throws what the client throws at a string it cannot read.
 */
export const openConnection = (url: string) => {
  const client = EventStoreDBClient.connectionString(url);
  appendOneByOne(client);
  const health = { writable: true, cause: null as string | null };
  let closed = false;
  let probe: NodeJS.Timeout | null = null;

  const well = (): void => {
    health.writable = true;
    health.cause = null;
  };
  const ill = (error: unknown): void => {
    health.writable = false;
    health.cause = String(error);
    if (!closed) probe ??= setTimeout(ask, probeMs).unref();
  };
  const unavailable = (error: unknown): Fault => {
    ill(error);
    return new Fault('unavailable', 'The log cannot be reached now', {
      retryAfterSeconds: 2,
      cause: error,
    });
  };
  /** Nobody may be writing because this says that nobody can: it has to find out by itself. */
  const ask = (): void => {
    probe = null;
    collect(
      client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
      () => true,
    )
      .then(well)
      .catch(ill);
  };

  /**
   * Opens a read and hands over what it brings until `take` answers false. A read that fails on the
   * way begins anew, so `take` must bear to see events again. Answers `erased` or `missing` where
   * the stream is; else throws Fault `unavailable`.
   */
  const read = async <E extends ResolvedEvent | AllStreamResolvedEvent>(
    open: () => StreamingRead<E>,
    begin: () => (event: E) => boolean,
  ): Promise<'read' | 'erased' | 'missing'> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await collect(open(), begin());
        well();
        return 'read';
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'erased' || trouble === 'missing') return trouble;
        if (closed || trouble === 'refused' || attempt === triesMax) throw unavailable(error);
      }
      await restBefore(attempt);
    }
  };

  return {
    client,
    read,
    well,
    unavailable,
    health: () => ({ writable: health.writable && !closed, fatal: false, cause: health.cause }),
    close: async (): Promise<void> => {
      closed = true;
      if (probe !== null) clearTimeout(probe);
      await answered(closeWithinMs, 'the farewell', client.dispose()).catch(() => null);
    },
  };
};

/**
 * Iterates in the same turn in which the read was opened: its errors would else be thrown past
 * everyone. What is left early is ended on the server as well.
 */
const collect = async <E>(
  reading: StreamingRead<E>,
  take: (event: E) => boolean,
): Promise<void> => {
  const giveUp = (): void => void reading.destroy(new Error('no answer to a read'));
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

/**
 * Plain appends, each a call of its own with a deadline. The client's batch append shares one
 * stream and one map per process: an error rejects every append under way, and an answer that
 * comes after it is thrown past everyone, which ends the process.
 */
const appendOneByOne = (client: EventStoreDBClient): void => {
  if (!('supports' in client)) throw new TypeError('the client chooses appends in another way');
  Object.assign(client, { supports: async () => false });
};
