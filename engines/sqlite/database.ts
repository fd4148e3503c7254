import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { resultCode } from './result-codes.js';

/**
 * Compiled statement; its methods throw `SQLITE_…` errors, see `openDatabase`. Numbers are bound as
 * REAL: a column of type INTEGER stores 5 as 5, one without a type as 5.0.
 */
export type Statement<Values extends readonly unknown[] = readonly unknown[], Row = unknown> = {
  /** `lastInsertRowid` is that of the connection's last insert. */
  readonly run: (...values: Values) => { readonly lastInsertRowid: number | bigint };
  /** First row; undefined without one. */
  readonly get: (...values: Values) => Row | undefined;
  readonly all: (...values: Values) => Row[];
  /** Iterates row by row; the statement is reset when the loop ends. */
  readonly iterate: (...values: Values) => IterableIterator<Row>;
};

/** Connection to one file. Closing it rolls back an open transaction. */
export type Database = {
  readonly isOpen: () => boolean;
  readonly inTransaction: () => boolean;
  readonly exec: (sql: string) => void;
  /**
   * Rows are objects by column name; BLOBs are Uint8Arrays that share no memory with SQLite. Write
   * `LIMIT ? + 0`: SQLite plans a statement by the value of a bare `LIMIT ?` and so compiles it
   * again before each run, which takes three times as long as reading one event.
   */
  readonly prepare: <Values extends readonly unknown[] = readonly unknown[], Row = unknown>(
    sql: string,
  ) => Statement<Values, Row>;
  /** Same, with rows as lists of cells. */
  readonly prepareCells: <Row extends readonly unknown[] = readonly unknown[]>(
    sql: string,
  ) => Statement<readonly unknown[], Row>;
  /** Same, with the first cell of each row. */
  readonly prepareValue: <Values extends readonly unknown[] = readonly unknown[], Value = unknown>(
    sql: string,
  ) => Omit<Statement<Values, Value>, 'iterate'>;
  /** First cell of the pragma's result. */
  readonly pragma: (text: string) => unknown;
  /**
   * Runs `work` in a transaction: `deferred` reads one snapshot, `immediate` takes the write lock
   * first. A nested call joins the outer transaction. An error rolls back.
   */
  readonly transaction: <T>(kind: 'deferred' | 'immediate', work: () => T) => T;
  /** Adds an SQL function; the statement throws what the function throws. */
  readonly define: (
    name: string,
    options: { readonly deterministic: boolean },
    work: (...cells: readonly unknown[]) => SQLInputValue,
  ) => void;
  /** Closes the connection; a second call does nothing. */
  readonly close: () => void;
};

type Options = {
  readonly readOnly?: boolean;
  /** Wait for another connection's lock, at most. */
  readonly busyTimeoutMs?: number;
};

const defaultBusyTimeoutMs = 5_000;

/**
 * Opens a file with Node's own SQLite, or creates it; with `readOnly` it must exist. Errors have
 * the name of SQLite's result code as their `code`, for example `SQLITE_FULL` or
 * `SQLITE_IOERR_WRITE`.
 */
export const openDatabase = (file: string, options: Options = {}): Database => {
  const { readOnly = false, busyTimeoutMs = defaultBusyTimeoutMs } = options;
  refuseFolder(file);
  const connection = withResultCodes(
    () => new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs }),
  );
  const compiled = (sql: string): StatementSync => withResultCodes(() => connection.prepare(sql));
  const prepareCells = <Values extends readonly unknown[], Row>(sql: string) => {
    const statement = compiled(sql);
    statement.setReturnArrays(true);
    return wrapStatement<Values, Row>(statement);
  };
  const prepareValue = <Values extends readonly unknown[], Value>(sql: string) =>
    firstCells(prepareCells<Values, readonly Value[]>(sql));
  const control = new Map<string, Statement>();
  const run = (sql: string): void => {
    const statement = control.get(sql) ?? wrapStatement(compiled(sql));
    control.set(sql, statement);
    statement.run();
  };
  return {
    isOpen: () => connection.isOpen,
    inTransaction: () => connection.isTransaction,
    exec: (sql) => withResultCodes(() => connection.exec(sql)),
    prepare: (sql) => wrapStatement(compiled(sql)),
    prepareCells,
    prepareValue,
    pragma: (text) => prepareValue(`PRAGMA ${text}`).get(),
    transaction: (kind, work) => {
      if (connection.isTransaction) return work();
      run(`BEGIN ${kind}`);
      try {
        const value = work();
        run('COMMIT');
        return value;
      } catch (error) {
        // SQLite has rolled back itself after some errors.
        if (connection.isTransaction) run('ROLLBACK');
        throw error;
      }
    },
    define: (name, { deterministic }, work) =>
      connection.function(name, { deterministic, varargs: true }, work),
    close: () => {
      if (connection.isOpen) connection.close();
    },
  };
};

/** SQLite reports a folder as an I/O error, which callers would take for a disk failure. */
const refuseFolder = (file: string): void => {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const error = new Error(`${file} is a folder`);
  throw Object.assign(error, { code: 'SQLITE_CANTOPEN_ISDIR', path: file });
};

const wrapStatement = <Values extends readonly unknown[], Row>(
  statement: StatementSync,
): Statement<Values, Row> => ({
  run: (...values) => withResultCodes(() => statement.run(...inputs(values))),
  get: (...values) => withResultCodes(() => statement.get(...inputs(values))) as Row | undefined,
  all: (...values) => withResultCodes(() => statement.all(...inputs(values))) as Row[],
  iterate: (...values) => iterateRows(statement, values) as IterableIterator<Row>,
});

const firstCells = <Values extends readonly unknown[], Value>(
  statement: Statement<Values, readonly Value[]>,
): Omit<Statement<Values, Value>, 'iterate'> => ({
  run: statement.run,
  get: (...values) => statement.get(...values)?.[0],
  all: (...values) => statement.all(...values).map(([value]) => value as Value),
});

function* iterateRows(statement: StatementSync, values: readonly unknown[]): Generator {
  try {
    yield* statement.iterate(...inputs(values));
  } catch (error) {
    throw addResultCode(error);
  }
}

/** The types of a statement's values are its caller's; SQLite rejects unsupported ones. */
const inputs = (values: readonly unknown[]): SQLInputValue[] => values as SQLInputValue[];

const withResultCodes = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw addResultCode(error);
  }
};

const addResultCode = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  return Object.assign(error, { code: resultCode(Number(error.errcode)) });
};
