import type { Database } from './database.js';
import { openAppender } from './log-append.js';
import type { AppendOrder, OrderOutcome } from './log-orders.js';

/**
 * WAL pages (of 8 KiB, so 32 MiB) after which the log file is brought up to date, between commits,
 * never waiting for readers. Rarer would write less twice and stall commits longer.
 */
const checkpointPages = 4_000;
/** How much is written between two looks at the WAL's length. */
const walCheckBytes = 2 * 1024 * 1024;

/**
 * What orders do to the file. Each method throws what SQLite throws; then `undo` comes before
 * anything else.
 */
export const openWriteOperations = (database: Database) => {
  const appender = openAppender(database);
  const wal = openWalControl(database);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const fill = database.prepare('INSERT OR REPLACE INTO probe VALUES (1, zeroblob(?))');
  const unfill = database.prepare('DELETE FROM probe');
  const inTransaction = (work: () => void): void => {
    begin.run();
    work();
    commit.run();
  };
  return {
    last: appender.last,
    append: (orders: readonly AppendOrder[]): readonly OrderOutcome[] => {
      wal.grew(orders.reduce((sum, order) => sum + order.bytes, 0));
      const outcomes: OrderOutcome[] = [];
      inTransaction(() => {
        for (const { id, batch } of orders) {
          outcomes.push({ id, written: batch.map(appender.append), last: appender.last() });
        }
      });
      return outcomes;
    },
    /**
     * Deleted content also lies in the WAL until that is emptied, once for all that wait; nobody
     * hears of success before. An erasure that fails half done is repeated whole.
     */
    erase: (streams: readonly string[]): void => {
      inTransaction(() => streams.forEach(appender.erase));
      wal.empty();
    },
    /** Succeeds where there is room for so much. */
    probe: (bytes: number): void => {
      inTransaction(() => void fill.run(bytes));
      inTransaction(() => void unfill.run());
    },
    /** Of a transaction that broke off nothing is in the log. */
    undo: (): void => {
      if (database.inTransaction()) rollback.run();
      appender.restart();
    },
    keepWalShort: wal.keepShort,
  };
};

const openWalControl = (database: Database) => {
  const pages = database.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)');
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const truncate = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  let bytesSinceLook = 0;
  return {
    grew: (bytes: number): void => {
      bytesSinceLook += bytes;
    },
    /** Waits some seconds for readers that still use it. */
    empty: (): void => {
      if (truncate.get()?.busy === 0) return;
      throw Object.assign(new Error('a reader keeps the content in the WAL'), { code: busyCode });
    },
    keepShort: (): void => {
      if (bytesSinceLook < walCheckBytes) return;
      bytesSinceLook = 0;
      if ((pages.get()?.log ?? 0) > checkpointPages) checkpoint.run();
    },
  };
};

export const busyCode = 'SQLITE_BUSY';
