import {
  mayWriteDataset,
  seesAllDatasets,
  seesOwnDatasets,
} from '../../contract/dataset-rights.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { isRoleAtLeast, projectRoles, type Principal } from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { ProjectId, UserId } from '../../kernel/schema-types.js';

export type VisibleProjects = { readonly visibleProject: RequestAuthorizer['visibleProject'] };

/**
 * The caller's write right to a resource of the organisation with a home project, which `linked`
 * further projects may read (contract 2.6, rule 4); null when it is not visible to them.
 */
export const rightsAtHome = async (
  { visibleProject }: VisibleProjects,
  principal: Principal,
  owned: { readonly createdBy: UserId; readonly home: ProjectId | null },
  linked: readonly ProjectId[] = [],
): Promise<{ readonly write: boolean } | null> => {
  const home = owned.home === null ? null : await visibleProject(principal, owned.home);
  const write = mayWriteDataset(principal, owned, home?.role ?? null);
  const isOwn = owned.createdBy === principal.userId && seesOwnDatasets(principal);
  if (write || home !== null || isOwn || seesAllDatasets(principal)) return { write };
  for (const project of linked) {
    if ((await visibleProject(principal, project)) !== null) return { write };
  }
  return null;
};

/**
 * Home project of what the caller makes: the named one, which requires its editor role, else the
 * project of a bound key; null: none. Throws Fault `not-found` or `forbidden`.
 */
export const homeProjectOf = async (
  { visibleProject }: VisibleProjects,
  principal: Principal,
  given: ProjectId | null,
): Promise<ProjectId | null> => {
  const home = given ?? principal.key?.projectId ?? null;
  if (home === null) return null;
  const project = await visibleProject(principal, home);
  if (project === null) throw new Fault('not-found', 'Project not found');
  if (!isRoleAtLeast(projectRoles, project.role, 'editor')) {
    throw new Fault('forbidden', 'The project is changed by its editors');
  }
  return home;
};
