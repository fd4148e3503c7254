import { microsecondsOf } from '../../kernel/records/time-buckets.js';
import { foldCase } from '../../kernel/case-fold.js';
import type { ComparisonOperator, Filter, FilterCondition } from '../../kernel/filter.js';
import { unreachable } from '../../kernel/decision.js';
import { isUuid } from './schema.js';
import {
  bigintConstant,
  bindText,
  bindTexts,
  doubleConstant,
  integerList,
  uuidConstant,
  type SqlParameters,
} from './sql.js';

/** SQL expressions over one row; null where the row has no value. */
export type FilterColumns = {
  readonly parameters: SqlParameters;
  readonly templates: readonly string[];
  text(column: string): string;
  /** The text as `foldCase` returns it; of a long text its beginning, as in `text`. */
  foldedText(column: string): string;
  /** True if pieces of a long text contain all of `bound`; null if no text is long. */
  longTextContains(column: string, folded: boolean, bound: readonly string[]): string | null;
  /** Suffix match on long texts, whose row holds only the beginning; null if no text is long. */
  longTextEndsWith(column: string, folded: boolean, bound: string): LongEnd | null;
  texts(column: string): string;
  foldedTexts(column: string): string;
  uuid(column: string): string;
  microseconds(column: string): string;
  number(column: string): string;
  boolean(column: string): string;
  annotators(): string;
  /** Code of the record's evaluation error of the metric with this column. */
  errorCode(column: string): string;
  /** True if a record of the level below matches the filter; never null. */
  existsBelow(level: 'span' | 'trace', where: Filter): string;
};

/** Conditions: the text is long; it is long and has the suffix. */
type LongEnd = { readonly isLong: string; readonly ends: string };

/**
 * Translates the filter to a WHERE condition, true for exactly the rows that `matches`
 * (kernel/filter.ts) accepts. A condition may be null where it is false: negations are pushed down
 * to the leaves, and the remaining AND and OR are true only on true.
 */
export const filterToSql = (filter: Filter, columns: FilterColumns): string =>
  condition(filter, false, columns);

const condition = (filter: Filter, negated: boolean, columns: FilterColumns): string => {
  if ('not' in filter) return condition(filter.not, !negated, columns);
  if ('some' in filter) {
    const some = columns.existsBelow(filter.some, filter.where);
    return negated ? `(NOT ${some})` : some;
  }
  if ('kind' in filter) return negated ? isNotTrue(leaf(filter, columns)) : leaf(filter, columns);
  const [nodes, all] = 'all' in filter ? [filter.all, true] : [filter.any, false];
  if (nodes.length === 0) return all === negated ? 'false' : 'true';
  const conditions = nodes.map((node) => condition(node, negated, columns));
  return `(${conditions.join(all === negated ? ' OR ' : ' AND ')})`;
};

const isNotTrue = (condition: string): string => `((${condition}) IS NOT TRUE)`;

const leaf = (filter: FilterCondition, columns: FilterColumns): string => {
  switch (filter.kind) {
    case 'text':
      return textLeaf(filter, columns);
    case 'id':
      return idLeaf(filter, columns);
    case 'collection':
      return collectionLeaf(filter, columns);
    case 'date': {
      const bound = bigintConstant(microsecondsOf(filter.value));
      return comparison(filter.operator, columns.microseconds(filter.column), bound);
    }
    case 'number':
      return numberLeaf(filter, columns);
    case 'boolean': {
      const equal = `${columns.boolean(filter.column)} = ${String(filter.value)}`;
      return filter.operator === 'eq' ? equal : isNotTrue(equal);
    }
    case 'error':
      return errorLeaf(filter, columns);
    case 'fully_annotated':
      return annotatedLeaf(filter.users, columns);
    default:
      return unreachable(filter);
  }
};

type TextLeaf = Extract<FilterCondition, { readonly kind: 'text' }>;

const textLeaf = (filter: TextLeaf, columns: FilterColumns): string => {
  const fold = filter.caseSensitive ? (text: string) => text : foldCase;
  const values = filter.values.map(fold);
  const text = filter.caseSensitive
    ? columns.text(filter.column)
    : columns.foldedText(filter.column);
  const [first = ''] = values;
  switch (filter.operator) {
    case 'is_null':
      return `${columns.text(filter.column)} IS NULL`;
    case 'starts_with':
      return `starts_with(${text}, ${bindText(columns.parameters, first)})`;
    case 'ends_with': {
      const bound = bindText(columns.parameters, first);
      const long = columns.longTextEndsWith(filter.column, !filter.caseSensitive, bound);
      const ends = `suffix(${text}, ${bound})`;
      return long === null ? ends : `((${ends} AND NOT ${long.isLong}) OR ${long.ends})`;
    }
    case 'contains':
      return containsAll(filter, text, values, columns);
    case 'eq':
    case 'ne':
    case 'one_of':
    case 'not_in':
      return textComparison(filter.operator, text, values, columns.parameters);
    default:
      return unreachable(filter.operator);
  }
};

