import { foldCase } from './case-fold.js';
import {
  metricValue,
  parseColumnId,
  registryType,
  standardValue,
  userMetadataValue,
} from './records/column-value.js';
import { unreachable } from './decision.js';
import { ratingValue } from './records/feedback.js';
import type { ColumnValue, MetricType, RecordRow } from './records/record.js';
import type { Instant } from './schema-types.js';

/**
 * The filter tree after the planner checked it against the catalogue (contract 3.7): one spelling,
 * values in canonical form (ids lower-cased, instants canonical), lists where the operator takes a
 * list. Engines compile this and nothing else.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  /** Some span of the trace, or some trace of the session, satisfies `where`. */
  | { readonly some: 'span' | 'trace'; readonly where: Filter }
  | FilterCondition;

export type FilterCondition =
  | {
      readonly kind: 'text';
      readonly column: string;
      readonly operator: EqualityOperator | 'starts_with' | 'ends_with' | 'is_null';
      /**
       * eq, ne, starts_with, ends_with: exactly one item. contains: every item is a substring.
       * is_null: none.
       */
      readonly values: readonly string[];
      readonly caseSensitive: boolean;
    }
  | {
      readonly kind: 'id';
      readonly column: string;
      readonly operator: EqualityOperator;
      /** As for texts: a list where the operator takes one. */
      readonly values: readonly string[];
      readonly caseSensitive: boolean;
    }
  | {
      readonly kind: 'collection';
      readonly column: string;
      readonly operator: 'eq' | 'contains' | 'one_of' | 'not_in';
      readonly values: readonly string[];
      readonly caseSensitive: boolean;
    }
  | {
      readonly kind: 'date';
      readonly column: string;
      readonly operator: ComparisonOperator;
      readonly value: Instant;
    }
  | {
      readonly kind: 'number';
      readonly column: string;
      readonly operator: ComparisonOperator | 'between';
      /** One number; for `between` the low and the high end. */
      readonly values: readonly number[];
    }
  | {
      readonly kind: 'boolean';
      readonly column: string;
      readonly operator: 'eq' | 'ne';
      readonly value: boolean;
    }
  /** The record has an evaluation error of the metric; `codes` null: with any code. */
  | {
      readonly kind: 'error';
      /** Column id of the metric. */
      readonly column: string;
      readonly codes: readonly number[] | null;
    }
  /** `users` null: a rating by any user counts. */
  | { readonly kind: 'fully_annotated'; readonly users: readonly string[] | null };

type EqualityOperator = 'eq' | 'ne' | 'contains' | 'one_of' | 'not_in';
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/**
 * True for operators that match a record without a value; all others do not (contract 3.7, rule 2).
 */
export const matchesMissingValue = (operator: string): boolean =>
  operator === 'ne' || operator === 'not_in' || operator === 'is_null';

export const filterDepthMax = 8;
export const filterNodesMax = 100;
/**
 * Limit of nodes that test records a level below, since each scans all of those (contract 1.11).
 */
export const filterLevelNodesMax = 10;

/** Returns the spans of a trace, or the traces of a session. */
export type ChildRecords = (row: RecordRow) => readonly RecordRow[];
const noChildren: ChildRecords = () => [];

/**
 * Reference implementation: true if the record satisfies the filter; every engine must agree
 * (contract 3.7). Logic has two values. `templates` are the live annotation templates of the
 * project.
 */
export const matchesFilter = (
  filter: Filter,
  row: RecordRow,
  templates: readonly string[],
  below: ChildRecords = noChildren,
): boolean => {
  const holds = (node: Filter, of = row): boolean => matchesFilter(node, of, templates, below);
  if ('all' in filter) return filter.all.every((node) => holds(node));
  if ('any' in filter) return filter.any.some((node) => holds(node));
  if ('not' in filter) return !holds(filter.not);
  if ('some' in filter) return below(row).some((one) => holds(filter.where, one));
  if (filter.kind === 'fully_annotated') return isFullyAnnotated(row, templates, filter.users);
  if (filter.kind === 'error') return hasError(row, filter);
  return matchesCondition(filter, (column, kind) => leafValue(row, column, kind));
};

/** `matchesFilter` for a document's fields, which have no collections, levels or annotations. */
export const matchesFields = (
  filter: Filter,
  fields: Readonly<Record<string, string | number | boolean | null>>,
): boolean => {
  if ('all' in filter) return filter.all.every((node) => matchesFields(node, fields));
  if ('any' in filter) return filter.any.some((node) => matchesFields(node, fields));
  if ('not' in filter) return !matchesFields(filter.not, fields);
  if ('some' in filter || !isComparison(filter)) return false;
  return matchesCondition(filter, (column) => fields[column] ?? null);
};

/** Conditions that compare the value of a column. */
export type ColumnComparison = Exclude<
  FilterCondition,
  { readonly kind: 'fully_annotated' | 'error' }
>;

const isComparison = (leaf: FilterCondition): leaf is ColumnComparison =>
  leaf.kind !== 'fully_annotated' && leaf.kind !== 'error';

type ReadColumn = (column: string, kind: MetricType) => ColumnValue;

