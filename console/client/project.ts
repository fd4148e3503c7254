import { projectPermit, type Permit, type ProjectRole } from '../parts/permits.js';
import { useQuery } from './queries.js';

/** A project, with the caller's role in it; null asks for none. */
export const useProject = (projectId: string | null) =>
  useQuery({
    key: ['projects', projectId],
    ask: (operations, signal) =>
      operations.projects.get({ project_id: projectId ?? '' }, { signal }),
    isEnabled: projectId !== null,
    freshMs: 60_000,
  });

/** Whether the caller has that role in the project, or a greater one. */
export const useProjectPermit = <R extends ProjectRole>(projectId: string, needed: R): Permit<R> =>
  projectPermit(useProject(projectId).value, needed);
