import {
  isKeyword,
  peekToken,
  recordExpectation,
  takeSign,
  takeWord,
  type ColumnPlace,
  type Cursor,
} from './cursor.js';
import type { FilterToken } from './tokens.js';

/** Place of something in a filter text. */
type Place = { readonly at: number; readonly length: number };

export type WrittenValue = Place & {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Marked by `i`. */
  readonly anyCase: boolean;
};

type WrittenOperator = Place & { readonly text: string };

/** A leaf as it was written. */
export type Condition =
  | {
      readonly is: 'comparison';
      readonly column: ColumnPlace;
      readonly operator: WrittenOperator;
      /** `set`: in braces. */
      readonly form: 'one' | 'list' | 'set' | 'range';
      readonly values: readonly WrittenValue[];
    }
  | {
      readonly is: 'empty';
      readonly column: ColumnPlace;
      readonly operator: WrittenOperator;
      readonly isNegated: boolean;
    }
  /** `codes` null: with any code. */
  | {
      readonly is: 'error';
      readonly metric: ColumnPlace;
      readonly codes: readonly WrittenValue[] | null;
    }
  /** `users` null: by anyone. */
  | { readonly is: 'annotated'; readonly users: readonly WrittenValue[] | null }
  | ({ readonly is: 'word'; readonly text: string } & Place);

/** Signs of operators; the others are the words `in`, `not in` and `is`. */
export const operatorSigns = ['=', '!=', '~', '^=', '$=', '>', '>=', '<', '<='];

/** Words that cannot begin a condition: each would mean something else there. */
const reservedFirst = ['and', 'or', 'not', 'in', 'is', 'any', 'every', 'no', 'annotated'];
/** Words that are no value without quotes, since they are more likely a value left out. */
const reservedValues = ['and', 'or', 'not'];

export const isReservedFirst = (text: string): boolean =>
  reservedFirst.includes(text.toLowerCase());
export const isReservedValue = (text: string): boolean =>
  reservedValues.includes(text.toLowerCase());

/** "annotated" ["by" "(" user {"," user} ")"], behind its first word */
export const parseAnnotated = (cursor: Cursor): Condition | null => {
  if (!takeWord(cursor, 'by')) return { is: 'annotated', users: null };
  const users = takeSign(cursor, '(') ? parseItems(cursor, ')', parseUser) : null;
  return users && { is: 'annotated', users };
};

const parseUser = (cursor: Cursor): WrittenValue | null => {
  recordExpectation(cursor, { is: 'user' });
  return takeValue(cursor);
};

/** True where an error of a metric begins: the word `error` alone is a bare word. */
export const takeErrorOf = (cursor: Cursor): boolean => {
  if (!isKeyword(peekToken(cursor), 'error')) return false;
  const next = peekToken(cursor, 1);
  if (next.kind === 'end') recordExpectation(cursor, { is: 'word', word: 'of' }, 1);
  if (!isKeyword(next, 'of')) return false;
  cursor.index += 2;
  return true;
};

/** "error" "of" metric ["=" code | "in" "(" code {"," code} ")"], behind its two words */
export const parseError = (cursor: Cursor): Condition | null => {
  const { population } = cursor;
  recordExpectation(cursor, { is: 'metric', population });
  const { kind, text, at, length } = peekToken(cursor);
  if (kind !== 'name' && (kind !== 'word' || isReservedFirst(text))) return null;
  cursor.index += 1;
  const metric = { name: text, at, length, population };
  if (takeSign(cursor, '=')) {
    const code = parseCode(cursor);
    return code && { is: 'error', metric, codes: [code] };
  }
  if (!takeWord(cursor, 'in')) return { is: 'error', metric, codes: null };
  const codes = takeSign(cursor, '(') ? parseItems(cursor, ')', parseCode) : null;
  return codes && { is: 'error', metric, codes };
};

const parseCode = (cursor: Cursor): WrittenValue | null => {
  recordExpectation(cursor, { is: 'code' });
  return takeValue(cursor);
};

