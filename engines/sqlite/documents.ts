import Database from 'better-sqlite3';
import { join } from 'node:path';
import { foldCase } from '../../kernel/case-fold.js';
import { Fault } from '../../kernel/fault.js';
import {
  start,
  type Beside,
  type Collection,
  type Document,
  type Documents,
  type DumpItem,
  type FieldValue,
  type Mark,
  type Position,
} from '../../kernel/ports.js';
import { columnOf, filterToSql, orderBy } from './filter-to-sql.js';

type Row = { readonly key: string; readonly scope: string; readonly body: string };
type Table = {
  readonly name: string;
  readonly collection: Collection;
  readonly fields: readonly string[];
};

const dumpPage = 1_000;

/**
 * Keyed read models on SQLite (port Documents), rebuilt from the log when lost; so commits are atomic but not synced
 * one by one. A table per collection, version and generation, with a column per field. `readOnly` serves another
 * thread's collections and never creates one: what does not exist yet is empty.
 */
export const openDocuments = async ({
  dir,
  readOnly = false,
}: {
  readonly dir: string;
  readonly readOnly?: boolean;
}): Promise<Documents> => {
  const database = new Database(join(dir, 'documents.sqlite'), { readonly: readOnly });
  if (!readOnly) {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.exec(`CREATE TABLE IF NOT EXISTS collections (
      name TEXT NOT NULL, version INTEGER NOT NULL, generation INTEGER NOT NULL,
      position TEXT NOT NULL, fence INTEGER NOT NULL, PRIMARY KEY (name, version)
    )`);
  }
  database.function('fold_case', { deterministic: true }, (text) =>
    typeof text === 'string' ? foldCase(text) : null,
  );
  return over(database, readOnly, null);
};

/** `pinned`: the generation that a copy built beside the live one writes to; null = whatever is live. */
const over = (database: Database.Database, readOnly: boolean, pinned: number | null): Documents => {
  const state = database.prepare<[string, number], State>(
    'SELECT generation, position, fence FROM collections WHERE name = ? AND version = ?',
  );
  const known = (collection: Collection): State | null => {
    const version = pinned === null ? collection.version : -pinned;
    return state.get(collection.name, version) ?? null;
  };
  const table = (collection: Collection): Table | null => {
    const found = known(collection);
    return found === null ? null : tableOf(collection, found.generation);
  };
  const select = (one: Table, tail: string, values: readonly unknown[]): Row[] =>
    database.prepare(`SELECT * FROM "${one.name}" ${tail}`).all(...values) as Row[];

  const documents: Documents = {
    checkpoint: async (collection) => known(collection)?.position ?? start,
    get: async <B>(collection: Collection, key: string) => {
      const one = table(collection);
      if (one === null) return null;
      const [row] = select(one, 'WHERE key = ?', [key]);
      return row === undefined ? null : documentOf<B>(one, row);
    },
    load: async (collection, keys) => {
      const one = table(collection);
      if (one === null) return new Map();
      const rows = select(one, 'WHERE key IN (SELECT value FROM json_each(?))', [
        JSON.stringify(keys),
      ]);
      return new Map(rows.map((row) => [row.key, documentOf(one, row)]));
    },
    find: async <B>(collection: Collection, query: Parameters<Documents['find']>[1]) => {
      const one = table(collection);
      if (one === null) return { documents: [], more: false };
      const { sql, values } = filterToSql(query.filter ?? null, collection);
      const order = orderBy(query.sort ?? null, collection);
      const rows = select(one, `WHERE scope = ? AND ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`, [
        query.scope,
        ...values,
        query.limit + 1,
        query.offset ?? 0,
      ]);
      return {
        documents: rows.slice(0, query.limit).map((row) => documentOf<B>(one, row)),
        more: rows.length > query.limit,
      };
    },
    apply: async (collection, writes, mark) => {
      database.transaction(() => {
        const one = claim(database, collection, pinned, mark);
        if (one === null) return;
        const remove = database.prepare(`DELETE FROM "${one.name}" WHERE key = ?`);
        const put = database.prepare(
          `INSERT OR REPLACE INTO "${one.name}" VALUES (${['?', '?', '?', ...one.fields.map(() => '?')].join(', ')})`,
        );
        for (const { key, document } of writes) {
          if (document === null) remove.run(key);
          else put.run(key, document.scope, JSON.stringify(document.body), ...cells(one, document));
        }
      })();
    },
    dump: (collection) => dump(select, table(collection)),
    beside: async (collection) => beside(database, readOnly, collection),
    close: async () => {
      if (pinned === null) database.close();
    },
  };
  return documents;
};

