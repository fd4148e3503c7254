import type { Direction, RowChoice } from '../../contract/experiment-comparison.js';
import { differenceOf, type RowCells } from './comparison-table.js';

/** Rows of a comparison by one metric (contract 5.5, rule 7). */
export type RowOrder = {
  readonly show: NonNullable<RowChoice['show']>;
  readonly order: NonNullable<RowChoice['order']>;
  /** Index of the metric in the plan; null: it has no value in the project. */
  readonly metric: number | null;
  readonly direction: Direction;
};

/** Difference of each experiment but the baseline, above 0 for a win; null without one. */
type Gains = readonly (number | null)[];

/** Rows to show, in their order; without a choice all of them, as they are. */
export const chooseRows = (
  rows: readonly RowCells[],
  choice: RowOrder | null,
): readonly RowCells[] => {
  if (choice === null) return rows;
  const chosen = rows
    .map((cells) => ({ cells, gains: gainsOf(cells, choice) }))
    .filter(({ gains }) => isShown(gains, choice.show));
  if (choice.order === 'created_at') return chosen.map(({ cells }) => cells);
  return chosen
    .map(({ cells, gains }) => ({ cells, rank: rankOf(gains, choice.show) }))
    .sort((one, other) => (one.rank === other.rank ? 0 : one.rank < other.rank ? -1 : 1))
    .map(({ cells }) => cells);
};

const gainsOf = ([baseline, ...others]: RowCells, { metric, direction }: RowOrder): Gains => {
  const own = valueOf(baseline, metric);
  return others.map((cell) => {
    const value = valueOf(cell, metric);
    if (own === null || value === null) return null;
    const difference = differenceOf(value, own);
    return direction === 'higher' ? difference : -difference;
  });
};

const valueOf = (cell: RowCells[number] | undefined, metric: number | null): number | null =>
  metric === null ? null : (cell?.means[metric] ?? null);

const isShown = (gains: Gains, show: RowOrder['show']): boolean => {
  switch (show) {
    case 'losses':
      return gains.some((gain) => gain !== null && gain < 0);
    case 'wins':
      return gains.some((gain) => gain !== null && gain > 0);
    case 'ties':
      return gains.some((gain) => gain === 0);
    case 'missing':
      return gains.includes(null);
    case 'all':
      return true;
  }
};

/** Lowest first: the largest loss, of wins the largest win; rows without a difference last. */
const rankOf = (gains: Gains, show: RowOrder['show']): number => {
  const known = gains.filter((gain) => gain !== null);
  if (known.length === 0) return Infinity;
  return show === 'wins' ? -Math.max(...known) : Math.min(...known);
};
