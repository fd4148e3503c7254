import type { FilterKind } from '../../kernel/records/record.js';
import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import type { Condition, WrittenValue } from './conditions.js';
import type { FilterProblem } from './filter-problem.js';
import type { FilterTree, OrderOperator } from './filter-tree.js';
import { joinWords } from './expected-words.js';

type Comparison = Extract<Condition, { readonly is: 'comparison' }>;
type Empty = Extract<Condition, { readonly is: 'empty' }>;

/** The node that a condition means, or why it means none. */
export type Meaning = { readonly tree: FilterTree } | { readonly problem: FilterProblem };

/** Operators of the columns of each filter type, in the order in which they are offered. */
export const operatorsOf: Readonly<Record<FilterKind, readonly string[]>> = {
  text: ['~', '=', '!=', '^=', '$=', 'in', 'not in', 'is empty', 'is not empty'],
  collection: ['~', '=', 'in', 'not in', 'is empty', 'is not empty'],
  number: ['>=', '<=', '>', '<', '=', '!='],
  date: ['>=', '<=', '>', '<', '=', '!='],
  id: ['=', '!=', 'in', 'not in', '~'],
  boolean: ['=', '!='],
};

const typeNames: Readonly<Record<FilterKind, string>> = {
  text: 'a text',
  collection: 'a list',
  number: 'a number',
  date: 'an instant',
  id: 'an id',
  boolean: 'true or false',
};

/** The leaf of a comparison with a column that takes one of these filters. */
export const comparisonLeaf = (condition: Comparison, types: readonly FilterKind[]): Meaning => {
  const { operator } = condition;
  const type = types.find((one) => fitsType(one, condition)) ?? types[0] ?? 'text';
  if (!operatorsOf[type].includes(operator.text)) return refuseOperator(condition, type);
  const mixed = condition.values.find(({ anyCase }) => anyCase !== condition.values[0]?.anyCase);
  if (mixed !== undefined)
    return refuse(mixed, 'An `i` stands behind each text of a list or none.');
  const marked = condition.values.find(({ anyCase }) => anyCase);
  if (marked !== undefined && type !== 'text' && type !== 'collection') {
    return refuse(
      marked,
      `\`${condition.column.name}\` is ${typeNames[type]}: \`i\` has no meaning.`,
    );
  }
  return readers[type](condition);
};

/** `is empty` of a text or a list. */
export const emptyLeaf = (
  { column: { name }, operator, isNegated }: Empty,
  types: readonly FilterKind[],
): Meaning => {
  if (types.includes('text')) {
    const filter = { type: 'text', name, operator: 'is_null' } as const;
    return { tree: { filter: isNegated ? { ...filter, value: false } : filter } };
  }
  if (types.includes('collection')) {
    const filter = { type: 'collection', name, operator: 'eq', value: [] } as const;
    return { tree: isNegated ? { not: { filter } } : { filter } };
  }
  return refuse(operator, `Only texts and lists can be empty; \`${name}\` is neither.`);
};

/** The leaf about errors of a metric. */
export const errorLeaf = ({
  metric: { name },
  codes,
}: Extract<Condition, { readonly is: 'error' }>): Meaning => {
  const type = 'error';
  if (codes === null) return { tree: { filter: { type, name, operator: 'any' } } };
  const numbers: number[] = [];
  for (const code of codes) {
    const number = numberOf(code);
    if (number === null || !Number.isSafeInteger(number)) {
      return refuse(code, 'The code of an error is a whole number, such as 1003.');
    }
    numbers.push(number);
  }
  return { tree: { filter: { type, name, operator: 'one_of', value: numbers } } };
};

/** The leaf about ratings; `me` is the user who is signed in. */
export const annotatedLeaf = (
  users: readonly WrittenValue[] | null,
  me: string | null,
): Meaning => {
  const type = 'fully_annotated';
  if (users === null) return { tree: { filter: { type } } };
  const ids: string[] = [];
  for (const user of users) {
    const isMe = !user.isQuoted && user.text.toLowerCase() === 'me';
    const id = isMe ? me : canonicalUuid(user.text);
    if (id === null) return refuse(user, isMe ? meOfKey : 'A user is a uuid, or `me`.');
    ids.push(id);
  }
  return { tree: { filter: { type, user_ids: ids } } };
};