type State = { readonly generation: number; readonly position: Position; readonly fence: number };

/** Checks the fence and moves the checkpoint; null when this mark was applied before. */
const claim = (
  database: Database.Database,
  collection: Collection,
  pinned: number | null,
  mark: Mark,
): Table | null => {
  const version = pinned === null ? collection.version : -pinned;
  const found = database
    .prepare<[string, number], State>('SELECT * FROM collections WHERE name = ? AND version = ?')
    .get(collection.name, version);
  if (found !== undefined && mark.fence < found.fence) {
    throw new Fault('conflict', `another projector writes ${collection.name} now`);
  }
  const passed =
    found !== undefined &&
    (mark.position < found.position ||
      (mark.position === found.position && mark.fence === found.fence));
  if (passed) return null;
  const generation = found?.generation ?? pinned ?? 1;
  if (found === undefined) create(database, tableOf(collection, generation));
  database
    .prepare('INSERT OR REPLACE INTO collections VALUES (?, ?, ?, ?, ?)')
    .run(collection.name, version, generation, mark.position, mark.fence);
  return tableOf(collection, generation);
};

const tableOf = (collection: Collection, generation: number): Table => ({
  name: `${collection.name}_${collection.version}_${generation}`,
  collection,
  fields: Object.keys(collection.fields),
});

const create = (database: Database.Database, { name, collection, fields }: Table): void => {
  const columns = fields.map((field) => `${columnOf(field)} ${affinity(collection, field)}`);
  database.exec(
    `CREATE TABLE "${name}" (key TEXT PRIMARY KEY, scope TEXT NOT NULL, body TEXT NOT NULL${columns
      .map((column) => `, ${column}`)
      .join('')})`,
  );
  for (const field of fields) {
    database.exec(
      `CREATE INDEX "${name}_${field}" ON "${name}" (scope, ${columnOf(field)} DESC, key DESC)`,
    );
  }
  if (fields.length === 0) database.exec(`CREATE INDEX "${name}_scope" ON "${name}" (scope, key)`);
};

const affinity = (collection: Collection, field: string): string => {
  const kind = collection.fields[field];
  return kind === 'number' ? 'REAL' : kind === 'boolean' ? 'INTEGER' : 'TEXT';
};

const cells = (table: Table, document: Document): readonly (string | number | null)[] =>
  table.fields.map((field) => {
    const value = document.fields[field] ?? null;
    return typeof value === 'boolean' ? Number(value) : value;
  });

const documentOf = <B>(table: Table, row: Row): Document<B> => ({
  key: row.key,
  scope: row.scope,
  fields: Object.fromEntries(
    table.fields.map((field) => {
      const value = (row as unknown as Record<string, FieldValue>)[`f_${field}`] ?? null;
      const isFlag = table.collection.fields[field] === 'boolean' && value !== null;
      return [field, isFlag ? value === 1 : value];
    }),
  ),
  body: JSON.parse(row.body) as B,
});

async function* dump(
  select: (one: Table, tail: string, values: readonly unknown[]) => readonly Row[],
  table: Table | null,
): AsyncIterable<DumpItem> {
  if (table === null) return;
  for (let after = ''; ;) {
    const rows = select(table, 'WHERE key > ? ORDER BY key LIMIT ?', [after, dumpPage]);
    for (const row of rows) {
      const { key, scope, fields, body } = documentOf(table, row);
      yield { key, value: { scope, fields, body: body as never } };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.key;
  }
}

/** The copy is filed under a negative version until it is adopted; the switch is one transaction. */
const beside = (
  database: Database.Database,
  readOnly: boolean,
  collection: Collection,
): Beside<Documents> => {
  const { most } = database
    .prepare('SELECT coalesce(max(generation), 1) AS most FROM collections')
    .get() as { most: number };
  const generation = most + 1;
  const forget = (version: number): void => {
    const found = database
      .prepare<[string, number], State>('SELECT * FROM collections WHERE name = ? AND version = ?')
      .get(collection.name, version);
    if (found === undefined) return;
    database.exec(`DROP TABLE IF EXISTS "${tableOf(collection, found.generation).name}"`);
    database
      .prepare('DELETE FROM collections WHERE name = ? AND version = ?')
      .run(collection.name, version);
  };
  return {
    model: over(database, readOnly, generation),
    adopt: async () => {
      database.transaction(() => {
        forget(collection.version);
        database
          .prepare('UPDATE collections SET version = ? WHERE name = ? AND version = ?')
          .run(collection.version, collection.name, -generation);
      })();
    },
    discard: async () => {
      database.transaction(() => forget(-generation))();
    },
  };
};
