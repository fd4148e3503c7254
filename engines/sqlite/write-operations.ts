import type { Database } from './database.js';
import { openAppender } from './log-append.js';
import type { AppendOrder, AppendOutcome, OrderOutcome } from './log-orders.js';

/**
 * WAL pages (of 8 KiB, so 32 MiB) after which the WAL is checkpointed into the file, between
 * commits, never waiting for readers. Rarer checkpoints would write less twice and stall commits
 * longer.
 */
const checkpointPages = 4_000;
/** Bytes written between two checks of the WAL's length. */
const walCheckBytes = 2 * 1024 * 1024;

/**
 * Write operations on the file. Each method throws SQLite's errors; the caller then calls `undo`
 * before anything else.
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
  /** Appends of one call; each with `afterPrevious` is a conflict after a conflict. */
  const appendInOrder = (batch: AppendOrder['batch']): readonly AppendOutcome[] => {
    const outcomes: AppendOutcome[] = [];
    for (const order of batch) {
      const isRefused = order.afterPrevious === true && outcomes.at(-1) === 'conflict';
      outcomes.push(isRefused ? 'conflict' : appender.append(order));
    }
    return outcomes;
  };
  return {
    last: appender.last,
    append: (orders: readonly AppendOrder[]): readonly OrderOutcome[] => {
      wal.grew(orders.reduce((sum, order) => sum + order.bytes, 0));
      const outcomes: OrderOutcome[] = [];
      inTransaction(() => {
        for (const { id, batch } of orders) {
          outcomes.push({ id, written: appendInOrder(batch), last: appender.last() });
        }
      });
      return outcomes;
    },
    /**
     * Erases streams. Deleted content also lies in the WAL until that is emptied, once for all
     * waiting orders; success is reported after that. An erasure that fails half done is repeated
     * whole.
     */
    erase: (streams: readonly string[]): void => {
      inTransaction(() => streams.forEach(appender.erase));
      wal.empty();
    },
    /** Succeeds when the disk has room for that many bytes. */
    probe: (bytes: number): void => {
      inTransaction(() => void fill.run(bytes));
      inTransaction(() => void unfill.run());
    },
    /** Rolls back; the log has nothing of an interrupted transaction. */
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
  let bytesSinceCheck = 0;
  return {
    grew: (bytes: number): void => {
      bytesSinceCheck += bytes;
    },
    /** Waits some seconds for readers that still use it. */
    empty: (): void => {
      if (truncate.get()?.busy === 0) return;
      throw Object.assign(new Error('a reader keeps the content in the WAL'), { code: busyCode });
    },
    keepShort: (): void => {
      if (bytesSinceCheck < walCheckBytes) return;
      bytesSinceCheck = 0;
      if ((pages.get()?.log ?? 0) > checkpointPages) checkpoint.run();
    },
  };
};

export const busyCode = 'SQLITE_BUSY';
