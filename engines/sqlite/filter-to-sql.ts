import { foldCase } from '../../kernel/case-fold.js';
import { unreachable } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  matchesMissingValue,
  type ColumnComparison,
  type Filter,
  type FilterCondition,
} from '../../kernel/filter.js';
import type { Collection, SortOrder } from '../../kernel/documents.js';

type Sql = { readonly sql: string; readonly values: readonly (string | number)[] };

const matchAll: Sql = { sql: '1', values: [] };

/**
 * Column of a declared field, quoted. A field name may contain any character, and SQLite compares
 * letters without case, so all but lower-case letters, digits and `_` are escaped by their numbers.
 */
export const columnOf = (field: string): string => `"f_${encodeName(field)}"`;

/**
 * Column of a case-folded text field, so that case-insensitive searches need not fold row by row.
 */
export const foldedColumnOf = (field: string): string => `"folded_${encodeName(field)}"`;

const encodeName = (field: string): string =>
  field.replace(/[^a-z0-9_]/gu, (one) => `$${one.codePointAt(0)?.toString(16)}$`);

/**
 * Two-valued logic of contract 3.7: a missing value makes every comparison false but `ne` and
 * `not_in`. The SQL calls `not_cancelled(rowid)`, which must be a function that is true.
 */
export const filterToSql = (filter: Filter | null, collection: Collection): Sql => {
  if (filter === null) return matchAll;
  if ('all' in filter) return joinConditions(filter.all, 'AND', collection);
  if ('any' in filter) return joinConditions(filter.any, 'OR', collection);
  if ('not' in filter) {
    const { sql, values } = filterToSql(filter.not, collection);
    return { sql: `NOT (${sql})`, values };
  }
  if ('some' in filter) throw new Fault('invalid', 'a document has nothing below it');
  return leafToSql(filter, collection);
};

/** All of an empty list is true, any of it is false. */
const joinConditions = (
  filters: readonly Filter[],
  word: 'AND' | 'OR',
  collection: Collection,
): Sql => {
  const parts = filters.map((one) => filterToSql(one, collection));
  return {
    sql: `(${[word === 'AND' ? '1' : '0', ...parts.map(({ sql }) => sql)].join(` ${word} `)})`,
    values: parts.flatMap(({ values }) => values),
  };
};

const leafToSql = (leaf: FilterCondition, collection: Collection): Sql => {
  if (leaf.kind === 'fully_annotated' || leaf.kind === 'error' || leaf.kind === 'collection') {
    throw new Fault('invalid', `a document has no ${leaf.kind} column`);
  }
  const column = fieldColumn(leaf.column, collection);
  if (!isOfColumnKind(leaf, collection)) return withoutValue(leaf);
  switch (leaf.kind) {
    case 'text':
      return textToSql(leaf, leaf.caseSensitive ? column : foldedColumnOf(leaf.column));
    case 'id':
      // Ids are stored in lower case, so lowering the other side compares them without regard to
      // case.
      return textToSql(
        { ...leaf, values: leaf.values.map((value) => value.toLowerCase()), caseSensitive: true },
        column,
      );
    case 'number':
      if (leaf.operator === 'between') {
        return { sql: falseIfNull(`${column} BETWEEN ? AND ?`), values: leaf.values };
      }
      return comparison(column, leaf.operator, leaf.values[0] ?? 0);
    case 'date':
      return comparison(column, leaf.operator, leaf.value);
    case 'boolean':
      return comparison(column, leaf.operator, Number(leaf.value));
    default:
      return unreachable(leaf);
  }
};

type ColumnLeaf = Exclude<ColumnComparison, { readonly kind: 'collection' }>;
type TextLeaf = Extract<FilterCondition, { readonly kind: 'text' | 'id' }>;

/**
 * A condition of another kind than the column matches missing values only (contract 3.7, rule 2).
 */
const isOfColumnKind = (leaf: ColumnLeaf, { fields }: Collection): boolean =>
  fields[leaf.column] === leaf.kind;

