import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import type {
  LogDamage,
  WriteOrder,
  OrderOutcome,
  WriteFailure,
  AppendOrder,
  AppendOutcome,
} from './log-orders.js';
import { openAppender } from './log-append.js';

/** Limits of one transaction: enough to share a sync, little enough to keep the wait short. */
const transactionBytesMax = 4 * 1024 * 1024;
const transactionOrdersMax = 2_048;
const probeBytesMin = 64 * 1024;

/**
 * Takes the next transaction's orders from the front: appends together, erasures together, a probe
 * by itself.
 */
export const takeTransaction = (waiting: WriteOrder[]): readonly WriteOrder[] => {
  const kind = waiting[0]?.kind;
  let bytes = 0;
  let count = 0;
  for (const order of waiting) {
    const isFull = count === transactionOrdersMax || bytes >= transactionBytesMax;
    if (order.kind !== kind || kind === 'probe' || isFull) break;
    bytes += bytesOf(order);
    count += 1;
  }
  return waiting.splice(0, Math.max(count, 1));
};

/**
 * Executes orders on the writer's connection. A full disk rolls the commit back cleanly, so it can
 * be retried: until a probe has committed, everything else is refused. After any other failure the
 * state of the disk is unknown (after a failed sync the kernel may have dropped the pages and
 * marked them clean, so that a retry succeeds and means nothing): from then on everything is
 * refused.
 */
export const openTransactions = (database: Database) => {
  const writes = openWriteOperations(database);
  let failure: WriteFailure | null = null;
  /** A probe is as large as the failed write, so that its success means something. */
  let probeBytes = probeBytesMin;

  const write = (orders: readonly WriteOrder[]): readonly OrderOutcome[] => {
    const appends = orders.filter((order) => order.kind === 'append');
    if (appends.length > 0) return writes.append(appends);
    const streams = orders.flatMap((order) => (order.kind === 'erase' ? [order.stream] : []));
    if (streams.length > 0) writes.erase(streams);
    else {
      writes.probe(probeBytes);
      failure = null;
    }
    return orders.map(({ id }) => ({ id, written: [], last: writes.last() }));
  };

  /** Rolls back a failed transaction, which leaves nothing in the log after a full disk. */
  const undone = (error: unknown, orders: readonly WriteOrder[]): WriteFailure => {
    let failed = failureOf(error);
    try {
      writes.undo();
    } catch (second) {
      failed = { kind: 'fatal', cause: `${failed.cause}; then ${String(second)}` };
    }
    if (failed.kind !== 'busy') failure = failed;
    const bytes = orders.reduce((sum, order) => sum + bytesOf(order), 0);
    probeBytes = Math.max(probeBytesMin, Math.min(bytes, transactionBytesMax));
    return failed;
  };

  return {
    last: writes.last,
    /** Refuses every later order: the file is damaged. */
    refuse: (damage: LogDamage): WriteFailure => {
      failure = { kind: 'damaged', ...damage };
      return failure;
    },
    /** Executes orders in one transaction; returns an outcome for each. Never throws. */
    execute: (orders: readonly WriteOrder[]): readonly OrderOutcome[] => {
      const refusal = failure;
      if (refusal !== null && (refusal.kind !== 'full' || orders[0]?.kind !== 'probe')) {
        return orders.map(({ id }) => ({ id, failed: refusal }));
      }
      try {
        return write(orders);
      } catch (error) {
        const failed = undone(error, orders);
        return orders.map(({ id }) => ({ id, failed }));
      }
    },
    /**
     * Returns a failure that ends the writer, else null. A full disk is left to the next commit.
     */
    keepWalShort: (): WriteFailure | null => {
      if (failure !== null) return null;
      try {
        writes.keepWalShort();
        return null;
      } catch (error) {
        const failed = failureOf(error);
        if (failed.kind !== 'fatal' && failed.kind !== 'damaged') return null;
        failure = failed;
        return failed;
      }
    },
  };
};

const bytesOf = (order: WriteOrder): number => (order.kind === 'append' ? order.bytes : 0);

const busyCode = 'SQLITE_BUSY';
// SQLite reports the second when the index of the WAL, a file in the same folder, could not grow.
const fullCodes: readonly unknown[] = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];

const failureOf = (error: unknown): WriteFailure => {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  // Appends are checked before they insert: a conflicting event is one that an index missed.
  const isHidden = code?.startsWith('SQLITE_CONSTRAINT') === true;
  if (isHidden || isDamage(error)) {
    return { kind: 'damaged', cause: `${code}: ${message}`, hidesEvents: isHidden };
  }
  const kind = code === busyCode ? 'busy' : fullCodes.includes(code) ? 'full' : 'fatal';
  return { kind, cause: `${code ?? 'no code'}: ${message}` };
};

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
const openWriteOperations = (database: Database) => {
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
