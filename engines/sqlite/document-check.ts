import type { Database, Statement } from './database.js';
import { columnNames, corruptionError, schemaDamage, rowChecksum } from './document-checksums.js';

/** Rows per step of the background check: about a millisecond. */
const pieceMax = { rows: 100, bytes: 256 * 1024 };

type Cells = readonly unknown[];
/** An index, and its query for the rowid of the entry with these cells. Each includes the key. */
type IndexLookup = { readonly columns: readonly number[]; readonly find: Pick<Statement, 'get'> };
type CheckedTable = {
  readonly name: string;
  /** Rows after a rowid: rowid, the cells, and last the checksum. */
  readonly rows: Statement;
  readonly fill: Statement;
  readonly indexes: readonly IndexLookup[];
  /** Number of entries of each index: 0.1 s for a million. */
  readonly counts: readonly Pick<Statement, 'get'>[];
  /** Keys after a given one, with the rowid that the key index has for each. */
  readonly keys: Statement;
  readonly row: Statement;
};

type CheckOptions = {
  /** Looks each row up through each index, as `integrity_check` does for a whole file. */
  readonly indexes: boolean;
  /** Adds checksums to rows of a build without them. */
  readonly fills: boolean;
};

/**
 * Damage of the schema and the generations table, which all else depends on; null when intact.
 * Reads one snapshot, since other connections may create tables meanwhile.
 */
export const catalogDamage = (database: Database): string | null =>
  database.transaction('deferred', () => findCatalogDamage(database));

const findCatalogDamage = (database: Database): string | null => {
  const schema = schemaDamage(database);
  if (schema !== null) return schema;
  const found = database.pragma('integrity_check(generations)');
  if (found !== 'ok') return String(found);
  const rows = database.prepareCells('SELECT * FROM generations').all() as readonly Cells[];
  const isSummed = hasChecksum(database, 'generations');
  const isDamaged = isSummed && rows.some((row) => isChecksumWrong(row.slice(0, -1), row.at(-1)));
  return isDamaged ? 'a row of generations is not as it was written' : null;
};

/**
 * Verifies the rows of all documents against their checksums, a batch per step. Throws an error
 * like SQLite's for a damaged row.
 */
export function* checkRows(database: Database, options: CheckOptions): Generator<void> {
  const generations = database.prepareValue('SELECT generation FROM generations').all();
  for (const generation of generations) {
    const name = `documents_${String(generation)}`;
    if (!hasChecksum(database, name)) continue;
    const table = checkedTable(database, name, options);
    if (options.indexes) {
      checkCounts(table);
      yield;
    }
    for (let at = 0; ;) {
      const rows = takePiece(table.rows.iterate(at) as IterableIterator<Cells>);
      const last = rows.at(-1);
      if (last === undefined) break;
      checkPiece(table, rows, options);
      at = Number(last[0]);
      yield;
      // Another generation may have replaced it meanwhile.
      if (!hasChecksum(database, name)) break;
    }
    if (options.indexes) yield* checkKeys(database, table);
  }
}

/** Throws when an index has more entries than the table, which `checkPiece` cannot detect. */
const checkCounts = ({ name, counts }: CheckedTable): void => {
  const found = counts.map((count) => count.get(1));
  if (new Set(found).size > 1)
    throw corruptionError(`an index of ${name} has entries without a row`);
};

/** Throws for a row that the table lost: the key index still has its entry. */
function* checkKeys(database: Database, { name, keys, row }: CheckedTable): Generator<void> {
  for (let after = ''; hasChecksum(database, name);) {
    const found = keys.all(after) as readonly (readonly [string, number])[];
    const last = found.at(-1);
    if (last === undefined) return;
    for (const [, rowid] of found) {
      if (row.get(rowid) === undefined) throw corruptionError(`a row of ${name} is not there`);
    }
    [after] = last;
    yield;
  }
}

const takePiece = (rows: Iterable<Cells>): readonly Cells[] => {
  const found: Cells[] = [];
  let bytes = 0;
  for (const row of rows) {
    found.push(row);
    for (const cell of row) bytes += typeof cell === 'string' ? cell.length : 8;
    if (bytes >= pieceMax.bytes) break;
  }
  return found;
};

const checkPiece = (table: CheckedTable, rows: readonly Cells[], { fills }: CheckOptions): void => {
  for (const [rowid, ...row] of rows) {
    const [cells, sum] = [row.slice(0, -1), row.at(-1)];
    if (isChecksumWrong(cells, sum))
      throw corruptionError(`a row of ${table.name} is not as it was written`);
    for (const { columns, find } of table.indexes) {
      if (find.get(...columns.map((column) => cells[column])) === rowid) continue;
      throw corruptionError(`a row of ${table.name} is missing from an index`);
    }
    if (sum === null && fills) table.fill.run(rowChecksum(cells), rowid);
  }
};

const isChecksumWrong = (cells: Cells, sum: unknown): boolean =>
  sum !== null && sum !== rowChecksum(cells);

const hasChecksum = (database: Database, table: string): boolean =>
  columnNames(database, table).at(-1) === 'sum';

const checkedTable = (
  database: Database,
  name: string,
  { indexes }: CheckOptions,
): CheckedTable => {
  const columns = columnNames(database, name);
  const names = (pragma: string, table: string): readonly string[] =>
    database.prepareValue<[string], string>(`SELECT name FROM ${pragma}(?)`).all(table);
  const indexNames = indexes ? names('pragma_index_list', name) : [];
  return {
    name,
    counts: indexNames.map((index) =>
      // Without a condition SQLite picks the index to count in itself.
      database.prepareValue(`SELECT count(*) FROM ${name} INDEXED BY ${index} WHERE ?`),
    ),
    rows: database.prepareCells(
      `SELECT rowid, ${columns.map(quoteName).join(', ')} FROM ${name}
         WHERE rowid > ? ORDER BY rowid LIMIT ${pieceMax.rows}`,
    ),
    fill: database.prepare(`UPDATE ${name} SET sum = ? WHERE rowid = ? AND sum IS NULL`),
    keys: database.prepareCells(
      `SELECT key, rowid FROM ${name} WHERE key > ? ORDER BY key LIMIT ${pieceMax.rows}`,
    ),
    row: database.prepare(`SELECT 1 FROM ${name} WHERE rowid = ?`),
    indexes: indexNames.map((index) => {
      const indexed = names('pragma_index_info', index);
      const where = indexed.map((column) => `${quoteName(column)} IS ?`).join(' AND ');
      return {
        columns: indexed.map((column) => columns.indexOf(column)),
        // Reads take the rowid from the index entry; a condition on rowid would compare the
        // table's.
        find: database.prepareValue(`SELECT rowid FROM ${name} INDEXED BY ${index} WHERE ${where}`),
      };
    }),
  };
};

const quoteName = (name: string): string => `"${name}"`;
