import type { Population } from '../../kernel/records/record.js';
import {
  parseAnnotated,
  parseBareOrCondition,
  parseError,
  takeErrorOf,
  type Condition,
} from './conditions.js';
import {
  expectations,
  openCursor,
  peekToken,
  recordExpectation,
  takeSign,
  takeWord,
  type Cursor,
  type Expectation,
} from './cursor.js';
import type { FilterProblem } from './filter-problem.js';
import { syntaxProblem } from './expected-words.js';
import { filterTokens, type FilterToken } from './tokens.js';

/** A filter as its text is built, before columns are looked up. */
export type FilterSyntax =
  | { readonly is: 'all' | 'any'; readonly nodes: readonly FilterSyntax[] }
  | { readonly is: 'not'; readonly node: FilterSyntax }
  | {
      readonly is: 'level';
      readonly quantifier: Quantifier;
      readonly below: 'span' | 'trace';
      readonly node: FilterSyntax;
      /** The two words. */
      readonly at: number;
      readonly length: number;
    }
  | Condition;

type Quantifier = 'any' | 'every' | 'no';

type ParsedSyntax = {
  /** Null of a blank text, and after a problem. */
  readonly syntax: FilterSyntax | null;
  readonly problem: FilterProblem | null;
  /** The expectations at the end of the text; empty when the parser did not get there. */
  readonly atEnd: readonly Expectation[];
};

/** Parses the grammar of the filter language. Takes any text and never throws. */
export const parseSyntax = (text: string, population: Population): ParsedSyntax => {
  const tokens = filterTokens(text);
  const cursor = openCursor(tokens, population);
  const syntax = parseWhole(cursor);
  const { token, expected } = expectations(cursor);
  const atEnd = token.kind === 'end' ? expected : [];
  const isBlank = tokens.length === 1;
  const failed = syntax === null && !isBlank;
  return {
    syntax,
    problem: failed ? (cursor.problem ?? syntaxProblem(token, expected)) : null,
    atEnd,
  };
};

const parseWhole = (cursor: Cursor): FilterSyntax | null => {
  const syntax = parseTree(cursor);
  if (syntax === null) return null;
  recordExpectation(cursor, { is: 'end' });
  return peekToken(cursor).kind === 'end' ? syntax : null;
};

/** tree = all {"or" all} */
const parseTree = (cursor: Cursor): FilterSyntax | null => {
  const nodes: FilterSyntax[] = [];
  do {
    const node = parseAll(cursor);
    if (node === null) return null;
    nodes.push(node);
  } while (takeWord(cursor, 'or'));
  return joined('any', nodes);
};

/** all = term {["and"] term} */
const parseAll = (cursor: Cursor): FilterSyntax | null => {
  const nodes: FilterSyntax[] = [];
  do {
    const node = parseTerm(cursor);
    if (node === null) return null;
    nodes.push(node);
  } while (takeWord(cursor, 'and') || beginsTerm(peekToken(cursor)));
  return joined('all', nodes);
};

const joined = (is: 'all' | 'any', nodes: readonly FilterSyntax[]): FilterSyntax => {
  const [first = { is, nodes }, ...others] = nodes;
  return others.length > 0 ? { is, nodes } : first;
};

const beginsTerm = ({ kind, text }: FilterToken): boolean =>
  kind === 'sign' ? text === '(' : kind === 'name' || (kind === 'word' && !/^or$/i.test(text));

/** term = ["not"] ("(" tree ")" | below "(" tree ")" | leaf) */
const parseTerm = (cursor: Cursor): FilterSyntax | null => {
  const isNegated = takeWord(cursor, 'not');
  const node = parseOperand(cursor);
  return node !== null && isNegated ? { is: 'not', node } : node;
};

const parseOperand = (cursor: Cursor): FilterSyntax | null => {
  if (takeSign(cursor, '(')) return parseGroup(cursor);
  for (const quantifier of ['any', 'every', 'no'] as const) {
    const { at } = peekToken(cursor);
    if (takeWord(cursor, quantifier)) return parseLevel(cursor, quantifier, at);
  }
  if (takeWord(cursor, 'annotated')) return parseAnnotated(cursor);
  return takeErrorOf(cursor) ? parseError(cursor) : parseBareOrCondition(cursor);
};

/** The rest of a group behind its parenthesis. */
const parseGroup = (cursor: Cursor): FilterSyntax | null => {
  if (cursor.depth === groupsMax) {
    const { at, length } = peekToken(cursor);
    cursor.problem = { at, length, message: tooManyGroups, expected: [] };
    return null;
  }
  cursor.depth += 1;
  const tree = parseTree(cursor);
  cursor.depth -= 1;
  return tree !== null && takeSign(cursor, ')') ? tree : null;
};

/** Nesting of parentheses: far beyond the 8 levels of a tree, and far from the call stack's end. */
const groupsMax = 64;
const tooManyGroups = `At most ${groupsMax} parentheses stand inside each other.`;

const parseLevel = (cursor: Cursor, quantifier: Quantifier, at: number): FilterSyntax | null => {
  const outer = cursor.population;
  for (const below of outer === 'session' ? levelsBySession : levelsByTrace) {
    const word = peekToken(cursor);
    if (!takeWord(cursor, below)) continue;
    cursor.population = below;
    const node = takeSign(cursor, '(') ? parseGroup(cursor) : null;
    cursor.population = outer;
    const length = word.at + word.length - at;
    return node && { is: 'level', quantifier, below, node, at, length };
  }
  return null;
};
const levelsBySession = ['trace', 'span'] as const;
const levelsByTrace = ['span', 'trace'] as const;
