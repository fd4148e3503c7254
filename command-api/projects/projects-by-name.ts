import type { RequestAuthorizer } from '../../contract/request-ports.js';
import {
  isRoleAtLeast,
  organizationRoles,
  roleInProject,
  type Principal,
  type VisibleProject,
} from '../../contract/roles.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { Decision } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { projectNames, projects, projectStream, type Project } from '../facts/projects.js';
import { create } from './projects.js';

/**
 * The project of that name in the caller's organisation, created when the name is free and the
 * caller may create projects. Concurrent calls get the same one (contract 5.12, rule 1). Throws
 * Fault `not-found` for an invisible one.
 */
type ProjectByName = (
  name: string,
  caller: { readonly principal: Principal; readonly cause: Authorship },
) => Promise<VisibleProject>;

type Needs = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly visibleProject: RequestAuthorizer['visibleProject'];
};

export const openProjectsByName =
  ({ log, ids, visibleProject }: Needs): ProjectByName =>
  async (name, { principal, cause }) => {
    const names = { scope: principal.organizationId as string, name };
    const known = await projectNames.find({ log, ids }, names);
    if (known !== null) return requireVisibleProject(await visibleProject(principal, known.id));
    if (!mayCreateProject(principal)) throw projectNotFound();
    const idAfter = (revision: string): string =>
      ids.derive('ProjectId', principal.organizationId, name, revision);
    const { holder } = await projectNames.settle({ log, ids }, names, idAfter, cause);
    const id = holder as ProjectId;
    const there = (await loadStreamState(log, projectStream(id), projects)).state;
    if (there === null) {
      const creation = create({
        project_id: id,
        organization_id: principal.organizationId,
        name,
        type: 'gen_ai',
        created_by: principal.userId,
        created_at: cause.at,
      });
      const decide = (project: Project | null): Decision<ProjectEvent> => creation(project);
      await transact(log, projectStream(id), projects, decide, cause);
      // Its creator is the owner, within the bounds of their key.
      const role = roleInProject(principal.organizationRole, principal.key, id, 'owner');
      return requireVisibleProject(role === null ? null : { id, name, role });
    }
    return requireVisibleProject(await visibleProject(principal, id));
  };

/** True if the caller has the organisation role `user` (contract 2.6). */
const mayCreateProject = ({ key, organizationRole }: Principal): boolean =>
  (key === null || key.projectId === null) &&
  isRoleAtLeast(organizationRoles, organizationRole, 'user');

const projectNotFound = (): Fault => new Fault('not-found', 'Project not found');
const requireVisibleProject = (project: VisibleProject | null): VisibleProject => {
  if (project === null) throw projectNotFound();
  return project;
};
