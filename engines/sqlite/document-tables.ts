import { parseJsonText } from '../../kernel/json-text.js';
import { foldCase } from '../../kernel/case-fold.js';
import type { Position } from '../../kernel/ports.js';
import type { Collection, Document, FieldValue } from '../../kernel/documents.js';
import type { Database } from './database.js';
import { checkRow, columnNames, stampSchema, rowChecksum } from './document-checksums.js';
import { columnOf, foldedColumnOf } from './filter-to-sql.js';

/** Table of documents: a generation of a collection, live or a shadow beside it. */
export type DocumentTable = {
  readonly generation: number;
  readonly name: string;
  readonly collection: Collection;
  readonly fields: readonly string[];
};
/** Cells in the order of `columnsOf`. */
export type DocumentRow = readonly (string | number | null)[];
export type GenerationState = {
  readonly generation: number;
  readonly position: Position;
  readonly fence: number;
};

/**
 * Generations of collections. The live one of each is marked in its row, so that a switch is one
 * step. Names of collections are in rows only; tables are named by generation. Lasting shadows are
 * listed apart. All rows but theirs have a checksum (document-checksums.ts).
 */
export const generationsSchema = `
  CREATE TABLE IF NOT EXISTS generations (
    generation INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_live INTEGER NOT NULL,
    position TEXT NOT NULL,
    fence INTEGER NOT NULL,
    sum INTEGER
  );
  CREATE UNIQUE INDEX IF NOT EXISTS live_generations ON generations (name, version)
    WHERE is_live = 1;
  CREATE TABLE IF NOT EXISTS lasting_generations (generation INTEGER PRIMARY KEY);
`;

export const documentTable = (collection: Collection, generation: number): DocumentTable => ({
  generation,
  name: `documents_${generation}`,
  collection,
  fields: Object.keys(collection.fields),
});

/** Adds the checksum column to tables of a build without it; the check fills in their rows. */
export const addChecksumColumns = (database: Database): void => {
  const generations = database.prepareValue('SELECT generation FROM generations').all();
  const tables = generations.map((generation) => `documents_${String(generation)}`);
  for (const table of ['generations', ...tables]) {
    const columns = columnNames(database, table);
    if (columns.length === 0 || columns.at(-1) === 'sum') continue;
    database.exec(`ALTER TABLE ${table} ADD COLUMN sum INTEGER`);
  }
  database.exec(`UPDATE generations SET sum = ${generationChecksum()} WHERE sum IS NULL`);
};

/** SQL for the checksum of a row of `generations`, with other values for some of its columns. */
export const generationChecksum = (
  other: Partial<Record<keyof typeof generationColumns, string>> = {},
): string => `row_sum(${Object.values({ ...generationColumns, ...other }).join(', ')})`;
const generationColumns = {
  generation: 'generation',
  name: 'name',
  version: 'version',
  is_live: 'is_live',
  position: 'position',
  fence: 'fence',
};

/** Creates a new, empty generation. */
export const createTable = (
  database: Database,
  collection: Collection,
  state: { readonly isLive: boolean; readonly position: Position },
): DocumentTable => {
  const { lastInsertRowid } = database
    .prepare(
      'INSERT INTO generations (name, version, is_live, position, fence) VALUES (?, ?, ?, ?, 0)',
    )
    .run(collection.name, collection.version, Number(state.isLive), state.position);
  database
    .prepare(`UPDATE generations SET sum = ${generationChecksum()} WHERE generation = ?`)
    .run(lastInsertRowid);
  const table = documentTable(collection, Number(lastInsertRowid));
  const { name, fields } = table;
  const typed = [
    ...fields.map((field) => `${columnOf(field)} ${affinities[kindOf(collection, field)]}`),
    ...textFields(table).map((field) => `${foldedColumnOf(field)} TEXT`),
  ];
  const [first, last] = [
    ['key TEXT PRIMARY KEY', 'scope TEXT NOT NULL'],
    ['body TEXT NOT NULL', 'sum INTEGER'],
  ];
  database.exec(`CREATE TABLE ${name} (${[...first, ...typed, ...last].join(', ')})`);
  for (const sql of indexesOf(table)) database.exec(sql);
  stampSchema(database);
  return table;
};

/**
 * Indexes of the usual orders, newest first and by name: a page in one of them stops once it is
 * full. Each covers all filter and sort columns, so that a scan of a scope reads no body.
 */
const indexesOf = (table: DocumentTable): readonly string[] => {
  const { name, fields } = table;
  const newest = fields.includes('created_at') ? [columnOf('created_at')] : [];
  const index = (title: string, first: readonly string[]): string => {
    const rest = columnsOf(table).filter((column) => column.startsWith('"'));
    const others = rest.filter((column) => ![...first, ...newest].includes(column));
    const order = [...first, ...newest.map((column) => `${column} DESC`), 'key DESC'];
    const columns = ['scope', ...order, ...others].join(', ');
    return `CREATE INDEX ${name}_${title} ON ${name} (${columns})`;
  };
  const named = fields.includes('name') ? [index('named', [columnOf('name')])] : [];
  return [index('newest', []), ...named];
};

export const dropTable = (database: Database, generation: number): void => {
  database.exec(`DROP TABLE IF EXISTS documents_${generation}`);
  for (const table of ['generations', 'lasting_generations']) {
    database.prepare(`DELETE FROM ${table} WHERE generation = ?`).run(generation);
  }
  stampSchema(database);
};

/** Columns of a row, in the order of its cells and of the table. */
export const columnsOf = (table: DocumentTable): readonly string[] => [
  'key',
  'scope',
  ...table.fields.map(columnOf),
  ...textFields(table).map(foldedColumnOf),
  'body',
  'sum',
];

export const cellsOf = (
  table: DocumentTable,
  document: Document,
): readonly (string | number | null)[] => {
  const cells = [
    document.key,
    document.scope,
    ...table.fields.map((field) => cellOf(document, field)),
    ...textFields(table).map((field) => {
      const text = cellOf(document, field);
      return typeof text === 'string' ? foldCase(text) : null;
    }),
    JSON.stringify(document.body ?? null),
  ];
  return [...cells, rowChecksum(cells)];
};

const cellOf = ({ fields }: Document, field: string): string | number | null => {
  const value = Object.hasOwn(fields, field) ? fields[field] : null;
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
};

const textFields = ({ collection, fields }: DocumentTable): readonly string[] =>
  fields.filter((field) => kindOf(collection, field) === 'text');

/** Decodes a row; throws when it is not as it was written. */
export const documentOf = <B>(table: DocumentTable, row: DocumentRow): Document<B> => {
  const { collection, fields, name } = table;
  const bodyAt = fieldsAt + fields.length + textFields(table).length;
  checkRow(row, bodyAt + 1, name);
  return {
    key: String(row[0]),
    scope: String(row[1]),
    fields: Object.fromEntries(
      fields.map((field, place) => {
        const value: FieldValue = row[fieldsAt + place] ?? null;
        const isFlag = kindOf(collection, field) === 'boolean' && value !== null;
        return [field, isFlag ? value === 1 : value];
      }),
    ),
    body: parseJsonText(String(row[bodyAt])) as B,
  };
};
/** First field column, after key and scope. */
const fieldsAt = 2;

const kindOf = (collection: Collection, field: string) => collection.fields[field] ?? 'text';

const affinities = {
  text: 'TEXT',
  id: 'TEXT',
  date: 'TEXT',
  number: 'REAL',
  boolean: 'INTEGER',
  collection: 'TEXT',
} as const;
