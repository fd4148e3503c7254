import { unreachable } from '../../kernel/decision.js';
import type { Population } from '../../kernel/records/record.js';
import { levelNode } from './canonical-tree.js';
import { levelBelow, lookUpColumn, noMetricMessage, type FilterContext } from './catalogue.js';
import type { ColumnPlace } from './cursor.js';
import type { FilterProblem } from './filter-problem.js';
import {
  levelMembers,
  treeLimitMessage,
  type FilterTree,
  type LevelMember,
} from './filter-tree.js';
import {
  annotatedLeaf,
  comparisonLeaf,
  emptyLeaf,
  errorLeaf,
  type Meaning,
} from './leaf-of-condition.js';
import { parseSyntax, type FilterSyntax } from './syntax.js';

type ParsedFilter = {
  /** Null of a blank text, which filters nothing, and with problems. */
  readonly tree: FilterTree | null;
  /** In the order of the text; of a text that does not fit the grammar the first alone. */
  readonly problems: readonly FilterProblem[];
};

/**
 * The `filter_tree` that a text of the filter language means: total, so any text gives a tree,
 * problems, or neither when it is blank. Names of columns stay as they were written.
 */
export const parseFilter = (text: string, context: FilterContext): ParsedFilter => {
  const { syntax, problem } = parseSyntax(text, context.population);
  if (syntax === null) return { tree: null, problems: problem === null ? [] : [problem] };
  const problems: FilterProblem[] = [];
  const tree = treeOf(syntax, context.population, context, problems);
  if (tree === null || problems.length > 0) return { tree: null, problems };
  const message = treeLimitMessage(tree);
  if (message === null) return { tree, problems: [] };
  return { tree: null, problems: [{ at: 0, length: text.length, message, expected: [] }] };
};

const treeOf = (
  syntax: FilterSyntax,
  population: Population,
  context: FilterContext,
  problems: FilterProblem[],
): FilterTree | null => {
  switch (syntax.is) {
    case 'all':
    case 'any': {
      const trees = syntax.nodes.map((node) => treeOf(node, population, context, problems));
      const nodes = trees.filter((tree) => tree !== null);
      if (nodes.length < trees.length) return null;
      return syntax.is === 'all' ? { and_: nodes } : { or: nodes };
    }
    case 'not': {
      const not = treeOf(syntax.node, population, context, problems);
      return not && { not };
    }
    case 'level':
      return levelTree(syntax, population, context, problems);
    case 'word':
      return wordTree(syntax.text);
    case 'error':
      return errorTree(syntax, context, problems);
    case 'annotated':
      return meaningOf(annotatedLeaf(syntax.users, context.me), problems);
    case 'empty':
    case 'comparison': {
      const types = typesOf(syntax.column, context, problems);
      if (types === null) return null;
      const meaning =
        syntax.is === 'empty' ? emptyLeaf(syntax, types) : comparisonLeaf(syntax, types);
      return meaningOf(meaning, problems);
    }
    default:
      return unreachable(syntax);
  }
};

const errorTree = (
  condition: Extract<FilterSyntax, { readonly is: 'error' }>,
  context: FilterContext,
  problems: FilterProblem[],
): FilterTree | null => {
  const { name, at, length, population } = condition.metric;
  const message = noMetricMessage(name, population, context);
  if (message === null) return meaningOf(errorLeaf(condition), problems);
  problems.push({ at, length, message, expected: [] });
  return null;
};

const meaningOf = (meaning: Meaning, problems: FilterProblem[]): FilterTree | null => {
  if ('tree' in meaning) return meaning.tree;
  problems.push(meaning.problem);
  return null;
};

const typesOf = (
  { name, at, length, population }: ColumnPlace,
  context: FilterContext,
  problems: FilterProblem[],
) => {
  const meaning = lookUpColumn(name, population, context);
  if ('types' in meaning) return meaning.types;
  problems.push({ at, length, message: meaning.message, expected: [] });
  return null;
};

/** The meaning of a bare word: one of three texts contains it, in any case. */
const wordTree = (value: string): FilterTree => ({
  or: wordColumns.map((name) => ({
    filter: { type: 'text', name, operator: 'contains', value, case_sensitive: false },
  })),
});
export const wordColumns = ['input', 'output', 'name'];

const levelTree = (
  { quantifier, below, node, at, length }: Extract<FilterSyntax, { readonly is: 'level' }>,
  population: Population,
  context: FilterContext,
  problems: FilterProblem[],
): FilterTree | null => {
  const expected = levelBelow[population];
  if (expected !== below) {
    const message =
      expected === null
        ? `\`${quantifier} ${below}\` has no place among spans; they have no level below.`
        : `\`${quantifier} ${below}\` has no place among ${population}s; they take ` +
          `\`${quantifier} ${expected} (…)\`.`;
    problems.push({ at, length, message, expected: [] });
    return null;
  }
  const tree = treeOf(node, below, context, problems);
  return tree && levelNode(memberOf(quantifier, below), tree);
};

const memberOf = (quantifier: string, below: string): LevelMember => {
  const members = Object.keys(levelMembers) as LevelMember[];
  const isMeant = (member: LevelMember): boolean =>
    levelMembers[member][0] === quantifier && levelMembers[member][1] === below;
  return members.find(isMeant) ?? 'any_span';
};
