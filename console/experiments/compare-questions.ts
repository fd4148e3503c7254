import type { ComparedRow } from '../../clients/typescript/src/generated/experiments-types.js';
import type {
  Experiment,
  ExperimentComparison,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useQuery, type Query } from '../client/queries.js';
import { comparedIds } from './comparison.js';
import type { ComparisonView } from './state.js';

/** Metrics, intervals and counts of the comparison, by its seed. */
export const useComparison = (
  projectId: string,
  view: ComparisonView,
): Query<ExperimentComparison> => {
  const ids = comparedIds(view);
  return useQuery({
    key: ['experiments', projectId, 'comparison', ids, view.seed],
    ask: async (operations, signal) =>
      operations.experiments.compare(
        { project_id: projectId, experiment_ids: ids, seed: view.seed, limit: 1 },
        { signal },
      ),
    isEnabled: ids.length > 1,
    keepsPrevious: true,
  });
};

/** Rows of one page, as many as an answer has (contract 5.5). */
const pageRows = 100;
/** Metrics whose values stand beside the one that judges. */
const besides = ['cost', 'duration_ns'];

type ComparedRows = { readonly rows: readonly ComparedRow[]; readonly shown: number };

/** The first pages of the rows that the view shows, the largest loss or win first. */
export const useComparedRows = (
  projectId: string,
  view: ComparisonView,
  metric: string | null,
  pages: number,
): Query<ComparedRows> => {
  const ids = comparedIds(view);
  return useQuery({
    key: ['experiments', projectId, 'compared-rows', ids, metric, view.rows, pages],
    ask: async (operations, signal) => {
      const rows: ComparedRow[] = [];
      let shown = 0;
      for (let token: number | null = 0; token !== null && rows.length < pages * pageRows;) {
        const answer: ExperimentComparison = await operations.experiments.compare(
          {
            project_id: projectId,
            experiment_ids: ids,
            metrics: [...new Set([metric ?? '', ...besides])],
            intervals: false,
            rows: { metric: metric ?? '', show: view.rows },
            limit: pageRows,
            starting_token: token,
          },
          { signal },
        );
        rows.push(...answer.rows);
        shown = answer.shown_rows;
        token = answer.next_starting_token;
      }
      return { rows, shown };
    },
    isEnabled: ids.length > 1 && metric !== null,
    keepsPrevious: true,
  });
};

/** Experiments of the project by name, for choosing. */
export const useChoices = (projectId: string): readonly Experiment[] => {
  const list = useQuery({
    key: ['experiments', projectId, 'choices'],
    ask: async (operations, signal) =>
      operations.experiments.search(
        { project_id: projectId, limit: 1_000, sort: { name: 'name' } },
        { signal },
      ),
    freshMs: 60_000,
  });
  return list.value?.experiments ?? noExperiments;
};
const noExperiments: readonly Experiment[] = [];
