import type { Filter } from '../../kernel/filter.js';
import type { Population } from '../../kernel/records/record.js';

/** Filter member that quantifies over the records a level below (contract 3.7). */
export type Level = {
  /** Population whose records have such records below them. */
  readonly of: 'trace' | 'session';
  readonly below: 'span' | 'trace';
  readonly quantifier: 'any' | 'all' | 'none';
};

export const levels: ReadonlyMap<string, Level> = new Map([
  ['any_span', { of: 'trace', below: 'span', quantifier: 'any' }],
  ['all_spans', { of: 'trace', below: 'span', quantifier: 'all' }],
  ['no_span', { of: 'trace', below: 'span', quantifier: 'none' }],
  ['any_trace', { of: 'session', below: 'trace', quantifier: 'any' }],
  ['all_traces', { of: 'session', below: 'trace', quantifier: 'all' }],
  ['no_trace', { of: 'session', below: 'trace', quantifier: 'none' }],
]);

/** Filter for a level. Vacuous truth: a record without any below matches `all` and `none`. */
export const levelFilter = ({ below, quantifier }: Level, where: Filter): Filter => {
  if (quantifier === 'any') return { some: below, where };
  return { not: { some: below, where: quantifier === 'all' ? { not: where } : where } };
};

/** Level members that a filter of this population may have. */
export const levelsOf = (population: Population): readonly string[] =>
  [...levels].flatMap(([member, { of }]) => (of === population ? [member] : []));

/** Complaint text: the level member does not apply to this population. */
export const misplacedMessage = (member: string, { of }: Level, population: Population): string => {
  const taken = levelsOf(population);
  const instead = taken.length === 0 ? 'has no level below it' : `takes ${joinNames(taken)}`;
  return `${member} filters ${of}s; a filter of ${population}s ${instead}`;
};

export const joinNames = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
