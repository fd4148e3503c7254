import { useQuery } from '../client/queries.js';
import { roleOf } from '../projects/model.js';
import { ratingRefusal } from './ratings.js';

/** Sentence why the caller may not rate in the project; null: they may, undefined: not known. */
export const useRatingRefusal = (projectId: string): string | null | undefined => {
  const { value: project } = useQuery({
    key: ['projects', projectId],
    ask: (operations, signal) => operations.projects.get({ project_id: projectId }, { signal }),
    freshMs: 60_000,
  });
  return project === undefined ? undefined : ratingRefusal(project.permissions, roleOf(project));
};
