import { unreachable } from '../../kernel/decision.js';
import { isReservedFirst, isReservedValue } from './conditions.js';
import { levelMembers, levelOf, type FilterTree, type FilterTreeLeaf } from './filter-tree.js';
import { looksLikeNoText } from './leaf-of-condition.js';
import { wordColumns } from './parse-filter.js';
import { isWord, quoteName, quoteText } from './tokens.js';

/**
 * A tree as a text of the filter language, which `parseFilter` reads as the same tree where its
 * columns are known. `me` is written for the id of the user who is signed in, so that a link means
 * each reader.
 */
export const printFilter = (tree: FilterTree, me: string | null): string => {
  const word = wordOf(tree);
  if (word !== null) return word;
  if ('or' in tree) return tree.or.map((node) => printPart(node, 'or', me)).join(' or ');
  if ('and_' in tree) {
    const { and_: nodes } = tree;
    return nodes.map((node) => printPart(node, 'and_', me)).join(' and ');
  }
  if ('not' in tree) return `not ${printPart(tree.not, 'not', me)}`;
  if ('filter' in tree) return printLeaf(tree.filter, me);
  const level = levelOf(tree);
  return level === null ? '' : `${levelMembers[level[0]].join(' ')} (${printFilter(level[1], me)})`;
};

/** A node inside another, in parentheses where the text would be read otherwise. */
const printPart = (node: FilterTree, outer: 'or' | 'and_' | 'not', me: string | null): string => {
  const text = printFilter(node, me);
  const isJoined = ('or' in node && wordOf(node) === null) || 'and_' in node;
  const isApart = outer === 'not' ? isJoined || 'not' in node : isJoined;
  return isApart && !(outer === 'or' && 'and_' in node) ? `(${text})` : text;
};

/** The bare word that the node is the meaning of; null if it is none. */
const wordOf = (tree: FilterTree): string | null => {
  const leaves = 'or' in tree ? tree.or.map((node) => ('filter' in node ? node.filter : null)) : [];
  const [first] = leaves;
  if (leaves.length !== wordColumns.length || first?.type !== 'text') return null;
  const word = first.operator === 'contains' ? first.value : null;
  const isMeant = leaves.every(
    (leaf, at) =>
      leaf?.type === 'text' &&
      leaf.operator === 'contains' &&
      leaf.name === wordColumns[at] &&
      leaf.value === word &&
      leaf.case_sensitive === false,
  );
  return isMeant && typeof word === 'string' && isWord(word) && !isReservedFirst(word)
    ? word
    : null;
};

/** The name of a column as the language writes it. */
export const printColumn = (name: string): string =>
  isWord(name) && !isReservedFirst(name) ? name : quoteName(name);

/** A text as a value: in quotes where it would not be one word, or not be a text. */
export const printText = (text: string): string =>
  isWord(text) && !isReservedValue(text) && !looksLikeNoText(text) ? text : quoteText(text);

const signs = {
  eq: '=',
  ne: '!=',
  contains: '~',
  starts_with: '^=',
  ends_with: '$=',
  one_of: 'in',
  not_in: 'not in',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  between: '=',
} as const;

const printLeaf = (leaf: FilterTreeLeaf, me: string | null): string => {
  if (leaf.type === 'fully_annotated') {
    const users = leaf.user_ids?.map((user) => (user === me ? 'me' : user));
    return users === undefined ? 'annotated' : `annotated by (${users.join(', ')})`;
  }
  const column = printColumn(leaf.name);
  if (leaf.type === 'error') return `error of ${column}${printCodes(leaf)}`;
  if (leaf.operator === 'is_null') return `${column} is ${leaf.value === false ? 'not ' : ''}empty`;
  return `${column} ${signs[leaf.operator]} ${printValue(leaf)}`;
};

const printCodes = (leaf: Extract<FilterTreeLeaf, { readonly type: 'error' }>): string => {
  if (leaf.operator === 'any') return '';
  return leaf.value.length === 1 ? ` = ${leaf.value.join('')}` : ` in (${leaf.value.join(', ')})`;
};

type Comparison = Exclude<
  FilterTreeLeaf,
  { readonly type: 'fully_annotated' | 'error' } | { readonly operator: 'is_null' }
>;

const printValue = (leaf: Comparison): string => {
  switch (leaf.type) {
    case 'number':
      return typeof leaf.value === 'number' ? String(leaf.value) : leaf.value.join(' .. ');
    case 'boolean':
      return String(leaf.value);
    case 'date':
      return printInstant(leaf.value);
    case 'text':
    case 'id':
    case 'collection': {
      const anyCase = leaf.type !== 'id' && leaf.case_sensitive === false;
      const print = anyCase ? (text: string) => `${quoteText(text)}i` : printText;
      if (typeof leaf.value === 'string') return print(leaf.value);
      const list = leaf.value.map(print).join(', ');
      return leaf.type === 'collection' && leaf.operator === 'eq' ? `{${list}}` : `(${list})`;
    }
    default:
      return unreachable(leaf);
  }
};

/** A canonical instant without the zeros at its end. */
const printInstant = (instant: string): string =>
  instant.replace(/\.(\d*?)0*Z$/, (_, digits: string) => (digits === '' ? 'Z' : `.${digits}Z`));
