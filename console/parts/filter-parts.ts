import { columnsOf, lookUpColumn, type FilterContext } from '../language/catalogue.js';
import {
  levelMembers,
  levelOf,
  type FilterTree,
  type LevelMember,
} from '../language/filter-tree.js';
import { operatorsOf } from '../language/leaf-of-condition.js';
import { parseFilter } from '../language/parse-filter.js';
import { printColumn, printFilter, printText } from '../language/print-filter.js';
import type { FilterKind, Population } from '../../kernel/records/record.js';

/** A filter as the builder edits it: texts that the language puts together again. */
export type FilterPart =
  | {
      readonly is: 'condition';
      readonly column: string;
      readonly operator: string;
      readonly value: string;
    }
  /** A part that the builder shows as it is. */
  | { readonly is: 'text'; readonly text: string }
  | FilterGroup;

export type FilterGroup = {
  readonly is: 'group';
  readonly join: 'and' | 'or';
  readonly isNegated: boolean;
  /** Null: about the records themselves. */
  readonly level: LevelMember | null;
  readonly parts: readonly FilterPart[];
};

export const emptyGroup: FilterGroup = {
  is: 'group',
  join: 'and',
  isNegated: false,
  level: null,
  parts: [],
};

/** The parts of a filter, below one group. */
export const partsOfTree = (tree: FilterTree | null, me: string | null): FilterGroup => {
  if (tree === null) return emptyGroup;
  const part = partOf(tree, me);
  return part.is === 'group' && part.level === null && !part.isNegated
    ? part
    : { ...emptyGroup, parts: [part] };
};

const partOf = (tree: FilterTree, me: string | null): FilterPart => {
  if ('filter' in tree) return conditionOf(tree, me);
  if ('or' in tree) {
    const text = printFilter(tree, me);
    // A bare word stands for three conditions.
    if (!text.includes(' or ')) return { is: 'text', text };
    return { ...emptyGroup, join: 'or', parts: tree.or.map((node) => partOf(node, me)) };
  }
  if ('and_' in tree) {
    return { ...emptyGroup, parts: tree['and_'].map((node) => partOf(node, me)) };
  }
  if ('not' in tree) {
    const inner = partsOfTree(tree.not, me);
    return { ...inner, isNegated: true };
  }
  const [level, node] = levelOf(tree) ?? ['any_span', tree];
  return { ...partsOfTree(node, me), level };
};

const allOperators = [...new Set(Object.values(operatorsOf).flat())].sort(
  (one, other) => other.length - one.length,
);

const conditionOf = (tree: FilterTree, me: string | null): FilterPart => {
  const text = printFilter(tree, me);
  const name = 'filter' in tree && 'name' in tree.filter ? printColumn(tree.filter.name) : null;
  if (name === null || !text.startsWith(`${name} `)) return { is: 'text', text };
  const rest = text.slice(name.length + 1);
  const operator = allOperators.find((one) => rest === one || rest.startsWith(`${one} `));
  if (operator === undefined) return { is: 'text', text };
  const column = 'filter' in tree && 'name' in tree.filter ? tree.filter.name : '';
  return { is: 'condition', column, operator, value: rest.slice(operator.length + 1) };
};

/** The text of the filter that the parts make. */
export const textOfParts = (
  part: FilterPart,
  context: FilterContext,
  population: Population,
): string => {
  if (part.is === 'text') return part.text;
  if (part.is === 'condition') return conditionText(part, context, population);
  const below = part.level === null ? population : populationBelow(part.level);
  const texts = part.parts
    .map((one) => ({ one, text: textOfParts(one, context, below) }))
    .filter(({ text }) => text !== '')
    .map(({ one, text }) =>
      one.is === 'group' && one.level === null && !one.isNegated ? `(${text})` : text,
    );
  if (texts.length === 0) return '';
  const inner = texts.join(` ${part.join} `);
  const level = part.level === null ? inner : `${levelMembers[part.level].join(' ')} (${inner})`;
  if (!part.isNegated) return level;
  return part.level === null ? `not (${level})` : `not ${level}`;
};

export const populationBelow = (level: LevelMember): Population => levelMembers[level][1];

const conditionText = (
  { column, operator, value }: Extract<FilterPart, { readonly is: 'condition' }>,
  context: FilterContext,
  population: Population,
): string => {
  if (column === '') return '';
  const start = `${printColumn(column)} ${operator}`;
  if (operator.endsWith('empty')) return start;
  // A value that is more than one, such as several words, is meant as a text.
  const written = parseFilter(`${start} ${value}`, { ...context, population }).tree;
  const isMarked = /^["({]/.test(value);
  const isOne = value === '' || isMarked || (written !== null && 'filter' in written);
  return `${start} ${isOne ? value : printText(value)}`.trimEnd();
};

const typesOfColumn = (
  column: string,
  context: FilterContext,
  population: Population,
): readonly FilterKind[] => {
  const meaning = lookUpColumn(column, population, context);
  return 'types' in meaning ? meaning.types : [];
};

/** Operators that the column takes, in the order in which they are offered. */
export const operatorsOfColumn = (
  column: string,
  context: FilterContext,
  population: Population,
): readonly string[] => [
  ...new Set(typesOfColumn(column, context, population).flatMap((type) => operatorsOf[type])),
];

/** Columns to choose from, those without values last. */
export const columnChoices = (context: FilterContext, population: Population) =>
  columnsOf(population, context).map(({ id, label, is_empty: isEmpty }) => ({
    value: id,
    text: isEmpty ? `${label} (no values)` : label,
  }));
