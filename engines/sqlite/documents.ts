import { checkAsked } from '../../kernel/asking.js';
import { Fault } from '../../kernel/fault.js';
import { start, type Asking, type Position } from '../../kernel/ports.js';
import {
  checkPlace,
  type Shadow,
  type Collection,
  type Document,
  type Documents,
  type DocumentWrite,
  type DumpItem,
  type Find,
  type Found,
  type Checkpoint,
} from '../../kernel/documents.js';
import { noticing } from './document-damage.js';
import { checkRow } from './document-sums.js';
import { documentsFile, openStore, type Store, type StoreOptions } from './document-store.js';
import {
  cellsOf,
  columnsOf,
  createTable,
  documentOf,
  dropTable,
  summed,
  tableOf,
  type DocumentRow,
  type State,
  type DocumentTable,
} from './document-tables.js';
import { filterToSql, orderBy } from './filter-to-sql.js';

const dumpPage = 1_000;

/**
 * Keyed read models on SQLite (port Documents), rebuilt from the log when lost; so commits are
 * atomic but not synced one by one. Every read compares the checksum of the row. A table per
 * generation of a collection, with a column per field. One connection per folder writes: opening it
 * removes copies that a crash left half built, lasting ones excepted, and versions that a newer one
 * replaced. `readOnly` serves another thread and creates no collection: what is not there yet is
 * empty.
 */
export const openDocuments = async (options: StoreOptions): Promise<Documents> =>
  noticing(over(await openStore(options)), documentsFile(options.dir));

const over = (store: Store): Documents => ({
  erasingSince: store.erasingSince,
  damage: store.damage,
  checkpoint: async (collection) => stateOf(store, collection)?.position ?? start,
  get: async <B>(collection: Collection, key: string, asking: Asking = {}) => {
    checkAsked(asking);
    return inTable(store, collection, null, (table): Document<B> | null => {
      const [row] = select(store, table, 'WHERE key = ?', [key]);
      return row === undefined ? null : documentOf<B>(table, row);
    });
  },
  load: async (collection, keys, asking = {}) => {
    checkAsked(asking);
    return inTable(store, collection, new Map<string, Document>(), (table) => {
      const list = JSON.stringify(keys);
      const rows = select(store, table, 'WHERE key IN (SELECT value FROM json_each(?))', [list]);
      const found = rows.map((row) => documentOf(table, row));
      return new Map(found.map((document) => [document.key, document]));
    });
  },
  find: async <B>(collection: Collection, query: Find, asking: Asking = {}) => {
    checkAsked(asking);
    return find<B>(store, collection, query);
  },
  apply: async (collection, writes, checkpoint, gone = []) => {
    store.database.transaction('immediate', () => {
      const table = claim(store, collection, checkpoint);
      if (table !== null) writeTo(store, table, writes, gone);
    });
    if (gone.length > 0 || writes.some(({ document }) => document === null)) store.forget();
  },
  dump: (collection) => dump(store, collection),
  shadow: async (collection, { lasting = false } = {}) => {
    const begin = () => beginCopy(store, collection, lasting);
    return shadow(store, collection, store.database.transaction('immediate', begin));
  },
  resume: async (collection, id) =>
    isLasting(store, collection, id) ? shadow(store, collection, Number(id)) : null,
  // A copy has no connection of its own.
  caution: () => null,
  close: async () => void (store.pinned === null && store.end()),
});

const select = (
  { statement }: Store,
  table: DocumentTable,
  tail: string,
  values: readonly unknown[],
): DocumentRow[] =>
  statement(`SELECT * FROM ${table.name} ${tail}`).all(...values) as DocumentRow[];

const inTable = <T>(
  store: Store,
  collection: Collection,
  none: T,
  work: (table: DocumentTable) => T,
): T =>
  store.snapshot(() => {
    const state = stateOf(store, collection);
    return state === null ? none : work(tableOf(collection, state.generation));
  });

const find = <B>(store: Store, collection: Collection, query: Find): Found<B> => {
  const { sql, values } = filterToSql(query.filter ?? null, collection);
  const order = orderBy(query.sort ?? null, collection);
  return inTable(store, collection, { documents: [], more: false }, (table) => {
    // The sorter carries keys and rows are fetched by them: bodies of documents that are not on
    // the page stay put.
    const tail = `WHERE rowid IN (
        SELECT rowid FROM ${table.name} WHERE scope = ? AND still_asked(rowid) AND ${sql}
        ORDER BY ${order} LIMIT ? OFFSET ?
      ) ORDER BY ${order}`;
    const { scope, limit, offset = 0 } = query;
    const rows = select(store, table, tail, [scope, ...values, limit + 1, offset]);
    return {
      documents: rows.slice(0, limit).map((row) => documentOf<B>(table, row)),
      more: rows.length > limit,
    };
  });
};

