import { once } from 'node:events';
import { startThread } from '../node/start-thread.js';
import { Fault } from '../../kernel/fault.js';
import type {
  AppendResult,
  NotificationBus,
  EventLog,
  EventReader,
  Position,
  StreamAppend,
  StreamName,
  Decode,
} from '../../kernel/ports.js';
import { markDamaged } from '../node/file-quarantine.js';
import { makeFolder } from '../node/files.js';
import {
  endOfOrders,
  type WriteOrder,
  type OrderOutcome,
  type WriterReady,
  type StreamOrder,
  type WriteFailure,
  type AppendOutcome,
} from './log-orders.js';
import { openStreamEndCache } from './stream-end-cache.js';
import { openWriterHealth } from './log-health.js';
import { damageAtStart } from './log-check.js';
import { damagedSubject, indexDamagedSubject } from './log-damage.js';
import { openLogReader } from './log-reader.js';
import { logFile, positionOf } from './log-schema.js';

type Options = { readonly dir: string; readonly bus: NotificationBus; readonly decode?: Decode };
type OrderWaiter = {
  readonly resolve: (written: readonly AppendOutcome[]) => void;
  readonly reject: (fault: Fault) => void;
};
type Post = (message: readonly WriteOrder[] | typeof endOfOrders) => void;
type WithoutId<T> = T extends WriteOrder ? Omit<T, 'id'> : never;
type NewOrder = WithoutId<WriteOrder>;

/**
 * Bytes waiting for the writer; beyond it appends are refused (load shedding) instead of queued
 * without end.
 */
const waitingBytesMax = 256 * 1024 * 1024;
/**
 * Orders of one event-loop tick are sent together; this many bytes are sent at once, to keep the
 * writer busy.
 */
const sendAtBytes = 128 * 1024;
/** Estimated size of an event besides its data: metadata, ids and its entries in two indexes. */
const eventOverheadBytes = 1_024;
const closeWithinMs = 5_000;

/**
 * Event log on SQLite (port EventLog; event sourcing). Appends go to a single writer in its own
 * thread and resolve after its commit is synced. On a full disk appends throw Fault `unavailable`
 * until a probe commits again, tried each second. Any other failed write or sync is fatal: this
 * process acknowledges nothing more and should end (exit 70) and recover from what the disk really
 * holds. Throws when the folder's log cannot be opened or written.
 */
export const openEventLog = async ({ dir, bus, decode }: Options): Promise<EventLog> => {
  await makeFolder(dir);
  const writer = await openWriter(dir, {
    grown: (last) => bus.publish('log.grown', positionOf(last)),
    hidden: (cause) => bus.publish(indexDamagedSubject, cause),
  });
  const damaged = (cause: string): void =>
    writer.suffer({ kind: 'damaged', cause, hidesEvents: false });
  const ends = openStreamEndCache();
  const hidden = writer.hidden;
  const reader = openLogReader({
    dir,
    bus,
    damaged,
    ends,
    hidden,
    ...(decode !== undefined && { decode }),
  });
  // A reader in another thread found damage: this one reads the same place and judges for itself.
  const unsubscribe = bus.subscribe(damagedSubject, (after) => {
    if (typeof after !== 'string') return;
    reader.page(after as Position, 1).catch(() => null);
  });
  return {
    ...reader,
    append: async (batch) => {
      const { orders, buffer } = encodeAppends(batch);
      const bytes = orders.reduce((sum, { events }) => sum + bytesOf(events), 0);
      const streams = batch.map(({ stream }) => stream);
      const written = await ends.invalidateDuring(streams, () =>
        writer.send({ kind: 'append', bytes, batch: orders, buffer }, bytes),
      );
      return written.map((outcome): AppendResult =>
        outcome === 'conflict' ? 'conflict' : { position: positionOf(outcome) },
      );
    },
    erase: async (stream: StreamName) => {
      await ends.invalidateDuring([stream], () => writer.send({ kind: 'erase', stream }, 0));
    },
    head: async () => positionOf(writer.last()),
    health: writer.health,
    close: async () => {
      unsubscribe();
      await reader.close();
      await writer.close();
    },
  } satisfies EventLog;
};