const containsAll = (
  filter: TextLeaf,
  text: string,
  values: readonly string[],
  columns: FilterColumns,
): string => {
  if (values.length === 0) return `${text} IS NOT NULL`;
  const bound = values.map((value) => bindText(columns.parameters, value));
  const inRow = bound.map((one) => `contains(${text}, ${one})`).join(' AND ');
  const inPieces = columns.longTextContains(filter.column, !filter.caseSensitive, bound);
  return inPieces === null ? `(${inRow})` : `((${inRow}) OR ${inPieces})`;
};

const textComparison = (
  operator: 'eq' | 'ne' | 'one_of' | 'not_in',
  text: string,
  values: readonly string[],
  to: SqlParameters,
): string => {
  const bound = [...new Set(values)].map((value) => bindText(to, value));
  const found = bound.length === 0 ? 'false' : `${text} IN (${bound.join(', ')})`;
  return operator === 'eq' || operator === 'one_of' ? found : isNotTrue(found);
};

/** Id comparison: both sides are lower-case; a value that is not a UUID matches nothing. */
const idLeaf = (
  filter: Extract<FilterCondition, { readonly kind: 'id' }>,
  columns: FilterColumns,
): string => {
  const values = filter.values.map((value) => value.toLowerCase());
  const id = columns.uuid(filter.column);
  if (filter.operator === 'contains') {
    const text = `CAST(${id} AS VARCHAR)`;
    const has = values.map((value) => `contains(${text}, ${bindText(columns.parameters, value)})`);
    return has.length === 0 ? `${text} IS NOT NULL` : `(${has.join(' AND ')})`;
  }
  const wanted = values.filter(isUuid).map(uuidConstant);
  const found = wanted.length === 0 ? 'false' : `${id} IN (${wanted.join(', ')})`;
  return filter.operator === 'eq' || filter.operator === 'one_of' ? found : isNotTrue(found);
};

// Up to about this many items, single look-ups are faster than building a set per record.
const listContainsMax = 8;

const collectionLeaf = (
  filter: Extract<FilterCondition, { readonly kind: 'collection' }>,
  columns: FilterColumns,
): string => {
  const values = filter.caseSensitive ? filter.values : filter.values.map(foldCase);
  const list = filter.caseSensitive
    ? columns.texts(filter.column)
    : columns.foldedTexts(filter.column);
  const has = `coalesce(${list}, CAST([] AS VARCHAR[]))`;
  const few = values.length <= listContainsMax && values.length > 0;
  /** One look-up per wanted item. */
  const oneByOne = (word: string): string =>
    `(${values
      .map((value) => `list_contains(${has}, ${bindText(columns.parameters, value)})`)
      .join(` ${word} `)})`;
  const wants = (): string => bindTexts(columns.parameters, values);
  switch (filter.operator) {
    case 'eq': {
      const wanted = wants();
      return `(list_has_all(${has}, ${wanted}) AND list_has_all(${wanted}, ${has}))`;
    }
    case 'contains':
      return few ? oneByOne('AND') : `list_has_all(${has}, ${wants()})`;
    case 'one_of':
      return few ? oneByOne('OR') : `list_has_any(${has}, ${wants()})`;
    case 'not_in':
      return isNotTrue(few ? oneByOne('OR') : `list_has_any(${has}, ${wants()})`);
    default:
      return unreachable(filter.operator);
  }
};

const numberLeaf = (
  filter: Extract<FilterCondition, { readonly kind: 'number' }>,
  columns: FilterColumns,
): string => {
  const number = columns.number(filter.column);
  const [low = Number.NaN, high = Number.NaN] = filter.values;
  if (filter.operator !== 'between') {
    return comparison(filter.operator, number, doubleConstant(low));
  }
  return `${number} BETWEEN ${doubleConstant(low)} AND ${doubleConstant(high)}`;
};

const operators: Readonly<Record<Exclude<ComparisonOperator, 'ne'>, string>> = {
  eq: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

const comparison = (operator: ComparisonOperator, value: string, bound: string): string =>
  operator === 'ne' ? isNotTrue(`${value} = ${bound}`) : `${value} ${operators[operator]} ${bound}`;

const errorLeaf = (
  { column, codes }: Extract<FilterCondition, { readonly kind: 'error' }>,
  columns: FilterColumns,
): string => {
  const code = columns.errorCode(column);
  return codes === null ? `${code} IS NOT NULL` : `${code} IN (${integerList(codes)})`;
};

const annotatedLeaf = (users: readonly string[] | null, columns: FilterColumns): string => {
  const { templates, parameters: to } = columns;
  if (templates.length === 0) return 'false';
  const has = `coalesce(${columns.annotators()}, CAST([] AS VARCHAR[]))`;
  if (users !== null) {
    const pairs = templates.flatMap((template) => users.map((user) => `${template}/${user}`));
    return `list_has_all(${has}, ${bindTexts(to, pairs)})`;
  }
  const rated = `list_transform(${has}, lambda pair: split_part(pair, '/', 1))`;
  return `list_has_all(${rated}, ${bindTexts(to, templates)})`;
};
