import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../../kernel/fault.js';
import type { Parameters } from './sql.js';

export type Rows = readonly (readonly DuckDBValue[])[];

/**
 * One connection for the length of a transaction. A failure of the engine is a Fault `unavailable`.
 */
export type Statements = {
  readonly connection: DuckDBConnection;
  readonly rows: (sql: string, parameters?: Parameters) => Promise<Rows>;
};

export type Connections = {
  /**
   * All statements of `work` see one state. At most `readersMax` at a time, the others wait in
   * turn.
   */
  read<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /**
   * One at a time, in the order of the calls; all of it is kept or, when `work` throws, nothing.
   */
  write<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Outside any transaction, after the writes asked for before. */
  maintain(sql: string): Promise<void>;
  /** Waits for the work at hand. */
  close(): Promise<void>;
};

// More would only share the same two threads, and each holds memory for its query.
const readersMax = 4;

/** `catalog` is the attached file that unqualified table names mean. */
export const openConnections = async (
  instance: DuckDBInstance,
  catalog: string,
): Promise<Connections> => {
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(`USE ${catalog}`);
    return connection;
  };
  const writer = await connect();
  const idle: DuckDBConnection[] = [];
  const waiting: ((connection: DuckDBConnection) => void)[] = [];
  for (let opened = 0; opened < readersMax; opened += 1) idle.push(await connect());
  let written: Promise<unknown> = Promise.resolve();
  let closed = false;

  const acquire = (): Promise<DuckDBConnection> => {
    if (closed) return Promise.reject(new Fault('unavailable', 'The records are closed'));
    const connection = idle.pop();
    return connection === undefined
      ? new Promise((resolve) => waiting.push(resolve))
      : Promise.resolve(connection);
  };
  const release = (connection: DuckDBConnection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = written.then(work);
    written = result.catch(() => undefined);
    return result;
  };

  return {
    read: async (work) => {
      const connection = await acquire();
      try {
        return await transaction(connection, 'BEGIN TRANSACTION READ ONLY', work);
      } finally {
        release(connection);
      }
    },
    write: (work) => inTurn(() => transaction(writer, 'BEGIN TRANSACTION', work)),
    maintain: (sql) => inTurn(() => attempt(() => writer.run(sql)).then(() => undefined)),
    close: async () => {
      await written;
      const readers = Array.from({ length: readersMax }, acquire);
      closed = true;
      for (const connection of [...(await Promise.all(readers)), writer]) connection.closeSync();
    },
  };
};

const transaction = async <T>(
  connection: DuckDBConnection,
  begin: string,
  work: (statements: Statements) => Promise<T>,
): Promise<T> => {
  await attempt(() => connection.run(begin));
  try {
    const result = await work(statementsOf(connection));
    await attempt(() => connection.run('COMMIT'));
    return result;
  } catch (error) {
    // The rollback may fail too, as after a lost disk; the first failure is the one to tell.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

const statementsOf = (connection: DuckDBConnection): Statements => ({
  connection,
  rows: (sql, parameters) =>
    attempt(async () => {
      const reader = await connection.runAndReadAll(sql, parameters?.values, parameters?.types);
      return reader.getRows();
    }),
});

/** No error of the engine crosses the port. */
export const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('unavailable', 'The records cannot be read or written now', { cause });
  }
};
