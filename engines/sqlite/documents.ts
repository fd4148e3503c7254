import { throwIfAborted } from '../../kernel/query-context.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type QueryContext, type Position } from '../../kernel/ports.js';
import {
  checkBasePosition,
  type Shadow,
  type Collection,
  type Document,
  type Documents,
  type DocumentWrite,
  type DumpItem,
  type DocumentQuery,
  type DocumentPage,
  type Checkpoint,
} from '../../kernel/documents.js';
import { withDamageDetection } from './document-damage.js';
import { checkRow } from './document-checksums.js';
import {
  documentsFile,
  openDocumentStore,
  type DocumentStore,
  type DocumentStoreOptions,
} from './document-store.js';
import {
  cellsOf,
  columnsOf,
  createTable,
  documentOf,
  dropTable,
  generationChecksum,
  documentTable,
  type DocumentRow,
  type GenerationState,
  type DocumentTable,
} from './document-tables.js';
import { filterToSql, orderBy } from './filter-to-sql.js';

const dumpPage = 1_000;

/**
 * Keyed read models on SQLite (port Documents), rebuilt from the log when lost; so commits are
 * atomic but not synced one by one. Every read verifies the row's checksum. One table per
 * generation of a collection, with a column per field. One connection per folder writes: opening it
 * drops shadows that a crash left unfinished, lasting ones excepted, and superseded versions.
 * `readOnly` serves another thread and creates no collection: a missing one is empty.
 */
export const openDocuments = async (options: DocumentStoreOptions): Promise<Documents> =>
  withDamageDetection(documentsOn(await openDocumentStore(options)), documentsFile(options.dir));

const documentsOn = (store: DocumentStore): Documents => ({
  erasingSince: store.erasingSince,
  damage: store.damage,
  checkpoint: async (collection) => readState(store, collection)?.position ?? logStart,
  get: async <B>(collection: Collection, key: string, context: QueryContext = {}) => {
    throwIfAborted(context);
    return readTable(store, collection, null, (table): Document<B> | null => {
      const [row] = selectRows(store, table, 'WHERE key = ?', [key]);
      return row === undefined ? null : documentOf<B>(table, row);
    });
  },
  load: async (collection, keys, context = {}) => {
    throwIfAborted(context);
    return readTable(store, collection, new Map<string, Document>(), (table) => {
      const list = JSON.stringify(keys);
      const rows = selectRows(store, table, 'WHERE key IN (SELECT value FROM json_each(?))', [
        list,
      ]);
      const found = rows.map((row) => documentOf(table, row));
      return new Map(found.map((document) => [document.key, document]));
    });
  },
  find: async <B>(collection: Collection, query: DocumentQuery, context: QueryContext = {}) => {
    throwIfAborted(context);
    return findDocuments<B>(store, collection, query);
  },
  apply: async (collection, writes, checkpoint, gone = []) => {
    store.database.transaction('immediate', () => {
      const table = advanceCheckpoint(store, collection, checkpoint);
      if (table !== null) applyWrites(store, table, writes, gone);
    });
    if (gone.length > 0 || writes.some(({ document }) => document === null))
      store.truncateWalSoon();
  },
  dump: (collection) => dumpDocuments(store, collection),
  shadow: async (collection, { durable = false } = {}) => {
    const begin = () => beginCopy(store, collection, durable);
    return openShadow(store, collection, store.database.transaction('immediate', begin));
  },
  resume: async (collection, id) =>
    isLasting(store, collection, id) ? openShadow(store, collection, Number(id)) : null,
  // A shadow shares the connection of the live model.
  durabilityWarning: () => null,
  close: async () => void (store.pinnedGeneration === null && store.close()),
});

const selectRows = (
  { statement }: DocumentStore,
  table: DocumentTable,
  tail: string,
  values: readonly unknown[],
): DocumentRow[] =>
  statement(`SELECT * FROM ${table.name} ${tail}`).all(...values) as DocumentRow[];

const readTable = <T>(
  store: DocumentStore,
  collection: Collection,
  none: T,
  work: (table: DocumentTable) => T,
): T =>
  store.snapshot(() => {
    const state = readState(store, collection);
    return state === null ? none : work(documentTable(collection, state.generation));
  });

const findDocuments = <B>(
  store: DocumentStore,
  collection: Collection,
  query: DocumentQuery,
): DocumentPage<B> => {
  const { sql, values } = filterToSql(query.filter ?? null, collection);
  const order = orderBy(query.sort ?? null, collection);
  return readTable(store, collection, { documents: [], more: false }, (table) => {
    // The sorter carries keys and rows are fetched by them: bodies of documents outside the page
    // are not read.
    const tail = `WHERE rowid IN (
        SELECT rowid FROM ${table.name} WHERE scope = ? AND not_cancelled(rowid) AND ${sql}
        ORDER BY ${order} LIMIT ? + 0 OFFSET ?
      ) ORDER BY ${order}`;
    const { scope, limit, offset = 0 } = query;
    const rows = selectRows(store, table, tail, [scope, ...values, limit + 1, offset]);
    return {
      documents: rows.slice(0, limit).map((row) => documentOf<B>(table, row)),
      more: rows.length > limit,
    };
  });
};

