import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openAppender } from './log-append.js';
import {
  endOfOrders,
  type AppendOrder,
  type Order,
  type Outcome,
  type Ready,
  type WriteFailure,
} from './log-orders.js';
import { openForWriting } from './log-schema.js';

/**
 * The one writer, in a thread of its own. Whatever waits goes into one transaction: one sync serves every append that
 * waits (group commit). Answers leave after the commit.
 *
 * A full disk rolls this commit back cleanly, so it can be tried again: until a probe has committed, everything else is
 * refused. After any other failure nobody knows what is on the disk (after a failed sync the kernel may have dropped
 * the pages and marked them clean, so that a retry succeeds and means nothing): this writer then refuses for ever.
 */
const port = parentPort;
if (port === null) throw new Error('this file is the entry of the log writer’s thread');

/** Of one transaction: enough to share a sync, little enough to keep the wait short. */
const transactionBytesMax = 4 * 1024 * 1024;
const transactionOrdersMax = 2_048;
/** WAL pages (of 4 KiB) after which the log file is brought up to date, between commits, never waiting for readers. */
const checkpointPages = 8_000;
/** How much is written between two looks at the WAL's length. */
const lookBytes = 2 * 1024 * 1024;
const probeBytesMin = 64 * 1024;

const { dir } = workerData as { readonly dir: string };
const database = openForWriting(dir);
const appender = openAppender(database);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const rollback = database.prepare('ROLLBACK');
const walPages = database.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const emptyWal = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
const fill = database.prepare('INSERT OR REPLACE INTO probe VALUES (1, zeroblob(?))');
const unfill = database.prepare('DELETE FROM probe');

let failure: WriteFailure | null = null;
/** A probe is as large as what failed, so that success means something. */
let probeBytes = probeBytesMin;
let bytesSinceLook = 0;

// The second is how SQLite says that the index of the WAL, a file in the same folder, could not grow.
const fullCodes: readonly unknown[] = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];

const failureOf = (error: unknown): WriteFailure => {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const kind = code === 'SQLITE_BUSY' ? 'busy' : fullCodes.includes(code) ? 'full' : 'fatal';
  return { kind, cause: `${code ?? 'no code'}: ${message}` };
};

/** Runs what writes; after a failure nothing of it was acknowledged, and nothing of it is in the log if it was full. */
const attempt = (bytes: number, work: () => void): WriteFailure | null => {
  try {
    work();
    return null;
  } catch (error) {
    let failed = failureOf(error);
    try {
      if (database.inTransaction) rollback.run();
      appender.restart();
    } catch (second) {
      failed = { kind: 'fatal', cause: `${failed.cause}; then ${String(second)}` };
    }
    if (failed.kind !== 'busy') failure = failed;
    probeBytes = Math.max(probeBytesMin, Math.min(bytes, transactionBytesMax));
    return failed;
  }
};

const inTransaction = (work: () => void): void => {
  begin.run();
  work();
  commit.run();
};

const writeAppends = (orders: readonly AppendOrder[]): readonly Outcome[] => {
  const bytes = orders.reduce((sum, order) => sum + order.bytes, 0);
  const outcomes: Outcome[] = [];
  const failed = attempt(bytes, () =>
    inTransaction(() => {
      for (const { id, batch } of orders) {
        outcomes.push({ id, written: batch.map(appender.append), last: appender.last() });
      }
    }),
  );
  bytesSinceLook += bytes;
  return failed === null ? outcomes : orders.map(({ id }) => ({ id, failed }));
};

/**
 * Deleted content also lies in the WAL until that is emptied, once for all that wait; nobody hears of success before. It
 * waits some seconds for readers that still use the WAL; an erasure that fails half done is repeated whole.
 */
const eraseStreams = (streams: readonly string[]): void => {
  inTransaction(() => {
    for (const stream of streams) appender.erase(stream);
  });
  if (emptyWal.get()?.busy !== 0) {
    throw Object.assign(new Error('a reader keeps the content in the WAL'), {
      code: 'SQLITE_BUSY',
    });
  }
};

const probe = (): void => {
  inTransaction(() => void fill.run(probeBytes));
  inTransaction(() => void unfill.run());
  failure = null;
};

const writeAlone = (orders: readonly Exclude<Order, AppendOrder>[]): readonly Outcome[] => {
  const streams = orders.flatMap((order) => (order.kind === 'erase' ? [order.stream] : []));
  const failed = attempt(0, () => (streams.length > 0 ? eraseStreams(streams) : probe()));
  return orders.map(({ id }) =>
    failed === null ? { id, written: [], last: appender.last() } : { id, failed },
  );
};

/** A disk too full for it is left to the next commit to find: the WAL may have room for that. */
const keepWalShort = (): void => {
  if (bytesSinceLook < lookBytes || failure !== null) return;
  bytesSinceLook = 0;
  try {
    if ((walPages.get()?.log ?? 0) > checkpointPages) checkpoint.run();
  } catch (error) {
    const failed = failureOf(error);
    if (failed.kind !== 'fatal') return;
    failure = failed;
    port.postMessage([{ id: 0, failed }] satisfies readonly Outcome[]);
  }
};

const waiting: Order[] = [];

/** The next transaction's orders: appends together, erasures together, a probe by itself, in the order they came. */
const take = (): readonly Order[] => {
  const kind = waiting[0]?.kind;
  let bytes = 0;
  let count = 0;
  for (const order of waiting) {
    const size = order.kind === 'append' ? order.bytes : 0;
    if (order.kind !== kind || kind === 'probe') break;
    if (count === transactionOrdersMax || (count > 0 && bytes + size > transactionBytesMax)) break;
    bytes += size;
    count += 1;
  }
  return waiting.splice(0, Math.max(count, 1));
};

const execute = (orders: readonly Order[]): readonly Outcome[] => {
  const refusal = failure;
  if (refusal !== null && (refusal.kind === 'fatal' || orders[0]?.kind !== 'probe')) {
    return orders.map(({ id }) => ({ id, failed: refusal }));
  }
  const appends = orders.filter((order) => order.kind === 'append');
  if (appends.length > 0) return writeAppends(appends);
  return writeAlone(orders.filter((order) => order.kind !== 'append'));
};

type Message = readonly Order[] | typeof endOfOrders;
let ending = false;

const accept = (message: Message): void => {
  if (message === endOfOrders) ending = true;
  else for (const order of message) waiting.push(order);
};

port.on('message', (first: Message) => {
  accept(first);
  do {
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      accept(more.message as Message);
    }
    if (waiting.length > 0) port.postMessage(execute(take()));
    keepWalShort();
  } while (waiting.length > 0);
  if (!ending) return;
  database.close();
  port.close();
});

port.postMessage({ last: appender.last() } satisfies Ready);
