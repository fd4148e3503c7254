import type { Database } from './database.js';

/** Description of each table and index of a schema, by its type and name. */
export type SchemaShape = ReadonlyMap<string, string>;

type SchemaEntry = { readonly type: string; readonly name: string; readonly tbl_name: string };

/**
 * Describes the tables and indexes as SQLite reads them: columns, types, keys, and the names that
 * queries of `sqlite_schema` compare. The spelling of the SQL text is left out.
 */
export const schemaShapeOf = (database: Database): SchemaShape => {
  const columns = database.prepareCells(
    'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)',
  );
  const table = database.prepareCells(
    `SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?`,
  );
  const keys = database.prepareCells('SELECT name, "desc", coll, "key" FROM pragma_index_xinfo(?)');
  const index = database.prepareCells(
    'SELECT "unique", partial FROM pragma_index_list(?) WHERE name = ?',
  );
  const shapeOf = ({ type, name, tbl_name: owner }: SchemaEntry): unknown =>
    type === 'index'
      ? [owner, keys.all(name), index.all(owner, name)]
      : [owner, columns.all(name), table.all(name)];
  return database.transaction('deferred', () => {
    const entries = database
      .prepare<[], SchemaEntry>('SELECT type, name, tbl_name FROM sqlite_schema')
      .all();
    return new Map(
      entries.map((entry) => [`${entry.type} ${entry.name}`, JSON.stringify(shapeOf(entry))]),
    );
  });
};

/**
 * Compares a schema with the shape that a build creates; it may lack `optional` entries. Null when
 * they agree; else what differs. An unknown entry is one of a newer build, unless an optional one
 * is missing: then its name was damaged.
 */
export const schemaDifference = (
  found: SchemaShape,
  shape: SchemaShape,
  optional: ReadonlySet<string>,
): string | null => {
  const unknown = [...found.keys()].find((name) => !shape.has(name));
  const missing = [...shape.keys()].filter((name) => !found.has(name));
  const lost = missing.find((name) => unknown !== undefined || !optional.has(name));
  if (lost !== undefined) {
    return `${lost} is missing${unknown === undefined ? '' : `, ${unknown} is unknown`}`;
  }
  const changed = [...shape].find(([name, text]) => (found.get(name) ?? text) !== text);
  return changed === undefined ? null : `${changed[0]} is not as it was created`;
};
