import type Database from 'better-sqlite3';
import { openAppender } from './log-append.js';
import type { AppendOrder, Order, OrderOutcome, WriteFailure } from './log-orders.js';

/** Of one transaction: enough to share a sync, little enough to keep the wait short. */
const transactionBytesMax = 4 * 1024 * 1024;
const transactionOrdersMax = 2_048;
/**
 * WAL pages (of 8 KiB, so 32 MiB) after which the log file is brought up to date, between commits,
 * never waiting for readers. Rarer would write less twice and stall commits longer.
 */
const checkpointPages = 4_000;
/** How much is written between two looks at the WAL's length. */
const lookBytes = 2 * 1024 * 1024;
const probeBytesMin = 64 * 1024;

/**
 * The next transaction's orders, from the front: appends together, erasures together, a probe by
 * itself.
 */
export const take = (waiting: Order[]): readonly Order[] => {
  const kind = waiting[0]?.kind;
  let bytes = 0;
  let count = 0;
  for (const order of waiting) {
    const isFull = count === transactionOrdersMax || bytes >= transactionBytesMax;
    if (order.kind !== kind || kind === 'probe' || isFull) break;
    bytes += order.kind === 'append' ? order.bytes : 0;
    count += 1;
  }
  return waiting.splice(0, Math.max(count, 1));
};

/**
 * Executes orders on the writer's connection. A full disk rolls this commit back cleanly, so it can
 * be tried again: until a probe has committed, everything else is refused. After any other failure
 * nobody knows what is on the disk (after a failed sync the kernel may have dropped the pages and
 * marked them clean, so that a retry succeeds and means nothing): from then on everything is
 * refused.
 */
export const openTransactions = (database: Database.Database) => {
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

  const inTransaction = (work: () => void): void => {
    begin.run();
    work();
    commit.run();
  };

  /**
   * What failed was not acknowledged; of a transaction that found the disk full nothing is in the
   * log either.
   */
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

  const writeAppends = (orders: readonly AppendOrder[]): readonly OrderOutcome[] => {
    const bytes = orders.reduce((sum, order) => sum + order.bytes, 0);
    bytesSinceLook += bytes;
    const outcomes: OrderOutcome[] = [];
    const failed = attempt(bytes, () =>
      inTransaction(() => {
        for (const { id, batch } of orders) {
          outcomes.push({ id, written: batch.map(appender.append), last: appender.last() });
        }
      }),
    );
    return failed === null ? outcomes : orders.map(({ id }) => ({ id, failed }));
  };

  /**
   * Deleted content also lies in the WAL until that is emptied, once for all that wait; nobody
   * hears of success before. It waits some seconds for readers that still use the WAL; an erasure
   * that fails half done is repeated whole.
   */
  const erase = (streams: readonly string[]): void => {
    inTransaction(() => streams.forEach(appender.erase));
    if (emptyWal.get()?.busy === 0) return;
    throw Object.assign(new Error('a reader keeps the content in the WAL'), { code: busyCode });
  };

  const probe = (): void => {
    inTransaction(() => void fill.run(probeBytes));
    inTransaction(() => void unfill.run());
    failure = null;
  };

  const writeOthers = (orders: readonly Order[]): readonly OrderOutcome[] => {
    const streams = orders.flatMap((order) => (order.kind === 'erase' ? [order.stream] : []));
    const work = streams.length > 0 ? () => erase(streams) : probe;
    const failed = attempt(probeBytesMin, work);
    return orders.map(({ id }) =>
      failed === null ? { id, written: [], last: appender.last() } : { id, failed },
    );
  };

  return {
    last: appender.last,
    /** What `take` answered, in one transaction; an outcome for each. Never throws. */
    execute: (orders: readonly Order[]): readonly OrderOutcome[] => {
      const refusal = failure;
      if (refusal !== null && (refusal.kind === 'fatal' || orders[0]?.kind !== 'probe')) {
        return orders.map(({ id }) => ({ id, failed: refusal }));
      }
      const appends = orders.filter((order) => order.kind === 'append');
      return appends.length > 0 ? writeAppends(appends) : writeOthers(orders);
    },
    /**
     * Answers a failure that ends the writer, else null. A disk too full for it is left to the next
     * commit to find: the WAL may have room for that.
     */
    keepWalShort: (): WriteFailure | null => {
      if (bytesSinceLook < lookBytes || failure !== null) return null;
      bytesSinceLook = 0;
      try {
        if ((walPages.get()?.log ?? 0) > checkpointPages) checkpoint.run();
        return null;
      } catch (error) {
        const failed = failureOf(error);
        if (failed.kind !== 'fatal') return null;
        failure = failed;
        return failed;
      }
    },
  };
};

const busyCode = 'SQLITE_BUSY';
// The second is how SQLite says that the index of the WAL, a file in the same folder, could not
// grow.
const fullCodes: readonly unknown[] = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];

const failureOf = (error: unknown): WriteFailure => {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const kind = code === busyCode ? 'busy' : fullCodes.includes(code) ? 'full' : 'fatal';
  return { kind, cause: `${code ?? 'no code'}: ${message}` };
};
