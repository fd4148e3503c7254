import { useQuery, type Query } from '../client/queries.js';
import type { RatingTemplate } from './model.js';

/** Templates of a project by their position. */
export const useTemplates = (projectId: string): Query<readonly RatingTemplate[]> =>
  useQuery({
    key: ['templates', projectId],
    ask: (operations, signal) =>
      operations.annotations.listTemplates({ project_id: projectId }, { signal }),
    freshMs: 60_000,
  });
