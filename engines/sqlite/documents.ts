import Database from 'better-sqlite3';
import { join } from 'node:path';
import { checkAsked, noLongerAsked } from '../../kernel/asking.js';
import { Fault } from '../../kernel/fault.js';
import { start, type Asking } from '../../kernel/ports.js';
import type {
  Shadow,
  Collection,
  Document,
  Documents,
  DumpItem,
  Find,
  Checkpoint,
} from '../../kernel/documents.js';
import { makeFolder } from '../node/files.js';
import {
  cellsOf,
  columnsOf,
  createTable,
  documentOf,
  dropTable,
  generationsSchema,
  tableOf,
  type DocumentRow,
  type State,
  type DocumentTable,
} from './document-tables.js';
import { filterToSql, orderBy } from './filter-to-sql.js';

const dumpPage = 1_000;
/** Statements kept compiled: filters and sorts differ in shape, so there is an end to it. */
const statementsMax = 500;

/**
 * Looking through the names of 50,000 documents reads some 20 MB of index, which the default of
 * 2 MB does not keep.
 */
const cacheKib = 64 * 1_024;

type Store = {
  readonly database: Database.Database;
  readonly statement: (sql: string) => Database.Statement;
  /** Runs in one snapshot: which generation is live, and what it holds, belong together. */
  readonly snapshot: <T>(work: () => T) => T;
  /**
   * The generation that a copy built beside the live one reads and writes; null = whatever is live.
   */
  readonly pinned: number | null;
  /** What was deleted has to leave the files. */
  readonly forget: () => void;
  readonly end: () => void;
};

/**
 * Keyed read models on SQLite (port Documents), rebuilt from the log when lost; so commits are
 * atomic but not synced one by one. A table per generation of a collection, with a column per
 * field. One connection per folder writes: opening it removes copies that a crash left half
 * built, and versions that a newer one replaced.
 * `readOnly` serves another thread and creates no collection: what is not there yet is empty.
 */
export const openDocuments = async ({
  dir,
  readOnly = false,
  forgetAfterMs = defaultForgetAfterMs,
  isGivenUp = () => false,
}: {
  readonly dir: string;
  readonly readOnly?: boolean;
  /** How long what was deleted or replaced may stay in the write-ahead log. */
  readonly forgetAfterMs?: number;
  /** Looked at while a search runs, which then ends with Fault `unavailable`. */
  readonly isGivenUp?: () => boolean;
}): Promise<Documents> => {
  await makeFolder(dir);
  const file = join(dir, 'documents.sqlite');
  prepareFile(file, !readOnly);
  const database = new Database(file, { readonly: readOnly });
  // Of the connection, not of the file: a commit that a power cut takes back is folded again from
  // the log.
  if (!readOnly) database.pragma('synchronous = NORMAL');
  database.pragma(`cache_size = -${cacheKib}`);
  // What is deleted is overwritten at once in the file, and by and by in what is left of its past.
  if (!readOnly) database.pragma('secure_delete = ON');
  defineStillAsked(database, isGivenUp);
  let timer: NodeJS.Timeout | null = null;
  const forget = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      const [done] = database.pragma('wal_checkpoint(TRUNCATE)') as readonly { busy: number }[];
      if (done?.busy !== 0) forget();
    }, forgetAfterMs).unref();
  };
  const statements = new Map<string, Database.Statement>();
  const checkOpen = (): void => {
    if (!database.open) throw new Fault('unavailable', 'The service is stopping');
  };
  const statement = (sql: string): Database.Statement => {
    checkOpen();
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= statementsMax) statements.clear();
    const compiled = database.prepare(sql);
    statements.set(sql, compiled);
    return compiled;
  };
  const inTransaction = database.transaction((work: () => unknown) => work());
  return over({
    database,
    statement,
    snapshot: <T>(work: () => T) => {
      checkOpen();
      return inTransaction.deferred(work) as T;
    },
    pinned: null,
    forget,
    end: () => {
      if (timer !== null) clearTimeout(timer);
      database.close();
    },
  });
};

/**
 * `still_asked(rowid)` is true, and ends the statement when nobody waits for it any more. It costs
 * a call out of SQLite, 0.2 µs; looking at shared memory then is next to nothing.
 */
const defineStillAsked = (database: Database.Database, isGivenUp: () => boolean): void => {
  database.function('still_asked', { deterministic: false }, (_row: unknown) => {
    if (isGivenUp()) throw noLongerAsked();
    return 1;
  });
};

// An empty write-ahead log costs one checkpoint, so not after each deletion.
const defaultForgetAfterMs = 60_000;

const prepareFile = (file: string, removeCopies: boolean): void => {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = WAL');
    database.exec(generationsSchema);
    if (!removeCopies) return;
    const left = database.prepare(`SELECT generation FROM generations AS one WHERE is_live = 0 OR
      EXISTS (SELECT 1 FROM generations WHERE name = one.name AND version > one.version)`);
    for (const generation of left.pluck().all() as readonly number[])
      dropTable(database, generation);
  } finally {
    database.close();
  }
};

