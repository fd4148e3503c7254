import { byCodePoint } from './code-points.js';
import type { Document, FieldValue, DocumentQuery, DocumentPage } from './documents.js';
import { matchesFields } from './filter.js';

/** Reference for `Documents.find`, over all documents of a collection. */
export const referenceFind = (
  all: Iterable<Document>,
  { scope, filter = null, sort = null, offset = 0, limit }: DocumentQuery,
): DocumentPage<unknown> => {
  const found = [...all]
    .filter((one) => one.scope === scope)
    .filter(({ fields }) => filter === null || matchesFields(filter, fields))
    .toSorted(compareDocuments(sort));
  return { documents: found.slice(offset, offset + limit), more: found.length > offset + limit };
};

/**
 * Comparator of contract 3.8: missing values last, ties by `created_at` descending, then by key
 * descending.
 */
const compareDocuments = (sort: DocumentQuery['sort']) => {
  const by = (one: Document, other: Document, column: string, ascending: boolean): number => {
    const [left, right] = [one.fields[column] ?? null, other.fields[column] ?? null];
    if (left === right) return 0;
    if (left === null || right === null) return left === null ? 1 : -1;
    return compareValues(left, right) * (ascending ? 1 : -1);
  };
  return (one: Document, other: Document): number =>
    (sort == null ? 0 : by(one, other, sort.column, sort.ascending)) ||
    by(one, other, 'created_at', false) ||
    byCodePoint(other.key, one.key);
};

const compareValues = (left: FieldValue, right: FieldValue): number =>
  typeof left === 'string' && typeof right === 'string'
    ? byCodePoint(left, right)
    : Number(left) - Number(right);
