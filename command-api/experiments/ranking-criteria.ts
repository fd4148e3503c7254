import type { Criterion } from '../../contract/experiment-ranking.js';
import type { RankingCriteriaEvent } from '../../events/experiments.js';
import type { Decide, Fold } from '../../kernel/decision.js';
import type { ProjectId } from '../../kernel/schema-types.js';

/** Ranking criteria set for the project; empty = the default. */
export const rankingCriteria: Fold<readonly Criterion[], RankingCriteriaEvent> = {
  initial: [],
  evolve: (_before, { data }) => data.criteria,
};

export const changeRankingCriteria =
  (
    project: ProjectId,
    wanted: readonly Criterion[],
  ): Decide<readonly Criterion[], RankingCriteriaEvent> =>
  (known) =>
    isSame(known, wanted)
      ? []
      : [{ type: 'RankingCriteriaSet', data: { project_id: project, criteria: [...wanted] } }];

const isSame = (some: readonly Criterion[], others: readonly Criterion[]): boolean =>
  some.length === others.length &&
  some.every((one, at) => {
    const other = others[at];
    return (
      one.metric === other?.metric &&
      one.weight === other.weight &&
      one.direction === other.direction
    );
  });
