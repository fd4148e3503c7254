import type { Criterion } from '../../contract/experiment-ranking.js';

type ScoreAndRank = { readonly score: number; readonly rank: number };
/** Averages of an experiment in the order of the criteria; null = no value. */
export type Averages = readonly (number | null)[];

/** Ranking of the experiments in one scope (contract 4.6, rules 2 to 4). */
export type RankedScope = {
  /**
   * Rank for the averages of an experiment in the scope; null without a value for any criterion.
   */
  rankOf(averages: Averages | undefined): ScoreAndRank | null;
  /** Number of experiments that share rank 1. */
  readonly best: number;
};

/**
 * Ranks a scope by the averages of its experiments, and stores only their scores: a few
 * milliseconds for 50,000.
 */
export const rankScope = (
  averages: readonly Averages[],
  criteria: readonly Criterion[],
): RankedScope => {
  const bounds = criteria.map((_, at) => boundsOf(averages, at));
  const total = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const scoreOf = (values: Averages): number | null => {
    let score = 0;
    let hasValue = false;
    for (let at = 0; at < criteria.length; at += 1) {
      const value = values[at] ?? null;
      const criterion = criteria[at];
      if (value === null || criterion === undefined) continue;
      hasValue = true;
      score += criterion.weight * normalise(value, bounds[at], criterion.direction);
    }
    return hasValue ? roundScore(score / total) : null;
  };
  const scores = new Float64Array(averages.length);
  let count = 0;
  for (const values of averages) {
    const score = scoreOf(values);
    if (score === null) continue;
    scores[count] = score;
    count += 1;
  }
  const ascending = scores.subarray(0, count).sort();
  const rankOf = (score: number): number => 1 + count - countNotAbove(ascending, score);
  const top = ascending[count - 1];
  return {
    rankOf: (values) => {
      const score = values === undefined ? null : scoreOf(values);
      return score === null ? null : { score, rank: rankOf(score) };
    },
    best: top === undefined ? 0 : count - countNotAbove(ascending, justBelow(top)),
  };
};

/** Bound just below a score: scores are rounded to 12 decimals, so none lies in between. */
const justBelow = (score: number): number => score - 0.5e-12;

type Bounds = { readonly min: number; readonly max: number } | null;

const boundsOf = (averages: readonly Averages[], at: number): Bounds => {
  let min = Infinity;
  let max = -Infinity;
  for (const values of averages) {
    const value = values[at] ?? null;
    if (value === null) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return null;
  // Rounding: averages of the same values may differ in their last bits, by the order of addition;
  // such values count as equal.
  const isOne = max - min <= 1e-12 * Math.max(Math.abs(min), Math.abs(max));
  return isOne ? { min, max: min } : { min, max };
};

const normalise = (
  value: number,
  bounds: Bounds | undefined,
  direction: Criterion['direction'],
): number => {
  if (bounds == null || bounds.min === bounds.max) return 1;
  const { min, max } = bounds;
  // Halved, where the difference of two doubles overflows.
  const share = Number.isFinite(max - min)
    ? (value - min) / (max - min)
    : (value / 2 - min / 2) / (max / 2 - min / 2);
  return direction === 'higher' ? share : 1 - share;
};

/** Rounds to 12 decimals, half to even. */
export const roundScore = (score: number): number => {
  const scaled = score * 1e12;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return (floor + Number(isUp)) / 1e12;
};

/** Binary search: number of ascending values that are not greater than this one. */
const countNotAbove = (ascending: Float64Array, value: number): number => {
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
 * True if an experiment is the winner of its scope (contract 4.6, rule 5); `chosen` is one of the
 * scope. Null without a score.
 */
export const isWinner = (
  run: string,
  own: ScoreAndRank | null,
  chosen: string | null,
  { best }: Pick<RankedScope, 'best'>,
): boolean | null => {
  if (chosen === run) return true;
  return own === null ? null : chosen === null && own.rank === 1 && best === 1;
};
