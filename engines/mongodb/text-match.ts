import type { Document, Filter as Match } from 'mongodb';
import { foldCase } from '../../kernel/case-fold.js';
import { unreachable } from '../../kernel/decision.js';
import type { ComparisonOperator, FilterCondition } from '../../kernel/filter.js';
import { comparedCharactersMax } from '../../kernel/records/query-plans.js';

// Conditions on stored members. User input is always a value under `$eq`, `$in` or `$literal`:
// never a member, an operator or a pattern.

export const matchAll: Match<Document> = {};
export const matchNone: Match<Document> = { _id: { $in: [] } };

/**
 * Paths of a text: as it is, and folded where folding changes it. `long`: long ASCII texts are not
 * stored folded; the server's own lower-casing is equal for them.
 */
type TextPlace = {
  readonly text: string;
  readonly folded: string;
  readonly long?: boolean;
};

/** Part of a text that orders it, and names a category or an error (contract 3.8). */
export const comparedPrefix = (member: string): Document => ({
  $cond: [
    { $eq: [{ $type: `$${member}` }, 'string'] },
    { $substrCP: [`$${member}`, 0, comparedCharactersMax] },
    `$${member}`,
  ],
});

export type TextLeaf = Extract<FilterCondition, { readonly kind: 'text' | 'id' }>;

/** Folded copy stored for case-insensitive search; null if equal to the text. */
export const foldedVariant = (text: string): string | null => {
  const folded = foldCase(text);
  return folded === text ? null : folded;
};

/**
 * Condition of a text leaf; `matchesMissingValue` decides missing values (contract 3.7, rule 2).
 */
export const textMatch = (leaf: TextLeaf, place: TextPlace): Match<Document> => {
  const isExact = leaf.caseSensitive;
  const values = isExact ? leaf.values : leaf.values.map(foldCase);
  switch (leaf.operator) {
    case 'contains':
      return containsEach(isExact ? `$${place.text}` : foldedText(place), values);
    case 'eq':
    case 'one_of':
      return isOneOf(place, values, isExact);
    case 'ne':
    case 'not_in':
      return { $nor: [isOneOf(place, values, isExact)] };
    case 'starts_with':
    case 'ends_with':
      return startsOrEndsWith(
        leaf.operator,
        isExact ? `$${place.text}` : foldedText(place),
        values[0] ?? '',
      );
    case 'is_null':
      return { $nor: [{ [place.text]: { $type: 'string' } }] };
    default:
      return unreachable(leaf);
  }
};

/**
 * Membership test. A text that changes by folding equals no folded value, so testing both paths is
 * exact.
 */
const isOneOf = (
  place: TextPlace,
  values: readonly string[],
  isExact: boolean,
): Match<Document> => {
  const here = { [place.text]: { $in: [...values] } };
  if (isExact) return here;
  const folded = { [place.folded]: { $in: [...values] } };
  const long = place.long === true ? values.filter((value) => value.length > longText) : [];
  if (long.length === 0) return { $or: [here, folded] };
  return { $or: [here, folded, { $expr: { $in: [foldedText(place), { $literal: long }] } }] };
};

const foldedText = ({ text, folded, long = false }: TextPlace): Document => {
  if (!long) return { $ifNull: [`$${folded}`, `$${text}`] };
  // The lower case of a missing text is the empty text, which is another answer.
  const lowered = { $cond: [{ $gt: [`$${text}`, null] }, { $toLower: `$${text}` }, null] };
  const own = { $cond: [isLong(text), lowered, `$${text}`] };
  return { $ifNull: [`$${folded}`, own] };
};

const isLong = (text: string): Document => ({
  $gt: [{ $strLenBytes: { $ifNull: [`$${text}`, ''] } }, longText],
});

/** True if the folded copy is stored: for long ASCII texts it would double the size of records. */
export const isKeptFolded = (text: string): boolean => text.length <= longText || !ascii.test(text);
export const longText = 4_096;
// oxlint-disable-next-line no-control-regex -- All of ASCII is meant, controls included.
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Substring test by bytes, so nothing is a pattern; the index in a missing text is null, not ≥ 0.
 */
const containsEach = (text: string | Document, values: readonly string[]): Match<Document> => {
  const holds = (value: string | Document): Document => ({
    $gte: [{ $indexOfBytes: [text, value] }, 0],
  });
  const [only] = values;
  if (values.length === 1) return { $expr: holds({ $literal: only }) };
  return {
    $expr: {
      $allElementsTrue: [
        { $map: { input: { $literal: values }, as: 'part', in: holds('$$part') } },
      ],
    },
  };
};

/** Prefix or suffix test; the index in a missing text is null here too. */
const startsOrEndsWith = (
  operator: 'starts_with' | 'ends_with',
  text: string | Document,
  value: string,
): Match<Document> => {
  const bytes = Buffer.byteLength(value);
  const length = { $strLenBytes: { $ifNull: ['$$text', ''] } };
  const range =
    operator === 'starts_with' ? [0, bytes] : [{ $max: [0, { $subtract: [length, bytes] }] }];
  const found = { $gte: [{ $indexOfBytes: ['$$text', { $literal: value }, ...range] }, 0] };
  return { $expr: { $let: { vars: { text }, in: found } } };
};

const signs = {
  eq: '$eq',
  ne: '$eq',
  gt: '$gt',
  gte: '$gte',
  lt: '$lt',
  lte: '$lte',
} as const satisfies Readonly<Record<ComparisonOperator, string>>;

/** Comparison; the server compares a value only with those of its own type. */
export const comparison = (
  member: string,
  operator: ComparisonOperator,
  value: string | number | boolean,
): Match<Document> => {
  const condition = { [member]: { [signs[operator]]: value } };
  return operator === 'ne' ? { $nor: [condition] } : condition;
};

export const between = (member: string, [low = NaN, high = NaN]: readonly number[]) => ({
  [member]: { $gte: low, $lte: high },
});

/** Conjunction, true if empty; `anyOf` is false if empty. */
export const allOf = (conditions: readonly Match<Document>[]): Match<Document> =>
  conditions.length === 0 ? matchAll : { $and: [...conditions] };
export const anyOf = (conditions: readonly Match<Document>[]): Match<Document> =>
  conditions.length === 0 ? matchNone : { $or: [...conditions] };
export const noneOf = (condition: Match<Document>): Match<Document> => ({ $nor: [condition] });
