import type { Criterion, RankingCriteria } from '../../contract/experiment-ranking.js';
import { metricRegistry } from '../../kernel/columns.js';
import type { Documents } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { rankingCriteria } from '../../projections/ranking-criteria.js';
import { recordsCollection } from '../../projections/records/collection.js';

/** What the criteria of a project are answered from. */
export const criteriaReadsFrom = [rankingCriteria.collection, recordsCollection];

/**
 * Every metric with a threshold, lower being better where the threshold is inverted (contract 4.6);
 * they apply where the project has a value.
 */
const usualCriteria: readonly Criterion[] = metricRegistry.flatMap(({ name, threshold }) =>
  threshold === null
    ? []
    : [{ metric: name, weight: 1, direction: threshold.inverted ? 'lower' : 'higher' }],
);

/** What somebody chose for the project; null when nobody did. */
export const chosenCriteria = async (
  documents: Documents,
  project: ProjectId,
): Promise<readonly Criterion[] | null> => {
  const found = await documents.get<{ readonly criteria: readonly Criterion[] }>(
    rankingCriteria.collection,
    project,
  );
  return found?.body.criteria ?? null;
};

type Needs = { readonly documents: Documents; readonly records: Pick<Records, 'aggregate'> };

/** The criteria that apply to the project's experiments (contract 5.5). */
export const shownCriteria = async (
  { documents, records }: Needs,
  project: ProjectId,
): Promise<RankingCriteria> => {
  const chosen = await chosenCriteria(documents, project);
  if (chosen !== null) return { criteria: [...chosen], default: false };
  return { criteria: await usualIn(records, project), default: true };
};

const usualIn = async (records: Needs['records'], project: ProjectId): Promise<Criterion[]> => {
  const counted = await records.aggregate({
    project,
    run: null,
    from: null,
    to: null,
    filter: null,
    population: 'trace',
    kinds: null,
    templates: [],
    widgets: usualCriteria.map(({ metric }) => ({
      id: metric,
      metric,
      aggregation: 'Count',
      type: 'floating_point',
    })),
    intervalMinutes: 525_600,
    groupBy: null,
  });
  if ('refused' in counted) return [];
  return usualCriteria.filter(({ metric }) => Number(counted.total.widgets[metric]) > 0);
};

/**
 * What to rank by. With one usual criterion it makes no difference whether the project has a value:
 * experiments without one are not ranked.
 */
export const rankedBy = async (needs: Needs, project: ProjectId): Promise<readonly Criterion[]> => {
  const chosen = await chosenCriteria(needs.documents, project);
  if (chosen !== null) return chosen;
  return usualCriteria.length === 1 ? usualCriteria : usualIn(needs.records, project);
};
