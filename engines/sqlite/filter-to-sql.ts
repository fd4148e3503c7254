import { Fault } from '../../kernel/fault.js';
import { foldCase } from '../../kernel/case-fold.js';
import type { Filter, Leaf } from '../../kernel/filter.js';
import type { Collection, Sort } from '../../kernel/ports.js';

export type Sql = { readonly sql: string; readonly values: readonly (string | number)[] };

const always: Sql = { sql: '1', values: [] };

/** The column of a declared field; a name that was not declared never reaches SQL. */
export const columnOf = (field: string): string => `"f_${field}"`;

/** Two-valued logic of contract 3.7: a missing value makes every comparison false but `ne` and `not_in`. */
export const filterToSql = (filter: Filter | null, collection: Collection): Sql => {
  if (filter === null) return always;
  if ('all' in filter) return joined(filter.all, ' AND ', collection);
  if ('any' in filter) return joined(filter.any, ' OR ', collection);
  if ('not' in filter) {
    const { sql, values } = filterToSql(filter.not, collection);
    return { sql: `NOT (${sql})`, values };
  }
  return leafToSql(filter, collection);
};

const joined = (filters: readonly Filter[], word: string, collection: Collection): Sql => {
  const parts = filters.map((one) => filterToSql(one, collection));
  return {
    sql: `(${parts.map(({ sql }) => sql).join(word)})`,
    values: parts.flatMap(({ values }) => values),
  };
};

const leafToSql = (leaf: Leaf, collection: Collection): Sql => {
  if (leaf.kind === 'fully_annotated' || leaf.kind === 'collection') {
    throw new Fault('invalid', `a document has no ${leaf.kind} column`);
  }
  const column = declared(leaf.column, collection);
  switch (leaf.kind) {
    case 'text':
    case 'id':
      return textToSql(leaf, column);
    case 'number':
      if (leaf.operator === 'between') {
        return { sql: sure(`${column} BETWEEN ? AND ?`), values: leaf.values };
      }
      return compared(column, leaf.operator, leaf.values[0] ?? 0);
    case 'date':
      return compared(column, leaf.operator, leaf.value);
    case 'boolean':
      return compared(column, leaf.operator, Number(leaf.value));
  }
};

const textToSql = (leaf: Leaf & { kind: 'text' | 'id' }, column: string): Sql => {
  const sensitive = leaf.caseSensitive;
  const text = sensitive ? column : `fold_case(${column})`;
  const values = sensitive ? leaf.values : leaf.values.map(foldCase);
  const list = JSON.stringify(values);
  const isOne = sure(`${text} IN (SELECT value FROM json_each(?))`);
  switch (leaf.operator) {
    case 'contains':
      return {
        sql: `(${values.map(() => sure(`instr(${text}, ?) > 0`)).join(' AND ')})`,
        values,
      };
    case 'eq':
    case 'one_of':
      return { sql: isOne, values: [list] };
    case 'ne':
    case 'not_in':
      return { sql: `NOT ${isOne}`, values: [list] };
  }
};

const signs = { eq: '=', ne: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const compared = (column: string, operator: keyof typeof signs, value: string | number): Sql => {
  const sql = sure(`${column} ${signs[operator]} ?`);
  return { sql: operator === 'ne' ? `NOT ${sql}` : sql, values: [value] };
};

const sure = (condition: string): string => `coalesce(${condition}, 0)`;

const declared = (field: string, collection: Collection): string => {
  if (!Object.hasOwn(collection.fields, field)) {
    throw new Fault('invalid', `${collection.name} has no field ${field}`);
  }
  return columnOf(field);
};

/** Contract 3.8: missing values last in both directions, ties by created_at and then key, descending. */
export const orderBy = (sort: Sort | null, collection: Collection): string => {
  const ties = [
    ...(Object.hasOwn(collection.fields, 'created_at') ? [`${columnOf('created_at')} DESC`] : []),
    'key DESC',
  ].join(', ');
  if (sort === null || (sort.column === 'created_at' && !sort.ascending)) return ties;
  const column = declared(sort.column, collection);
  return sort.ascending
    ? `${column} ASC NULLS LAST, ${ties}`
    : `${column} DESC NULLS LAST, ${ties}`;
};