/** Reader of a log that another thread or process writes. The file must exist. */
export const openEventReader = async (options: Options): Promise<EventReader> => {
  const damage = damageAtStart(options.dir);
  let hidden = damage?.hidesEvents === true ? damage.cause : null;
  const unsubscribe = options.bus.subscribe(indexDamagedSubject, (cause) => {
    hidden = typeof cause === 'string' ? cause : 'an index';
  });
  const reader = openLogReader({
    ...options,
    hidden: () => hidden,
    damaged: (_cause, before) => {
      if (before !== null) options.bus.publish(damagedSubject, before);
    },
  });
  return {
    ...reader,
    close: async () => {
      unsubscribe();
      await reader.close();
    },
  };
};

/**
 * Proxy of the writer thread: sends orders, settles outcomes, and tracks the writer's health by
 * them.
 */
const openWriter = async (
  dir: string,
  notify: { readonly grown: (last: number) => void; readonly hidden: (cause: string) => void },
) => {
  const { thread, last: first, damage } = await startWriterThread(dir);
  const pending = openPendingOrders((message) => postOrders(thread, message));
  const probe = (): Promise<unknown> => pending.order({ kind: 'probe' }, 0);
  const health = openWriterHealth(probe, ({ cause, hidesEvents }) => {
    markDamaged(logFile(dir));
    if (hidesEvents) notify.hidden(cause);
  });
  if (damage !== null) health.suffer({ kind: 'damaged', ...damage });
  let last = first;
  let bytesWaiting = 0;
  let closing = false;

  const settle = (outcome: OrderOutcome): void => {
    if ('failed' in outcome) health.suffer(outcome.failed);
    else last = Math.max(last, outcome.last);
    pending.settle(outcome);
  };
  thread.on('message', (outcomes: readonly OrderOutcome[]) => {
    const before = last;
    outcomes.forEach(settle);
    if (last > before) notify.grown(last);
  });
  const lost = (cause: string): void => {
    if (!closing) health.suffer({ kind: 'fatal', cause });
    pending.abandon(cause);
  };
  thread.on('error', (error) => lost(String(error)));
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', (code) => {
      lost(`the writer ended with ${code}`);
      resolve();
    });
  });

  return {
    last: () => last,
    health: health.status,
    suffer: health.suffer,
    hidden: health.hidden,
    send: async (order: NewOrder, bytes: number): Promise<readonly AppendOutcome[]> => {
      const { writable, cause, isDamaged } = health.now();
      if (isDamaged) throw damagedLog(String(cause));
      if (!writable || closing) throw unavailable(cause ?? 'the log is closed');
      if (bytesWaiting > 0 && bytesWaiting + bytes > waitingBytesMax) {
        throw unavailable(`${bytesWaiting} bytes wait for the writer already`);
      }
      bytesWaiting += bytes;
      try {
        return await pending.order(order, bytes);
      } finally {
        bytesWaiting -= bytes;
      }
    },
    /** Writes earlier orders first; a writer that does not end by itself is terminated. */
    close: async (): Promise<void> => {
      if (closing) return ended;
      closing = true;
      health.stop();
      pending.end();
      const impatience = setTimeout(() => void thread.terminate(), closeWithinMs);
      await ended;
      clearTimeout(impatience);
    },
  };
};

const startWriterThread = async (dir: string) => {
  const thread = startThread('log-writer', { workerData: { dir } });
  const [ready] = (await once(thread, 'message')) as [WriterReady];
  if (!('refused' in ready)) return { thread, ...ready };
  const why = `The log in ${dir} cannot be opened: ${ready.refused}`;
  // A retry repairs no file.
  if (!/malformed|not a database/.test(ready.refused)) throw new Fault('unavailable', why);
  const what = 'log.sqlite is damaged; the position is unknown: the file cannot be opened';
  throw new Fault('invalid', `${why}; ${what}; see: assay doctor, assay restore`);
};

