import { levelOf, type FilterTree } from '../language/filter-tree.js';
import type { Population } from '../../kernel/records/record.js';

/** Conditions that all have to hold. */
export const termsOf = (tree: FilterTree | null): readonly FilterTree[] =>
  tree === null ? [] : 'and_' in tree ? tree['and_'] : [tree];

/** The filter of conditions that all have to hold; null without any. */
export const allOf = (terms: readonly FilterTree[]): FilterTree | null => {
  const [first = null] = terms;
  return terms.length > 1 ? { and_: terms } : first;
};

/** Columns that mean the same of traces and of their spans. */
const inheritedColumns = ['session_id', 'run_id', 'project_id'];
const order: readonly Population[] = ['session', 'trace', 'span'];
const anyMember = { session: 'any_trace', trace: 'any_span', span: null } as const;

type MovedFilter = {
  readonly tree: FilterTree | null;
  /** Conditions that say nothing about the other kind. */
  readonly lost: FilterTree | null;
};

/**
 * A filter of one kind of records as one of another: upwards, `any span (…)` about all conditions;
 * downwards, the conditions about the level below, and what is inherited.
 */
export const moveFilter = (
  tree: FilterTree | null,
  from: Population,
  to: Population,
): MovedFilter => {
  const step = Math.sign(order.indexOf(to) - order.indexOf(from));
  if (step === 0 || tree === null) return { tree, lost: null };
  const next = order[order.indexOf(from) + step] ?? to;
  if (step < 0) {
    const member = anyMember[next];
    const above = member === null ? tree : ({ [member]: tree } as FilterTree);
    return moveFilter(above, next, to);
  }
  const terms = termsOf(tree);
  const moved = terms.map((term) => termBelow(term, from));
  const lost = terms.filter((_term, index) => moved[index] === null);
  const below = moveFilter(allOf(moved.filter((term) => term !== null)), next, to);
  return { tree: below.tree, lost: allOf([...lost, ...termsOf(below.lost)]) };
};

const termBelow = (term: FilterTree, from: Population): FilterTree | null => {
  const [member, node] = levelOf(term) ?? [null, null];
  if (node !== null && member === anyMember[from]) return node;
  const isInherited =
    from === 'trace' &&
    'filter' in term &&
    'name' in term.filter &&
    inheritedColumns.includes(term.filter.name);
  return isInherited ? term : null;
};
