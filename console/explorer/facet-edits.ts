import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { FilterTree, FilterTreeLeaf } from '../language/filter-tree.js';
import { allOf, termsOf } from './move-filter.js';

/** The filter with one more condition, which it has once. */
export const withTerm = (tree: FilterTree | null, term: FilterTree): FilterTree | null => {
  const wanted = JSON.stringify(term);
  const others = termsOf(tree).filter((one) => JSON.stringify(one) !== wanted);
  return allOf([...others, term]);
};

type FilteredColumn = Pick<Column, 'id' | 'filter_type'>;

/** Condition that the column has this value; null where no filter says so. */
export const valueTerm = (column: FilteredColumn, value: unknown): FilterTree | null => {
  const leaf = valueLeaf(column, value);
  return leaf === null ? null : { filter: leaf };
};

const valueLeaf = ({ id, filter_type: type }: FilteredColumn, value: unknown) => {
  const name = id;
  if (value === null || value === undefined || value === '') {
    return type === 'text' ? ({ type, name, operator: 'is_null' } as const) : null;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const leaves: Readonly<Record<string, FilterTreeLeaf | null>> = {
    text: { type: 'text', name, operator: 'eq', value: text },
    id: { type: 'id', name, operator: 'eq', value: text },
    date: { type: 'date', name, operator: 'eq', value: text },
    number: Number.isFinite(Number(value))
      ? { type: 'number', name, operator: 'eq', value: Number(value) }
      : null,
    boolean: { type: 'boolean', name, operator: 'eq', value: text === 'true' },
    collection: {
      type: 'collection',
      name,
      operator: 'contains',
      value: Array.isArray(value) ? value.map(String) : [text],
    },
  };
  return leaves[type] ?? null;
};

/** Values of one facet that the filter chooses: any of them. */
export const facetSelection = (
  tree: FilterTree | null,
  column: FilteredColumn,
  isOfSpans: boolean,
): readonly string[] => {
  const found = termsOf(tree).find((term) => isFacetTerm(term, column, isOfSpans));
  return found === undefined ? [] : valuesOfFacet(inner(found, isOfSpans));
};

/** The filter without the condition of this facet, which its own counts leave out. */
export const withoutFacet = (
  tree: FilterTree | null,
  column: FilteredColumn,
  isOfSpans: boolean,
): FilterTree | null =>
  allOf(termsOf(tree).filter((term) => !isFacetTerm(term, column, isOfSpans)));

/** The filter where this facet has one of the values; without values, any. */
export const withFacet = (
  tree: FilterTree | null,
  column: FilteredColumn,
  isOfSpans: boolean,
  values: readonly string[],
): FilterTree | null => {
  const others = withoutFacet(tree, column, isOfSpans);
  const term = facetTerm(column, values);
  if (term === null) return others;
  return withTerm(others, isOfSpans ? { any_span: term } : term);
};

const facetTerm = (column: FilteredColumn, values: readonly string[]): FilterTree | null => {
  const { id: name, filter_type: type } = column;
  if (values.length === 0) return null;
  if ((type === 'text' || type === 'id') && values.length > 1) {
    return { filter: { type, name, operator: 'one_of', value: values } };
  }
  if (type === 'collection') return { filter: { type, name, operator: 'one_of', value: values } };
  const terms = values.flatMap((value) => valueTerm(column, value) ?? []);
  return terms.length > 1 ? { or: terms } : (terms[0] ?? null);
};

const inner = (term: FilterTree, isOfSpans: boolean): FilterTree =>
  isOfSpans && 'any_span' in term ? term.any_span : term;

const isFacetTerm = (term: FilterTree, column: FilteredColumn, isOfSpans: boolean): boolean => {
  if (isOfSpans !== 'any_span' in term) return false;
  const leaves = leavesOf(inner(term, isOfSpans));
  return (
    leaves.length > 0 &&
    leaves.every((leaf) => 'name' in leaf && leaf.name === column.id && isChoice(leaf))
  );
};

/** A leaf, or leaves of which one has to hold; else none. */
const leavesOf = (term: FilterTree): readonly FilterTreeLeaf[] => {
  if ('filter' in term) return [term.filter];
  if (!('or' in term)) return [];
  const leaves = term.or.flatMap((one) => ('filter' in one ? [one.filter] : []));
  return leaves.length === term.or.length ? leaves : [];
};

const isChoice = (leaf: FilterTreeLeaf): boolean =>
  'operator' in leaf &&
  (leaf.operator === 'one_of' || (leaf.operator === 'eq' && leaf.type !== 'collection'));

const valuesOfFacet = (term: FilterTree): readonly string[] =>
  leavesOf(term).flatMap((leaf) => {
    if (!('value' in leaf) || leaf.value === undefined) return [];
    return Array.isArray(leaf.value) ? leaf.value.map(String) : [String(leaf.value)];
  });
