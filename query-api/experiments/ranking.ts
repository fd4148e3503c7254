import type { Criterion } from '../../contract/experiment-ranking.js';

export type Ranked = { readonly score: number; readonly rank: number };
/** Averages of an experiment in the order of the criteria; null = no value. */
export type Averages = readonly (number | null)[];

/**
 * Scores and ranks within one scope (contract 4.6, rules 2 to 4), of the experiments that have a
 * value for some criterion. Takes some milliseconds for 50,000.
 */
export const ranked = (
  averages: Iterable<readonly [run: string, averages: Averages]>,
  criteria: readonly Criterion[],
): ReadonlyMap<string, Ranked> => {
  const compared = [...averages].filter(([, values]) => values.some((value) => value !== null));
  const bounds = criteria.map((_, at) =>
    boundsOf(compared.map(([, values]) => values[at] ?? null)),
  );
  const total = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const scores = compared.map(([, values]) => {
    let score = 0;
    for (const [at, { weight, direction }] of criteria.entries()) {
      const value = values[at] ?? null;
      if (value !== null) score += weight * normalised(value, bounds[at], direction);
    }
    return rounded(score / total);
  });
  const ascending = Float64Array.from(scores).sort();
  return new Map(
    compared.map(([run], at) => {
      const score = scores[at] ?? 0;
      return [run, { score, rank: 1 + ascending.length - above(ascending, score) }];
    }),
  );
};

type Bounds = { readonly min: number; readonly max: number } | null;

const boundsOf = (values: readonly (number | null)[]): Bounds => {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (value === null) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return null;
  // Averages of the same values may differ in their last bits, by the order in which they were
  // added: that is no difference to rank by.
  const isOne = max - min <= 1e-12 * Math.max(Math.abs(min), Math.abs(max));
  return isOne ? { min, max: min } : { min, max };
};

const normalised = (
  value: number,
  bounds: Bounds | undefined,
  direction: Criterion['direction'],
): number => {
  if (bounds == null || bounds.min === bounds.max) return 1;
  const { min, max } = bounds;
  // Halves where the distance of two doubles is none.
  const share = Number.isFinite(max - min)
    ? (value - min) / (max - min)
    : (value / 2 - min / 2) / (max / 2 - min / 2);
  return direction === 'higher' ? share : 1 - share;
};

/** To 12 decimals, half to even. */
export const rounded = (score: number): number => {
  const scaled = score * 1e12;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return (floor + Number(isUp)) / 1e12;
};

/** How many of the ascending values are not greater than this one. */
const above = (ascending: Float64Array, value: number): number => {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Whether an experiment is the winner of its scope (contract 4.6, rule 5); `chosen` is one of the
 * scope. Null without a score.
 */
export const isWinner = (
  run: string,
  scope: ReadonlyMap<string, Ranked>,
  chosen: string | null,
  best: number,
): boolean | null => {
  if (chosen === run) return true;
  const own = scope.get(run);
  if (own === undefined) return null;
  return chosen === null && own.rank === 1 && best === 1;
};