const writeTo = (
  { statement }: Store,
  table: DocumentTable,
  writes: readonly DocumentWrite[],
  gone: readonly string[],
): void => {
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
};

async function* dump(store: Store, collection: Collection): AsyncIterable<DumpItem> {
  for (let after: string | null = null; ;) {
    const [where, from]: [string, readonly string[]] =
      after === null ? ['', []] : ['WHERE key > ?', [after]];
    const page: readonly Document[] = inTable(store, collection, [], (table) =>
      select(store, table, `${where} ORDER BY key LIMIT ${dumpPage}`, from).map((row) =>
        documentOf(table, row),
      ),
    );
    for (const { key, scope, fields, body } of page) {
      yield { key, value: { scope, fields, body: body as never } };
    }
    after = page.at(-1)?.key ?? null;
    if (after === null) return;
  }
}

/** A row of `generations`, in the order of its columns, without its checksum. */
type StateRow = readonly [number, string, number, number, Position, number];
const stateWidth = 6;

const stateOf = ({ statement, pinned }: Store, { name, version }: Collection): State | null => {
  const which = pinned === null ? 'is_live = 1' : 'generation = ?';
  const sql = `SELECT * FROM generations WHERE name = ? AND version = ? AND ${which}`;
  const values = pinned === null ? [name, version] : [name, version, pinned];
  const row = statement(sql).get(...values) as StateRow | undefined;
  if (row === undefined) return null;
  checkRow(row, stateWidth, 'generations');
  const [generation, , , , position, fence] = row;
  return { generation, position, fence };
};

/** Checks the fence and moves the checkpoint; null when this checkpoint was applied before. */
const claim = (
  store: Store,
  collection: Collection,
  checkpoint: Checkpoint,
): DocumentTable | null => {
  const { position, fence } = checkpoint;
  const state = stateOf(store, collection);
  if (state !== null && fence < state.fence) {
    throw new Fault('conflict', `another projector writes ${collection.name} now`);
  }
  checkPlace(checkpoint, state?.position ?? start);
  if (state !== null && wasApplied(checkpoint, state)) return null;
  if (state === null && store.pinned !== null) {
    throw new Fault('conflict', `this copy holds another collection than ${collection.name}`);
  }
  const table =
    state === null
      ? createTable(store.database, collection, { isLive: true, position: start })
      : tableOf(collection, state.generation);
  store
    .statement(
      `UPDATE generations SET position = @position, fence = @fence,
      sum = ${summed({ position: '@position', fence: '@fence' })} WHERE generation = @generation`,
    )
    .run({ position, fence, generation: table.generation });
  return table;
};

/** A new lease may write at the very position that the one before it reached. */
const wasApplied = (checkpoint: Checkpoint, { position, fence }: State): boolean =>
  checkpoint.position < position ||
  (checkpoint.position === position && checkpoint.fence === fence);

/** A lasting one takes the place of the one before it, of any version. */
const beginCopy = (
  { database, statement }: Store,
  collection: Collection,
  lasting: boolean,
): number => {
  const { generation } = createTable(database, collection, { isLive: false, position: start });
  if (!lasting) return generation;
  const others = statement(`SELECT generation FROM generations WHERE name = ? AND is_live = 0
    AND generation IN (SELECT generation FROM lasting_generations)`);
  for (const [other] of others.all(collection.name)) {
    dropTable(database, Number(other));
  }
  statement('INSERT INTO lasting_generations VALUES (?)').run(generation);
  return generation;
};

const isLasting = ({ statement }: Store, { name, version }: Collection, id: string): boolean =>
  statement(`SELECT 1 FROM generations WHERE generation = ? AND name = ? AND version = ?
    AND is_live = 0 AND generation IN (SELECT generation FROM lasting_generations)`).get(
    Number(id),
    name,
    version,
  ) !== undefined;

const shadow = (store: Store, collection: Collection, generation: number): Shadow<Documents> => {
  const { database, statement } = store;
  return {
    id: String(generation),
    model: over({ ...store, pinned: generation }),
    promote: async () => {
      database.transaction('immediate', () => {
        const live = stateOf({ ...store, pinned: null }, collection);
        if (live !== null) dropTable(database, live.generation);
        statement(`UPDATE generations SET is_live = 1, sum = ${summed({ is_live: '1' })}
          WHERE generation = ?`).run(generation);
        statement('DELETE FROM lasting_generations WHERE generation = ?').run(generation);
      });
      // The generation before may have what was deleted.
      store.forget();
    },
    discard: async () => {
      const isLive = statement('SELECT 1 FROM generations WHERE generation = ? AND is_live = 1');
      database.transaction('immediate', () => {
        if (isLive.get(generation) === undefined) dropTable(database, generation);
      });
      store.forget();
    },
    leave: async () => undefined,
  };
};
