import { unreachable } from '../../kernel/decision.js';
import type { Expectation } from './cursor.js';
import type { FilterProblem } from './filter-problem.js';
import type { FilterToken } from './tokens.js';

/** The problem of a token that nothing expects. */
export const syntaxProblem = (
  { kind, text, at, length, problem }: FilterToken,
  expected: readonly Expectation[],
): FilterProblem => {
  if (problem !== null) return { at, length, message: problem, expected: [] };
  const words = [...new Set(expected.map(wordOf))];
  const wanted = expected.some(({ is }) => is === 'column') ? 'a condition' : joinWords(words);
  const message =
    kind === 'end'
      ? `The filter is not complete: expected ${wanted}.`
      : `Expected ${wanted}, not ${kind === 'quoted' ? 'a text' : `\`${shortened(text)}\``}.`;
  return { at, length, message, expected: words };
};

const wordOf = (expected: Expectation): string => {
  switch (expected.is) {
    case 'word':
      return `\`${expected.word}\``;
    case 'sign':
      return `\`${expected.sign}\``;
    case 'column':
      return 'a column or a word';
    case 'operator':
      return 'an operator';
    case 'value':
      return 'a value';
    case 'metric':
      return 'a metric';
    case 'code':
      return 'a code';
    case 'user':
      return 'a user id or `me`';
    case 'end':
      return 'the end';
    default:
      return unreachable(expected);
  }
};

/** `a, b or c` */
export const joinWords = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join('');

const shownMax = 40;
const shortened = (text: string): string =>
  text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
