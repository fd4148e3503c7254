import type { Population } from '../../kernel/records/record.js';
import type { FilterProblem } from './filter-problem.js';
import type { FilterToken } from './tokens.js';

/** Something that may stand at a place of a filter text. */
export type Expectation =
  | { readonly is: 'word'; readonly word: string }
  | { readonly is: 'sign'; readonly sign: string }
  | { readonly is: 'column'; readonly population: Population }
  /** `isColumn` false: the name may also be a bare word. */
  | { readonly is: 'operator'; readonly place: ColumnPlace; readonly isColumn: boolean }
  | { readonly is: 'value'; readonly place: ColumnPlace; readonly operator: string }
  | { readonly is: 'user' }
  | { readonly is: 'metric'; readonly population: Population }
  /** Code of an evaluation error. */
  | { readonly is: 'code' }
  | { readonly is: 'end' };

/** Name of a column where it was written, and whose column it is. */
export type ColumnPlace = {
  readonly name: string;
  readonly at: number;
  readonly length: number;
  readonly population: Population;
};

/** Position of a parser in its tokens. It keeps what was expected at the furthest token. */
export type Cursor = {
  readonly tokens: readonly FilterToken[];
  index: number;
  depth: number;
  population: Population;
  problem: FilterProblem | null;
  reach: { readonly index: number; readonly expected: Expectation[] };
};

export const openCursor = (tokens: readonly FilterToken[], population: Population): Cursor => ({
  tokens,
  index: 0,
  depth: 0,
  population,
  problem: null,
  reach: { index: 0, expected: [] },
});

const nothing: FilterToken = {
  kind: 'end',
  text: '',
  at: 0,
  length: 0,
  anyCase: false,
  isClosed: true,
  problem: null,
};

/** The next token, or one behind it; beyond the end the end. */
export const peekToken = ({ tokens, index }: Cursor, ahead = 0): FilterToken =>
  tokens[index + ahead] ?? tokens.at(-1) ?? nothing;

/** Notes what may stand at the next token, or at one behind it. */
export const recordExpectation = (cursor: Cursor, expected: Expectation, ahead = 0): void => {
  const index = cursor.index + ahead;
  if (index > cursor.reach.index) cursor.reach = { index, expected: [] };
  if (index === cursor.reach.index) cursor.reach.expected.push(expected);
};

/** The furthest token that the parser looked at, and what it expected there. */
export const expectations = ({ tokens, reach }: Cursor) => ({
  token: tokens[reach.index] ?? nothing,
  expected: reach.expected,
});

/** True for a token that is this word in any case. */
export const isKeyword = ({ kind, text }: FilterToken, word: string): boolean =>
  kind === 'word' && text.toLowerCase() === word;

/** Takes the word if it comes next. */
export const takeWord = (cursor: Cursor, word: string): boolean => {
  recordExpectation(cursor, { is: 'word', word });
  const isNext = isKeyword(peekToken(cursor), word);
  if (isNext) cursor.index += 1;
  return isNext;
};

/** Takes the sign if it comes next. */
export const takeSign = (cursor: Cursor, sign: string): boolean => {
  recordExpectation(cursor, { is: 'sign', sign });
  const { kind, text } = peekToken(cursor);
  const isNext = kind === 'sign' && text === sign;
  if (isNext) cursor.index += 1;
  return isNext;
};