/** leaf = column op value | column "is" ["not"] "empty" | word */
export const parseBareOrCondition = (cursor: Cursor): Condition | null => {
  const { population } = cursor;
  recordExpectation(cursor, { is: 'column', population });
  const { kind, text, at, length } = peekToken(cursor);
  const isWord = kind === 'word' && !isReservedFirst(text);
  if (!isWord && kind !== 'name') return null;
  cursor.index += 1;
  const column = { name: text, at, length, population };
  recordExpectation(cursor, { is: 'operator', place: column, isColumn: !isWord });
  const operator = takeOperator(cursor);
  if (operator === null) return isWord ? { is: 'word', text, at, length } : null;
  if (operator.text === 'is') return parseEmpty(cursor, column, operator);
  return parseComparison(cursor, column, operator);
};

const parseEmpty = (
  cursor: Cursor,
  column: ColumnPlace,
  operator: WrittenOperator,
): Condition | null => {
  const isNegated = takeWord(cursor, 'not');
  return takeWord(cursor, 'empty') ? { is: 'empty', column, operator, isNegated } : null;
};

const takeOperator = (cursor: Cursor): WrittenOperator | null => {
  const token = peekToken(cursor);
  const { text, at, length } = token;
  if (isKeyword(token, 'not')) {
    // `x not` may go on with a condition, too.
    const next = peekToken(cursor, 1);
    if (next.kind === 'end') recordExpectation(cursor, { is: 'word', word: 'in' }, 1);
    if (!isKeyword(next, 'in')) return null;
    cursor.index += 2;
    return { text: 'not in', at, length: next.at + next.length - at };
  }
  const isSign = token.kind === 'sign' && operatorSigns.includes(text);
  if (!isSign && !isKeyword(token, 'in') && !isKeyword(token, 'is')) return null;
  cursor.index += 1;
  return { text: text.toLowerCase(), at, length };
};

/** value = one | low ".." high | "(" value {"," value} ")" | "{" … "}" */
const parseComparison = (
  cursor: Cursor,
  column: ColumnPlace,
  operator: WrittenOperator,
): Condition | null => {
  const parseValue = (from: Cursor): WrittenValue | null => {
    recordExpectation(from, { is: 'value', place: column, operator: operator.text });
    return takeValue(from);
  };
  const comparison = (
    form: 'one' | 'list' | 'set' | 'range',
    values: readonly WrittenValue[] | null,
  ): Condition | null => values && { is: 'comparison', column, operator, form, values };
  if (takeSign(cursor, '(')) return comparison('list', parseItems(cursor, ')', parseValue));
  if (takeSign(cursor, '{')) {
    if (takeSign(cursor, '}')) return comparison('set', []);
    return comparison('set', parseItems(cursor, '}', parseValue));
  }
  const value = parseValue(cursor);
  if (value === null) return null;
  if (!takeSign(cursor, '..')) return comparison('one', [value]);
  const high = parseValue(cursor);
  return high && comparison('range', [value, high]);
};

/** Items between commas, with the closing sign. */
const parseItems = (
  cursor: Cursor,
  close: string,
  parseItem: (cursor: Cursor) => WrittenValue | null,
): readonly WrittenValue[] | null => {
  const items: WrittenValue[] = [];
  do {
    const item = parseItem(cursor);
    if (item === null) return null;
    items.push(item);
  } while (takeSign(cursor, ','));
  return takeSign(cursor, close) ? items : null;
};

const takeValue = (cursor: Cursor): WrittenValue | null => {
  const token = peekToken(cursor);
  const { kind, text, at, length, anyCase } = token;
  if (kind === 'quoted') {
    cursor.index += 1;
    return { text, at, length, isQuoted: true, anyCase };
  }
  if (kind !== 'word' || isReservedValue(text)) return null;
  const time = peekToken(cursor, 1);
  const isInstant = isDay.test(text) && isTimeBehind(token, time);
  cursor.index += isInstant ? 2 : 1;
  return {
    text: isInstant ? `${text} ${time.text}` : text,
    at,
    length: isInstant ? time.at + time.length - at : length,
    isQuoted: false,
    anyCase: false,
  };
};

const isDay = /^\d{4}-\d\d-\d\d$/;
const isTime = /^\d\d:\d\d/;

/** True for the time of an instant whose separator is a blank (contract 1.3). */
const isTimeBehind = (day: FilterToken, time: FilterToken): boolean =>
  time.kind === 'word' && time.at === day.at + day.length + 1 && isTime.test(time.text);