const withoutValue = ({ operator }: ColumnLeaf): Sql => ({
  sql: matchesMissingValue(operator) ? '1' : '0',
  values: [],
});

/** User text is a bound value, never SQL, and never a pattern: `instr` finds it literally. */
const textToSql = (leaf: TextLeaf, column: string): Sql => {
  const values = leaf.caseSensitive ? leaf.values : leaf.values.map(foldCase);
  const isOne = falseIfNull(`${column} IN (SELECT value FROM json_each(?))`);
  const list = [JSON.stringify(values)];
  switch (leaf.operator) {
    case 'contains':
      return values.length === 1
        ? { sql: falseIfNull(`instr(${column}, ?) > 0`), values }
        : containsEach(column, list);
    case 'eq':
    case 'one_of':
      return values.length === 1 ? { sql: `${column} IS ?`, values } : { sql: isOne, values: list };
    case 'ne':
    case 'not_in':
      if (values.length === 1) return { sql: `${column} IS NOT ?`, values };
      return { sql: `NOT ${isOne}`, values: list };
    case 'starts_with':
      return matchesEdge(column, values, (bytes) => `1, ${bytes}`);
    case 'ends_with':
      return matchesEdge(column, values, (bytes) => `${-bytes}`);
    case 'is_null':
      return { sql: `${column} IS NULL`, values: [] };
    default:
      return unreachable(leaf);
  }
};

/**
 * Compares bytes, since SQLite ends a text's length at its first NUL. Bytes that begin with a
 * character's first one and end with a character's last are whole characters.
 */
const matchesEdge = (
  column: string,
  values: readonly string[],
  part: (bytes: number) => string,
): Sql => {
  const bytes = Buffer.byteLength(values[0] ?? '');
  if (bytes === 0) return { sql: `${column} IS NOT NULL`, values: [] };
  const cut = `substr(CAST(${column} AS BLOB), ${part(bytes)})`;
  return { sql: falseIfNull(`${cut} = CAST(? AS BLOB)`), values };
};

/**
 * One condition for a whole list: a thousand joined by AND would be deeper than SQLite parses. Each
 * list checks for cancellation again, as a thousand needles in a long text take a while; inside
 * CASE, since SQLite evaluates conditions joined by AND before all that have a subquery.
 */
const containsEach = (column: string, list: readonly string[]): Sql => ({
  sql: `(${column} IS NOT NULL AND CASE WHEN not_cancelled(rowid) THEN NOT EXISTS (
    SELECT 1 FROM json_each(?) AS needle WHERE instr(${column}, needle.value) = 0
  ) END)`,
  values: list,
});

const signs = { eq: '=', ne: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const comparison = (column: string, operator: keyof typeof signs, value: string | number): Sql => {
  const sql = falseIfNull(`${column} ${signs[operator]} ?`);
  return { sql: operator === 'ne' ? `NOT ${sql}` : sql, values: [value] };
};

/** A comparison with a missing value is false, not unknown. */
const falseIfNull = (condition: string): string => `coalesce(${condition}, 0)`;

const fieldColumn = (field: string, collection: Collection): string => {
  if (!Object.hasOwn(collection.fields, field)) {
    throw new Fault('invalid', `${collection.name} has no field ${field}`);
  }
  return columnOf(field);
};

/**
 * Contract 3.8: missing values last in both directions, ties by created_at and then key,
 * descending.
 */
export const orderBy = (sort: SortOrder | null, collection: Collection): string => {
  const ties = [
    ...(Object.hasOwn(collection.fields, 'created_at') ? [`${columnOf('created_at')} DESC`] : []),
    'key DESC',
  ].join(', ');
  if (sort === null || (sort.column === 'created_at' && !sort.ascending)) return ties;
  const column = fieldColumn(sort.column, collection);
  return sort.ascending
    ? `${column} ASC NULLS LAST, ${ties}`
    : `${column} DESC NULLS LAST, ${ties}`;
};
