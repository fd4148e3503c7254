import type { Criterion } from '../../contract/experiment-ranking.js';

export type Candidate = {
  readonly id: string;
  readonly scope: string;
  /** Values of each metric on the experiment's traces; truth values as 1 and 0. */
  readonly values: Readonly<Record<string, readonly number[]>>;
};
type ReferenceStanding = {
  readonly ranking_score: number | null;
  readonly rank: number | null;
  readonly winner: boolean | null;
};

/** Contract 4.6, ranking, rule by rule over plain lists. `chosen` by scope. */
export const referenceRanking = (
  candidates: readonly Candidate[],
  criteria: readonly Criterion[],
  chosen: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, ReferenceStanding> => {
  const standings = new Map<string, ReferenceStanding>();
  for (const scope of new Set(candidates.map((one) => one.scope))) {
    const inScope = candidates.filter((one) => one.scope === scope);
    const scores = new Map<string, number | null>();
    for (const one of inScope) scores.set(one.id, scoreOf(one, inScope, criteria));
    const winner = chosen.get(scope);
    const isHere = winner !== undefined && inScope.some(({ id }) => id === winner);
    const rankOf = (score: number): number =>
      1 + [...scores.values()].filter((other) => other !== null && other > score).length;
    const ranks = [...scores.values()].map((score) => (score === null ? null : rankOf(score)));
    for (const [id, score] of scores) {
      const rank = score === null ? null : rankOf(score);
      const isBest = rank === 1 && ranks.filter((other) => other === 1).length === 1;
      standings.set(id, {
        ranking_score: score,
        rank,
        winner: isHere && winner === id ? true : rank === null ? null : !isHere && isBest,
      });
    }
  }
  return standings;
};

const averageOf = (values: readonly number[] | undefined): number | null =>
  values === undefined || values.length === 0
    ? null
    : values.reduce((sum, value) => sum + value, 0) / values.length;

const scoreOf = (
  one: Candidate,
  inScope: readonly Candidate[],
  criteria: readonly Criterion[],
): number | null => {
  let sum = 0;
  let hasValue = false;
  for (const { metric, weight, direction } of criteria) {
    const own = averageOf(one.values[metric]);
    if (own === null) continue;
    hasValue = true;
    const all = inScope
      .map(({ values }) => averageOf(values[metric]))
      .filter((value) => value !== null);
    const [min, max] = [Math.min(...all), Math.max(...all)];
    const share = max === min ? 1 : (own - min) / (max - min);
    sum += weight * (max === min || direction === 'higher' ? share : 1 - share);
  }
  const total = criteria.reduce((all, { weight }) => all + weight, 0);
  return hasValue ? Number((sum / total).toFixed(12)) : null;
};
