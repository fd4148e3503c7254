import type { Criterion } from '../contract/experiment-ranking.js';
import { rankingCriteriaEvents } from '../events/experiments.js';
import type { Projection } from './projection.js';

/** Ranking criteria chosen for a project's experiments; by project. */
export const rankingCriteria: Projection<
  typeof rankingCriteriaEvents,
  { readonly criteria: readonly Criterion[] }
> = {
  collection: { name: 'ranking_criteria', version: 1, fields: {} },
  deletedWith: { scope: 'project' },
  projectState: { member: 'ranking_criteria', show: (body) => body?.criteria ?? null },
  events: rankingCriteriaEvents,
  keys: ({ data }) => [data.project_id],
  evolve: (_document, { data }, key) =>
    data.criteria.length === 0
      ? null
      : { key, scope: data.project_id, fields: {}, body: { criteria: data.criteria } },
};
