import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { openMutex } from '../../kernel/concurrency.js';
import { Fault } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';
import { interruptAgainMs, runInterruptibly, openConnectionPool } from './connection-pool.js';
import type { SqlParameters } from './sql.js';
import { scanThreadsOf } from './scan-threads.js';

export type Rows = readonly (readonly DuckDBValue[])[];

/**
 * Statements of one connection, run in sequence within a transaction. Engine errors become Fault
 * `unavailable`.
 */
export type Statements = {
  readonly connection: DuckDBConnection;
  readonly rows: (sql: string, parameters?: SqlParameters) => Promise<Rows>;
};

export type ModelConnections = {
  /**
   * Runs `work` in a read transaction: all its statements see one snapshot. At most `readersMax` at
   * a time, further ones queue; interrupted on cancellation.
   */
  read<T>(work: (statements: Statements) => Promise<T>, context?: QueryContext): Promise<T>;
  /** `read` with a second engine thread, for work that scans more than a few rows. */
  scan<T>(work: (statements: Statements) => Promise<T>, context?: QueryContext): Promise<T>;
  /** `read` without a transaction, for a single statement, which sees one snapshot anyway. */
  readOne<T>(work: (statements: Statements) => Promise<T>, context?: QueryContext): Promise<T>;
  /** Interrupts running and queued reads. */
  interrupt(): void;
  /**
   * Runs `work` in a write transaction, one at a time in call order; rolled back when `work`
   * throws.
   */
  write<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /**
   * Runs a statement outside any transaction, after the writes queued before it; returns its rows.
   */
  maintain(sql: string): Promise<Rows>;
  /** Writes all rows into the file, after the writes queued before. */
  checkpoint(): Promise<void>;
  /** Closes after running work ends; repeated calls share one close. */
  close(): Promise<void>;
  /** Closes and interrupts running work. */
  abandon(): Promise<void>;
};

// More would only share the same two threads, and each holds memory for its query. The service runs
// fewer heavy queries at a time than this (service/read-models.ts), so that projections and index
// look-ups never wait for them.
const readersMax = 8;

type ReadRunner = <T>(
  connection: DuckDBConnection,
  work: (statements: Statements) => Promise<T>,
  context: QueryContext,
) => Promise<T>;

/** Opens the connections; `catalog` is the attached file of unqualified table names. */
export const openConnections = async (
  instance: DuckDBInstance,
  catalog: string,
): Promise<ModelConnections> => {
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(`USE ${catalog}`);
    return connection;
  };
  const writer = await connect();
  const opened: DuckDBConnection[] = [];
  while (opened.length < readersMax) opened.push(await connect());
  const readers = openConnectionPool(opened);
  const reading = new Set<AbortController>();
  const runExclusive = openMutex();

  let closed: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    await runExclusive(() => Promise.resolve());
    await readers.close();
    writer.closeSync();
  };
  const close = (): Promise<void> => (closed ??= closeAll());
  /** Queues work on the writer; refused once that is to be closed: a statement would crash. */
  const onWriter = <T>(work: () => Promise<T>): Promise<T> =>
    closed === null
      ? runExclusive(work)
      : Promise.reject(new Fault('unavailable', 'The records are closed'));
  const interrupt = (): void => {
    const stopping = new Fault('unavailable', 'The records are closing');
    for (const ending of reading) ending.abort(stopping);
  };

  const reader = poolReader(readers, reading);
  const threads = scanThreadsOf(instance);
  const read = reader(readInTransaction);
  return {
    read,
    scan: (work, context) => threads.runScan(() => read(work, context)),
    readOne: reader((connection, work, context) => work(statementsOf(connection, context))),
    interrupt,
    write: (work) => onWriter(() => write(writer, work)),
    maintain: (sql) => onWriter(() => statementsOf(writer, {}).rows(sql)),
    // FORCE waits where the engine still clears away a write that ended; without, it refuses.
    checkpoint: async () => {
      await onWriter(() => statementsOf(writer, {}).rows(`FORCE CHECKPOINT ${catalog}`));
    },
    close,
    abandon: async () => {
      interrupt();
      // A waiting statement drops the interrupt; the next one is unaffected.
      const again = setInterval(() => writer.interrupt(), interruptAgainMs);
      writer.interrupt();
      await close().finally(() => clearInterval(again));
    },
  };
};

/** Runs reads on connections of the pool; `reading` gets what interrupts each of them. */
const poolReader =
  (readers: ReturnType<typeof openConnectionPool>, reading: Set<AbortController>) =>
  (run: ReadRunner) =>
  async <T>(
    work: (statements: Statements) => Promise<T>,
    { signal }: QueryContext = {},
  ): Promise<T> => {
    const ending = new AbortController();
    const end = (): void => ending.abort(signal?.reason);
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end, { once: true });
    reading.add(ending);
    const context = { signal: ending.signal };
    try {
      return await readers.withConnection(context, (connection) => run(connection, work, context));
    } finally {
      reading.delete(ending);
      signal?.removeEventListener('abort', end);
    }
  };

const write = async <T>(
  connection: DuckDBConnection,
  work: (statements: Statements) => Promise<T>,
): Promise<T> => {
  await mapEngineErrors(() => connection.run('BEGIN TRANSACTION'));
  return commitOrRollback(connection, () => work(statementsOf(connection, {})));
};

/**
 * Read transaction that begins with its first statement: a separate round trip to an engine thread
 * takes as long as a small query.
 */
const readInTransaction: ReadRunner = async (connection, work, context) => {
  const { rows } = statementsOf(connection, context);
  let begun = false;
  const begin = (): string => {
    const first = begun ? '' : 'BEGIN TRANSACTION READ ONLY; ';
    begun = true;
    return first;
  };
  const statements: Statements = {
    connection,
    rows: (sql, parameters) => rows(`${begin()}${sql}`, parameters),
  };
  return commitOrRollback(
    connection,
    () => work(statements),
    () => begun,
  );
};

const commitOrRollback = async <T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
  hasBegun: () => boolean = () => true,
): Promise<T> => {
  try {
    const result = await work();
    if (hasBegun()) await mapEngineErrors(() => connection.run('COMMIT'));
    return result;
  } catch (error) {
    // The rollback may fail too, as after a lost disk; report the first failure.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

const statementsOf = (connection: DuckDBConnection, context: QueryContext): Statements => ({
  connection,
  rows: (sql, parameters) =>
    mapEngineErrors(async () => {
      const reader = await runInterruptibly(connection, context, () =>
        connection.runAndReadAll(sql, parameters?.values, parameters?.types),
      );
      return reader.getRows();
    }),
});

/** Maps engine errors to Fault `unavailable`: none crosses the port. */
export const mapEngineErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('unavailable', 'The records cannot be read or written now', { cause });
  }
};
