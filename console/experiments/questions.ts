import type {
  Experiment,
  ExperimentPage,
  RankingCriteria,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useQuery, type Query } from '../client/queries.js';
import { leaderboardQuestion } from './model.js';
import type { LeaderboardView } from './state.js';

/** Milliseconds between two looks at experiments whose traces are still coming. */
export const progressMs = 5_000;

/** Experiments of the view, ranked by the service. */
export const useExperiments = (
  projectId: string,
  view: Pick<LeaderboardView, 'group' | 'find' | 'sort'>,
  how: { readonly everyMs?: number | false; readonly freshMs?: number } = {},
): Query<ExperimentPage> => {
  const question = leaderboardQuestion(view);
  return useQuery({
    key: ['experiments', projectId, 'list', question],
    ask: async (operations, signal) =>
      operations.experiments.search({ project_id: projectId, ...question }, { signal }),
    keepsPrevious: true,
    ...how,
  });
};

/** Ranking criteria of the project. */
export const useCriteria = (projectId: string): Query<RankingCriteria> =>
  useQuery({
    key: ['experiments', projectId, 'criteria'],
    ask: (operations, signal) =>
      operations.experiments.rankingCriteria({ project_id: projectId }, { signal }),
  });

/** Names of the rating templates of the project by their id. */
export const useTemplateNames = (projectId: string): ReadonlyMap<string, string> => {
  const templates = useQuery({
    key: ['annotations', projectId, 'templates'],
    ask: async (operations, signal) =>
      operations.annotations.listTemplates({ project_id: projectId }, { signal }),
    freshMs: 60_000,
  });
  return new Map(templates.value?.map(({ id, name }) => [id, name]));
};

/** The name of an experiment, or the begin of its id. */
export const experimentName = ({ id, name }: Pick<Experiment, 'id' | 'name'>): string =>
  name === '' ? id.slice(0, 8) : name;