const applyWrites = (
  { statement }: DocumentStore,
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

async function* dumpDocuments(
  store: DocumentStore,
  collection: Collection,
): AsyncIterable<DumpItem> {
  for (let after: string | null = null; ;) {
    const [where, from]: [string, readonly string[]] =
      after === null ? ['', []] : ['WHERE key > ?', [after]];
    const page: readonly Document[] = readTable(store, collection, [], (table) =>
      selectRows(store, table, `${where} ORDER BY key LIMIT ${dumpPage}`, from).map((row) =>
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

/** Row of `generations`, in the order of its columns, without its checksum. */
type StateRow = readonly [number, string, number, number, Position, number];
const stateWidth = 6;

const readState = (
  { statement, pinnedGeneration }: DocumentStore,
  { name, version }: Collection,
): GenerationState | null => {
  const which = pinnedGeneration === null ? 'is_live = 1' : 'generation = ?';
  const sql = `SELECT * FROM generations WHERE name = ? AND version = ? AND ${which}`;
  const values = pinnedGeneration === null ? [name, version] : [name, version, pinnedGeneration];
  const row = statement(sql).get(...values) as StateRow | undefined;
  if (row === undefined) return null;
  checkRow(row, stateWidth, 'generations');
  const [generation, , , , position, fence] = row;
  return { generation, position, fence };
};

/**
 * Checks the fencing token and the expected position, then advances the checkpoint; null when this
 * checkpoint was applied before.
 */
const advanceCheckpoint = (
  store: DocumentStore,
  collection: Collection,
  checkpoint: Checkpoint,
): DocumentTable | null => {
  const { position, fence } = checkpoint;
  const state = readState(store, collection);
  if (state !== null && fence < state.fence) {
    throw new Fault('conflict', `another projector writes ${collection.name} now`);
  }
  checkBasePosition(checkpoint, state?.position ?? logStart);
  if (state !== null && wasApplied(checkpoint, state)) return null;
  if (state === null && store.pinnedGeneration !== null) {
    throw new Fault('conflict', `this copy holds another collection than ${collection.name}`);
  }
  const table =
    state === null
      ? createTable(store.database, collection, { isLive: true, position: logStart })
      : documentTable(collection, state.generation);
  store
    .statement(
      `UPDATE generations SET position = @position, fence = @fence,
      sum = ${generationChecksum({ position: '@position', fence: '@fence' })}
      WHERE generation = @generation`,
    )
    .run({ position, fence, generation: table.generation });
  return table;
};

/** A new lease may write at the very position that its predecessor reached. */
const wasApplied = (checkpoint: Checkpoint, { position, fence }: GenerationState): boolean =>
  checkpoint.position < position ||
  (checkpoint.position === position && checkpoint.fence === fence);

/**
 * Creates the shadow's generation; a lasting one replaces the previous lasting one, of any version.
 */
const beginCopy = (
  { database, statement }: DocumentStore,
  collection: Collection,
  lasting: boolean,
): number => {
  const { generation } = createTable(database, collection, { isLive: false, position: logStart });
  if (!lasting) return generation;
  const others = statement(`SELECT generation FROM generations WHERE name = ? AND is_live = 0
    AND generation IN (SELECT generation FROM lasting_generations)`);
  for (const [other] of others.all(collection.name)) {
    dropTable(database, Number(other));
  }
  statement('INSERT INTO lasting_generations VALUES (?)').run(generation);
  return generation;
};

const isLasting = (
  { statement }: DocumentStore,
  { name, version }: Collection,
  id: string,
): boolean =>
  statement(`SELECT 1 FROM generations WHERE generation = ? AND name = ? AND version = ?
    AND is_live = 0 AND generation IN (SELECT generation FROM lasting_generations)`).get(
    Number(id),
    name,
    version,
  ) !== undefined;

const openShadow = (
  store: DocumentStore,
  collection: Collection,
  generation: number,
): Shadow<Documents> => {
  const { database, statement } = store;
  return {
    id: String(generation),
    model: documentsOn({ ...store, pinnedGeneration: generation }),
    promote: async () => {
      database.transaction('immediate', () => {
        const live = readState({ ...store, pinnedGeneration: null }, collection);
        if (live !== null) dropTable(database, live.generation);
        statement(`UPDATE generations SET is_live = 1, sum = ${generationChecksum({ is_live: '1' })}
          WHERE generation = ?`).run(generation);
        statement('DELETE FROM lasting_generations WHERE generation = ?').run(generation);
      });
      // The previous generation may hold deleted content.
      store.truncateWalSoon();
    },
    discard: async () => {
      const isLive = statement('SELECT 1 FROM generations WHERE generation = ? AND is_live = 1');
      database.transaction('immediate', () => {
        if (isLive.get(generation) === undefined) dropTable(database, generation);
      });
      store.truncateWalSoon();
    },
    detach: async () => undefined,
  };
};
