import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { openMutex } from '../../kernel/concurrency.js';
import { Fault } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';
import { interruptAgainMs, runInterruptibly, openConnectionPool } from './connection-pool.js';
import type { SqlParameters } from './sql.js';
import { scanThreadsOf } from './scan-threads.js';

export type Rows = readonly (readonly DuckDBValue[])[];

/**
 * One connection for the length of a transaction, for one statement after the other. A failure of
 * the engine is a Fault `unavailable`.
 */
export type Statements = {
  readonly connection: DuckDBConnection;
  readonly rows: (sql: string, parameters?: SqlParameters) => Promise<Rows>;
};

export type ModelConnections = {
  /**
   * All statements of `work` see one state. At most `readersMax` at a time, the others wait in
   * turn. Interrupted when its asker waits no longer.
   */
  read<T>(work: (statements: Statements) => Promise<T>, asking?: QueryContext): Promise<T>;
  /** The same for what looks at more than a few rows: with a second thread of the engine. */
  scan<T>(work: (statements: Statements) => Promise<T>, asking?: QueryContext): Promise<T>;
  /** The same for one statement, which sees one state anyway: no transaction around it. */
  readOne<T>(work: (statements: Statements) => Promise<T>, asking?: QueryContext): Promise<T>;
  /** Ends what is read now, and what waits to be. */
  interrupt(): void;
  /**
   * One at a time, in the order of the calls; all of it is kept or, when `work` throws, nothing.
   */
  write<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Outside any transaction, after the writes asked for before. */
  maintain(sql: string): Promise<void>;
  /** Waits for the work at hand; again and again is once. */
  close(): Promise<void>;
  /** Ends the work at hand: nothing of it is worth waiting for. */
  abandon(): Promise<void>;
};

// More would only share the same two threads, and each holds memory for its query. The service
// asks fewer heavy questions at a time than this (service/read-models.ts), so that the projections
// and what an index finds never wait for them.
const readersMax = 8;

type ReadRunner = <T>(
  connection: DuckDBConnection,
  work: (statements: Statements) => Promise<T>,
  asking: QueryContext,
) => Promise<T>;

/** `catalog` is the attached file that unqualified table names mean. */
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
  const inTurn = openMutex();

  let closed: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    await inTurn(() => Promise.resolve());
    await readers.close();
    writer.closeSync();
  };
  const close = (): Promise<void> => (closed ??= closeAll());
  const interrupt = (): void => {
    const stopping = new Fault('unavailable', 'The records are closing');
    for (const ending of reading) ending.abort(stopping);
  };

  const reader =
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
      const asking = { signal: ending.signal };
      try {
        return await readers.withConnection(asking, (connection) => run(connection, work, asking));
      } finally {
        reading.delete(ending);
        signal?.removeEventListener('abort', end);
      }
    };

  const threads = scanThreadsOf(instance);
  const read = reader(readInTransaction);
  return {
    read,
    scan: (work, asking) => threads.runScan(() => read(work, asking)),
    readOne: reader((connection, work, asking) => work(statementsOf(connection, asking))),
    interrupt,
    write: (work) => inTurn(() => write(writer, work)),
    maintain: (sql) => inTurn(() => mapEngineErrors(() => writer.run(sql)).then(() => undefined)),
    close,
    abandon: async () => {
      interrupt();
      // One that still waits for a thread forgets it, and the next one knows nothing of it.
      const again = setInterval(() => writer.interrupt(), interruptAgainMs);
      writer.interrupt();
      await close().finally(() => clearInterval(again));
    },
  };
};

const write = async <T>(
  connection: DuckDBConnection,
  work: (statements: Statements) => Promise<T>,
): Promise<T> => {
  await mapEngineErrors(() => connection.run('BEGIN TRANSACTION'));
  return commitOrRollback(connection, () => work(statementsOf(connection, {})));
};

/**
 * The transaction begins with the first statement: going to a thread and back for it alone takes as
 * long as a small question.
 */
const readInTransaction: ReadRunner = async (connection, work, asking) => {
  const { rows } = statementsOf(connection, asking);
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
    // The rollback may fail too, as after a lost disk; the first failure is the one to tell.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

const statementsOf = (connection: DuckDBConnection, asking: QueryContext): Statements => ({
  connection,
  rows: (sql, parameters) =>
    mapEngineErrors(async () => {
      const reader = await runInterruptibly(connection, asking, () =>
        connection.runAndReadAll(sql, parameters?.values, parameters?.types),
      );
      return reader.getRows();
    }),
});

/** No error of the engine crosses the port. */
export const mapEngineErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('unavailable', 'The records cannot be read or written now', { cause });
  }
};