const meOfKey = '`me` needs a user, and this is an API key. Write the id of a user.';

const refuse = (
  { at, length }: { readonly at: number; readonly length: number },
  message: string,
  expected: readonly string[] = [],
): Meaning => ({ problem: { at, length, message, expected } });

const refuseOperator = ({ column, operator }: Comparison, type: FilterKind): Meaning => {
  const expected = operatorsOf[type].map((one) => `\`${one}\``);
  const message =
    `\`${column.name}\` is ${typeNames[type]} and takes ${joinWords(expected)}, ` +
    `not \`${operator.text}\`.`;
  return refuse(operator, message, expected);
};

/** True when a column of unknown type would take the comparison so. */
const fitsType = (type: FilterKind, { operator, form, values }: Comparison): boolean => {
  if (!operatorsOf[type].includes(operator.text)) return false;
  const isText = values.some(({ isQuoted }) => isQuoted);
  const [first] = values;
  if (type === 'collection') return form === 'set';
  if (type === 'boolean') return form === 'one' && !isText && booleanOf(first) !== null;
  return type !== 'number' || (!isText && values.every((value) => numberOf(value) !== null));
};

const readers: Readonly<Record<FilterKind, (condition: Comparison) => Meaning>> = {
  text: (condition) => textLeaf(condition),
  id: (condition) => idLeaf(condition),
  date: (condition) => dateLeaf(condition),
  number: (condition) => numberLeaf(condition),
  boolean: (condition) => booleanLeaf(condition),
  collection: (condition) => collectionLeaf(condition),
};

const textLeaf = (condition: Comparison): Meaning => {
  const { column, form, values } = condition;
  const base = { type: 'text', name: column.name } as const;
  const option = values[0]?.anyCase ? ({ case_sensitive: false } as const) : {};
  const operator = textOperators[condition.operator.text] ?? 'eq';
  const texts = values.map(({ text }) => text);
  const [value = ''] = texts;
  const isList = operator === 'one_of' || operator === 'not_in';
  if (form === 'set' || form === 'range') return refuseForm(condition, 'a text');
  if (isList) return { tree: { filter: { ...base, operator, value: texts, ...option } } };
  if (operator !== 'contains' && form === 'list') return refuseForm(condition, 'one text');
  return {
    tree: { filter: { ...base, operator, value: texts.length > 1 ? texts : value, ...option } },
  };
};

const textOperators: Readonly<
  Record<string, 'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in'>
> = {
  '=': 'eq',
  '!=': 'ne',
  '~': 'contains',
  '^=': 'starts_with',
  '$=': 'ends_with',
  in: 'one_of',
  'not in': 'not_in',
};

const idLeaf = (condition: Comparison): Meaning => {
  const { column, form, values } = condition;
  const base = { type: 'id', name: column.name } as const;
  const operator = idOperators[condition.operator.text] ?? 'eq';
  const texts = values.map(({ text }) => text);
  const isList = operator === 'one_of' || operator === 'not_in';
  if (form !== 'one' && !(isList && form === 'list')) return refuseForm(condition, 'one id');
  return { tree: { filter: { ...base, operator, value: isList ? texts : (texts[0] ?? '') } } };
};

const idOperators: Readonly<Record<string, 'eq' | 'ne' | 'contains' | 'one_of' | 'not_in'>> = {
  '=': 'eq',
  '!=': 'ne',
  '~': 'contains',
  in: 'one_of',
  'not in': 'not_in',
};

