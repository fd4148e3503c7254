import type { Document, Filter as Match } from 'mongodb';
import { unreachable } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import { matchesMissingValue, type Filter, type FilterCondition } from '../../kernel/filter.js';
import type { Collection, SortOrder } from '../../kernel/documents.js';
import { encodeMember } from './member-names.js';
import {
  allOf,
  anyOf,
  between,
  comparison,
  matchAll,
  noneOf,
  matchNone,
  textMatch,
} from './text-match.js';

/** Path of a declared field in a stored document. */
export const fieldAt = (field: string): string => `fields.${encodeMember(field)}`;
const foldedAt = (field: string): string => `folded.${encodeMember(field)}`;

/**
 * Translates the filter to a condition on stored documents, by the two-valued logic of contract
 * 3.7.
 */
export const documentMatch = (filter: Filter | null, collection: Collection): Match<Document> => {
  if (filter === null) return matchAll;
  const each = (filters: readonly Filter[]) => filters.map((one) => documentMatch(one, collection));
  if ('all' in filter) return allOf(each(filter.all));
  if ('any' in filter) return anyOf(each(filter.any));
  if ('not' in filter) return noneOf(documentMatch(filter.not, collection));
  if ('some' in filter) throw new Fault('invalid', 'filter on a lower level: documents have none');
  return leafMatch(filter, collection);
};

const leafMatch = (leaf: FilterCondition, collection: Collection): Match<Document> => {
  if (leaf.kind === 'fully_annotated' || leaf.kind === 'error' || leaf.kind === 'collection') {
    throw new Fault('invalid', `documents have no columns of kind ${leaf.kind}`);
  }
  checkDeclared(leaf.column, collection);
  // A condition of another kind than the column's matches missing values only (contract 3.7, rule
  // 2).
  if (collection.fields[leaf.column] !== leaf.kind) {
    return matchesMissingValue(leaf.operator) ? matchAll : matchNone;
  }
  const member = fieldAt(leaf.column);
  switch (leaf.kind) {
    case 'text':
      return textMatch(leaf, { text: member, folded: foldedAt(leaf.column) });
    case 'id': {
      // Ids are stored in lower case.
      const values = leaf.values.map((value) => value.toLowerCase());
      const exact = { ...leaf, values, caseSensitive: true };
      return textMatch(exact, { text: member, folded: member });
    }
    case 'number':
      return leaf.operator === 'between'
        ? between(member, leaf.values)
        : comparison(member, leaf.operator, leaf.values[0] ?? 0);
    case 'date':
    case 'boolean':
      return comparison(member, leaf.operator, leaf.value);
    default:
      return unreachable(leaf);
  }
};

const checkDeclared = (field: string, { name, fields }: Collection): void => {
  if (!Object.hasOwn(fields, field)) throw new Fault('invalid', `${name} has no field ${field}`);
};

/**
 * Sort order of contract 3.8: missing values last in both directions, ties by created_at and then
 * key, descending. `missing` is a stage to run first where needed: the server sorts missing values
 * lowest.
 */
export const documentOrder = (
  sort: SortOrder | null,
  collection: Collection,
): { readonly missing: Document | null; readonly order: Directions } => {
  const isDated = Object.hasOwn(collection.fields, 'created_at');
  const ties: Directions = isDated ? { [fieldAt('created_at')]: -1, key: -1 } : { key: -1 };
  if (sort === null) return { missing: null, order: ties };
  checkDeclared(sort.column, collection);
  const member = fieldAt(sort.column);
  if (!sort.ascending) return { missing: null, order: { [member]: -1, ...without(ties, member) } };
  return {
    missing: { $lte: [`$${member}`, null] },
    order: { missing: 1, [member]: 1, ...without(ties, member) },
  };
};

type Directions = Readonly<Record<string, 1 | -1>>;
const without = (order: Directions, member: string) =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== member));