const matchesCondition = (filter: ColumnComparison, valueOf: ReadColumn): boolean => {
  switch (filter.kind) {
    case 'text':
      return matchesText(filter, valueOf(filter.column, 'text'));
    case 'id':
      return matchesText(withLowerCasedValues(filter), valueOf(filter.column, 'text'));
    case 'collection':
      return matchesCollection(filter, valueOf(filter.column, 'text'));
    case 'date':
      return matchesComparison(filter.operator, valueOf(filter.column, 'text'), filter.value);
    case 'number':
      return matchesNumber(filter, valueOf(filter.column, 'floating_point'));
    case 'boolean': {
      const equal = valueOf(filter.column, 'boolean') === filter.value;
      return filter.operator === 'eq' ? equal : !equal;
    }
    default:
      return unreachable(filter);
  }
};

type TextLeaf = Extract<FilterCondition, { readonly kind: 'text' | 'id' }>;
type CollectionLeaf = Extract<FilterCondition, { readonly kind: 'collection' }>;
type NumberLeaf = Extract<FilterCondition, { readonly kind: 'number' }>;

/**
 * Value of the column. Metrics of the registry keep their type; for others the kind of the leaf
 * selects the values.
 */
const leafValue = (row: RecordRow, column: string, kind: MetricType): ColumnValue => {
  const place = parseColumnId(column);
  if (place?.in === 'metrics') {
    const value = metricValue(row, place.metric, registryType(place.metric) ?? kind);
    return value !== null && typeof value === scriptTypes[kind] ? value : null;
  }
  if (place?.in === 'annotations') return ratingValue(row, place.template);
  return place?.in === 'user_metadata'
    ? userMetadataValue(row, place.key)
    : standardValue(row, column);
};

const scriptTypes = {
  integer: 'number',
  floating_point: 'number',
  boolean: 'boolean',
  text: 'string',
} as const;

const withLowerCasedValues = (leaf: TextLeaf): TextLeaf => ({
  ...leaf,
  values: leaf.values.map((value) => value.toLowerCase()),
  caseSensitive: true,
});

const matchesText = (leaf: TextLeaf, value: ColumnValue): boolean => {
  if (typeof value !== 'string') return matchesMissingValue(leaf.operator);
  const fold = leaf.caseSensitive ? (text: string) => text : foldCase;
  const text = fold(value);
  const wanted = leaf.values.map(fold);
  switch (leaf.operator) {
    case 'is_null':
      return false;
    case 'contains':
      return wanted.every((item) => text.includes(item));
    case 'starts_with':
      return wanted.every((item) => text.startsWith(item));
    case 'ends_with':
      return wanted.every((item) => text.endsWith(item));
    case 'eq':
    case 'one_of':
      return wanted.includes(text);
    case 'ne':
    case 'not_in':
      return !wanted.includes(text);
    default:
      return unreachable(leaf);
  }
};

/** A missing `tags` is the empty set. */
const matchesCollection = (leaf: CollectionLeaf, value: ColumnValue): boolean => {
  const fold = leaf.caseSensitive ? (text: string) => text : foldCase;
  const has = new Set(Array.isArray(value) ? value.map((item: string) => fold(item)) : []);
  const wants = new Set(leaf.values.map(fold));
  switch (leaf.operator) {
    case 'eq':
      return has.size === wants.size && [...wants].every((item) => has.has(item));
    case 'contains':
      return [...wants].every((item) => has.has(item));
    case 'one_of':
      return [...wants].some((item) => has.has(item));
    case 'not_in':
      return ![...wants].some((item) => has.has(item));
    default:
      return unreachable(leaf.operator);
  }
};

const matchesNumber = (leaf: NumberLeaf, value: ColumnValue): boolean => {
  const [low = Number.NaN, high = Number.NaN] = leaf.values;
  if (leaf.operator !== 'between') return matchesComparison(leaf.operator, value, low);
  return typeof value === 'number' && low <= value && value <= high;
};

/** Compares numbers or instants; canonical instants order as texts. */
const matchesComparison = (
  operator: ComparisonOperator,
  value: ColumnValue,
  bound: string | number,
): boolean => {
  if (typeof value !== typeof bound || value === null) return operator === 'ne';
  switch (operator) {
    case 'eq':
      return value === bound;
    case 'ne':
      return value !== bound;
    case 'gt':
      return value > bound;
    case 'gte':
      return value >= bound;
    case 'lt':
      return value < bound;
    case 'lte':
      return value <= bound;
    default:
      return unreachable(operator);
  }
};

const hasError = (
  { errors }: RecordRow,
  { column, codes }: Extract<FilterCondition, { readonly kind: 'error' }>,
): boolean => {
  const place = parseColumnId(column);
  if (place?.in !== 'metrics' || !Object.hasOwn(errors, place.metric)) return false;
  const error = errors[place.metric];
  return error !== undefined && (codes === null || codes.includes(error.code));
};

const isFullyAnnotated = (
  row: RecordRow,
  templates: readonly string[],
  users: readonly string[] | null,
): boolean => {
  const has = (template: string): boolean =>
    users === null
      ? row.annotators.some((one) => one.startsWith(`${template}/`))
      : users.every((user) => row.annotators.includes(`${template}/${user}`));
  return templates.length > 0 && templates.every(has);
};