const collectionLeaf = (condition: Comparison): Meaning => {
  const { column, form, values } = condition;
  const operator = collectionOperators[condition.operator.text] ?? 'eq';
  const takesSet = operator === 'eq';
  if (form === 'range' || (form !== 'one' && takesSet !== (form === 'set'))) {
    return refuseForm(condition, takesSet ? 'a set in braces' : 'a list in parentheses');
  }
  const option = values[0]?.anyCase ? ({ case_sensitive: false } as const) : {};
  const value = values.map(({ text }) => text);
  return {
    tree: { filter: { type: 'collection', name: column.name, operator, value, ...option } },
  };
};

const collectionOperators: Readonly<Record<string, 'eq' | 'contains' | 'one_of' | 'not_in'>> = {
  '=': 'eq',
  '~': 'contains',
  in: 'one_of',
  'not in': 'not_in',
};

const orderOperators: Readonly<Record<string, OrderOperator>> = {
  '=': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

const dateLeaf = (condition: Comparison): Meaning => {
  const { column, form, operator: sign, values } = condition;
  const base = { type: 'date', name: column.name } as const;
  const instants: string[] = [];
  for (const value of values) {
    const instant = canonicalInstant(value.text);
    if (instant === null) {
      return refuse(value, 'An instant is written as 2026-03-01T09:00:00Z; a day alone begins it.');
    }
    instants.push(instant);
  }
  const [value = '', high = ''] = instants;
  if (form === 'range' && sign.text === '=') {
    if (value > high) return refuseRange(condition);
    return {
      tree: {
        and_: [
          { filter: { ...base, operator: 'gte', value } },
          { filter: { ...base, operator: 'lte', value: high } },
        ],
      },
    };
  }
  if (form !== 'one') return refuseForm(condition, 'one instant');
  return { tree: { filter: { ...base, operator: orderOperators[sign.text] ?? 'eq', value } } };
};

const numberLeaf = (condition: Comparison): Meaning => {
  const { column, form, operator: sign, values } = condition;
  const base = { type: 'number', name: column.name } as const;
  const numbers: number[] = [];
  for (const value of values) {
    const number = numberOf(value);
    if (number === null) return refuse(value, 'A number stands here, without quotes.');
    numbers.push(number);
  }
  const [value = 0, high = 0] = numbers;
  if (form === 'range' && sign.text === '=') {
    if (value > high) return refuseRange(condition);
    return { tree: { filter: { ...base, operator: 'between', value: [value, high] } } };
  }
  if (form !== 'one') return refuseForm(condition, 'one number');
  return { tree: { filter: { ...base, operator: orderOperators[sign.text] ?? 'eq', value } } };
};

const numberForm = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** The finite number that an unquoted value is; null for any other. */
const numberOf = ({ text, isQuoted }: WrittenValue): number | null => {
  const number = numberForm.test(text) && !isQuoted ? Number(text) : Infinity;
  return Number.isFinite(number) ? number + 0 : null;
};

/** True for a text that would be read as a number, or as true or false, without quotes. */
export const looksLikeNoText = (text: string): boolean =>
  numberForm.test(text) || /^(true|false)$/i.test(text);

const booleanLeaf = (condition: Comparison): Meaning => {
  const { column, form, operator, values } = condition;
  const [first] = values;
  const value = booleanOf(first);
  if (form !== 'one' || value === null || first === undefined) {
    return refuse(first ?? operator, '`true` or `false` stands here.', ['`true`', '`false`']);
  }
  const name = operator.text === '=' ? 'eq' : 'ne';
  return { tree: { filter: { type: 'boolean', name: column.name, operator: name, value } } };
};

const booleanOf = (value: WrittenValue | undefined): boolean | null => {
  const text = value === undefined || value.isQuoted ? '' : value.text.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
};

const refuseForm = ({ column, operator, values }: Comparison, wanted: string): Meaning => {
  const message = `\`${column.name} ${operator.text}\` takes ${wanted}.`;
  return refuse(values[0] ?? operator, message, [wanted]);
};

const refuseRange = ({ values }: Comparison): Meaning =>
  refuse(values[0] ?? { at: 0, length: 0 }, 'The low end is greater than the high end.');