/** Pending orders by number, with the promises of their callers. */
const openPendingOrders = (post: Post) => {
  const outbox = openOutbox(post);
  const waiters = new Map<number, OrderWaiter>();
  let orders = 0;
  return {
    order: (order: NewOrder, bytes: number): Promise<readonly AppendOutcome[]> => {
      orders += 1;
      const id = orders;
      return new Promise((resolve, reject) => {
        waiters.set(id, { resolve, reject });
        outbox.put({ ...order, id }, bytes);
      });
    },
    settle: (outcome: OrderOutcome): void => {
      const waiter = waiters.get(outcome.id);
      waiters.delete(outcome.id);
      if ('failed' in outcome) waiter?.reject(faultOf(outcome.failed));
      else waiter?.resolve(outcome.written);
    },
    abandon: (cause: string): void => {
      for (const { reject } of waiters.values()) reject(unavailable(cause));
      waiters.clear();
    },
    end: (): void => outbox.put(endOfOrders, 0),
  };
};

/** Batches the orders of one event-loop tick, in order. */
const openOutbox = (post: Post) => {
  let collected: WriteOrder[] = [];
  let bytesCollected = 0;
  let isPlanned = false;
  const flush = (): void => {
    isPlanned = false;
    if (collected.length > 0) post(collected);
    collected = [];
    bytesCollected = 0;
  };
  return {
    put: (order: WriteOrder | typeof endOfOrders, bytes: number): void => {
      if (order === endOfOrders) {
        flush();
        post(order);
        return;
      }
      collected.push(order);
      bytesCollected += bytes;
      if (bytesCollected >= sendAtBytes) flush();
      else if (!isPlanned) {
        isPlanned = true;
        setImmediate(flush);
      }
    },
  };
};

const faultOf = ({ kind, cause }: WriteFailure): Fault =>
  kind === 'damaged' ? damagedLog(cause) : unavailable(cause);

const damagedLog = (cause: string): Fault =>
  new Fault('log-damaged', 'The log is damaged: nothing is written to it any more', { cause });

const unavailable = (cause: string): Fault =>
  new Fault('unavailable', 'The log cannot be written now', { retryAfterSeconds: 2, cause });

/**
 * Encodes appends. JSON that comes as bytes is joined in one buffer, which the writer takes over
 * without another copy.
 */
const encodeAppends = (batch: readonly StreamAppend[]) => {
  const join = openJoinBuffer(
    batch.flatMap(({ events }) => events.flatMap(({ json = [] }) => json)),
  );
  const orders = batch.map(({ stream, expected, events, afterPrevious }): StreamOrder => ({
    stream,
    expected: expected === 'none' ? -1 : expected,
    events: events.map(({ id, type, data, json, metadata }) => ({
      id,
      type,
      // `undefined` has no JSON; in the writer it would fail a transaction that others share.
      data: json === undefined ? JSON.stringify(data ?? null) : join.put(json),
      metadata: JSON.stringify(metadata),
    })),
    ...(afterPrevious && { afterPrevious }),
  }));
  return { orders, buffer: join.buffer };
};

/** Buffers of the orders move to the thread of the writer. */
const postOrders = (thread: ReturnType<typeof startThread>, message: Parameters<Post>[0]): void =>
  thread.postMessage(message, message === endOfOrders ? [] : message.flatMap(buffersOf));

const buffersOf = (order: WriteOrder): readonly ArrayBuffer[] =>
  order.kind === 'append' && order.buffer !== null ? [order.buffer] : [];

/** Buffer with room for these pieces. */
const openJoinBuffer = (all: readonly Uint8Array[]) => {
  const buffer = Buffer.allocUnsafeSlow(all.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  return {
    buffer: all.length === 0 ? null : buffer.buffer,
    put: (pieces: readonly Uint8Array[]): Uint8Array => {
      const from = end;
      for (const piece of pieces) {
        buffer.set(piece, end);
        end += piece.length;
      }
      return buffer.subarray(from, end);
    },
  };
};

const bytesOf = (events: StreamOrder['events']): number =>
  events.reduce((sum, { data }) => sum + data.length + eventOverheadBytes, 0);