const over = (store: Store): Documents => {
  const { database, statement, snapshot, pinned } = store;
  const select = (table: DocumentTable, tail: string, values: readonly unknown[]): DocumentRow[] =>
    statement(`SELECT * FROM ${table.name} ${tail}`).all(...values) as DocumentRow[];
  const inTable = <T>(collection: Collection, none: T, work: (table: DocumentTable) => T): T =>
    snapshot(() => {
      const state = stateOf(store, collection);
      return state === null ? none : work(tableOf(collection, state.generation));
    });

  return {
    checkpoint: async (collection) => stateOf(store, collection)?.position ?? start,
    get: async <B>(collection: Collection, key: string, asking: Asking = {}) => {
      checkAsked(asking);
      return inTable(collection, null, (table): Document<B> | null => {
        const [row] = select(table, 'WHERE key = ?', [key]);
        return row === undefined ? null : documentOf<B>(table, row);
      });
    },
    load: async (collection, keys, asking = {}) => {
      checkAsked(asking);
      return inTable(collection, new Map<string, Document>(), (table) => {
        const list = JSON.stringify(keys);
        const rows = select(table, 'WHERE key IN (SELECT value FROM json_each(?))', [list]);
        return new Map(rows.map((row) => [row.key, documentOf(table, row)]));
      });
    },
    find: async <B>(collection: Collection, query: Find, asking: Asking = {}) => {
      checkAsked(asking);
      const { sql, values } = filterToSql(query.filter ?? null, collection);
      const order = orderBy(query.sort ?? null, collection);
      // The sorter carries keys and rows are fetched by them: bodies of documents that are not on
      // the page stay put.
      const tail = `WHERE rowid IN (
          SELECT rowid FROM (TABLE) WHERE scope = ? AND still_asked(rowid) AND ${sql}
          ORDER BY ${order} LIMIT ? OFFSET ?
        ) ORDER BY ${order}`;
      return inTable(collection, { documents: [], more: false }, (table) => {
        const rows = select(table, tail.replace('(TABLE)', table.name), [
          query.scope,
          ...values,
          query.limit + 1,
          query.offset ?? 0,
        ]);
        return {
          documents: rows.slice(0, query.limit).map((row) => documentOf<B>(table, row)),
          more: rows.length > query.limit,
        };
      });
    },
    apply: async (collection, writes, checkpoint, gone = []) => {
      const write = database.transaction(() => {
        const table = claim(store, collection, checkpoint);
        if (table === null) return;
        const columns = columnsOf(table);
        const put = statement(
          `INSERT OR REPLACE INTO ${table.name} (${columns.join(', ')})
           VALUES (${columns.map(() => '?').join(', ')})`,
        );
        const remove = statement(`DELETE FROM ${table.name} WHERE key = ?`);
        const clear = statement(`DELETE FROM ${table.name} WHERE scope = ?`);
        for (const scope of gone) clear.run(scope);
        for (const { key, document } of writes) {
          if (document === null) remove.run(key);
          else put.run(...cellsOf(table, { ...document, key }));
        }
      });
      write.immediate();
      if (gone.length > 0 || writes.some(({ document }) => document === null)) store.forget();
    },
    dump: async function* (collection): AsyncIterable<DumpItem> {
      for (let after: string | null = null; ;) {
        const [where, from]: [string, readonly string[]] =
          after === null ? ['', []] : ['WHERE key > ?', [after]];
        const page: readonly Document[] = inTable(collection, [], (table) =>
          select(table, `${where} ORDER BY key LIMIT ${dumpPage}`, from).map((row) =>
            documentOf(table, row),
          ),
        );
        for (const { key, scope, fields, body } of page) {
          yield { key, value: { scope, fields, body: body as never } };
        }
        after = page.at(-1)?.key ?? null;
        if (after === null) return;
      }
    },
    shadow: async (collection) => shadow(store, collection),
    // A copy has no connection of its own.
    caution: () => null,
    close: async () => void (pinned === null && store.end()),
  };
};

const stateOf = ({ statement, pinned }: Store, { name, version }: Collection): State | null => {
  const which = pinned === null ? 'is_live = 1' : 'generation = ?';
  const sql = `SELECT generation, position, fence FROM generations
               WHERE name = ? AND version = ? AND ${which}`;
  const values = pinned === null ? [name, version] : [name, version, pinned];
  return (statement(sql).get(...values) as State | undefined) ?? null;
};

/** Checks the fence and moves the checkpoint; null when this checkpoint was applied before. */
const claim = (
  store: Store,
  collection: Collection,
  checkpoint: Checkpoint,
): DocumentTable | null => {
  const state = stateOf(store, collection);
  if (state !== null && checkpoint.fence < state.fence) {
    throw new Fault('conflict', `another projector writes ${collection.name} now`);
  }
  if (state !== null && wasApplied(checkpoint, state)) return null;
  if (state === null && store.pinned !== null) {
    throw new Fault('conflict', `this copy holds another collection than ${collection.name}`);
  }
  const table =
    state === null
      ? createTable(store.database, collection, { isLive: true, position: start })
      : tableOf(collection, state.generation);
  store
    .statement('UPDATE generations SET position = ?, fence = ? WHERE generation = ?')
    .run(checkpoint.position, checkpoint.fence, table.generation);
  return table;
};

/** A new lease may write at the very position that the one before it reached. */
const wasApplied = (checkpoint: Checkpoint, { position, fence }: State): boolean =>
  checkpoint.position < position ||
  (checkpoint.position === position && checkpoint.fence === fence);

const shadow = (store: Store, collection: Collection): Shadow<Documents> => {
  const { database } = store;
  const build = database.transaction(() =>
    createTable(database, collection, { isLive: false, position: start }),
  );
  const { generation } = build.immediate();
  return {
    model: over({ ...store, pinned: generation }),
    promote: async () => {
      const promote = database.transaction(() => {
        const live = stateOf({ ...store, pinned: null }, collection);
        if (live !== null) dropTable(database, live.generation);
        store.statement('UPDATE generations SET is_live = 1 WHERE generation = ?').run(generation);
      });
      promote.immediate();
    },
    discard: async () => {
      const discard = database.transaction(() => dropTable(database, generation));
      discard.immediate();
    },
  };
};
