import { roleInProject, strongestRole, type ProjectRole } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import type { GroupId, ProjectId, UserId } from '../../kernel/schema-types.js';
import { isActiveMember, type Group } from '../facts/groups.js';
import { projects, projectStream, type Project } from '../facts/projects.js';
import { stateCacheOf } from '../facts/state-cache.js';
import { liveUser } from '../facts/users.js';
import { liveGroup } from './group-visibility.js';

/** Projects of a log as it has them now, cached. */
export const projectStates = stateCacheOf({
  fold: projects,
  weightOf: (project) =>
    projectWeight +
    (project === null ? 0 : roleWeight * (project.users.size + project.groups.size)),
  weightMax: 8_000_000,
});
const projectWeight = 5_000;
const roleWeight = 200;

/** The strongest role of the user and of their groups (contract 2.6, rule 1). */
export const grantedRole = async (
  project: Project,
  user: UserId,
  liveGroupOf: (id: GroupId) => Promise<Group | null>,
): Promise<ProjectRole | null> => {
  const own = project.users.get(user);
  const through = await Promise.all(
    [...project.groups].map(async ([id, { role }]) => {
      const group = await liveGroupOf(id);
      return isActiveMember(group?.members.get(user)?.role) ? [role] : [];
    }),
  );
  return strongestRole([...(own === undefined ? [] : [own.role]), ...through.flat()]);
};

/**
 * Role of a user in a project, from the log; null for one without a role, a removed user and a
 * deleted project.
 */
export const projectRoleOf = async (
  log: EventReader,
  userId: UserId,
  projectId: ProjectId,
): Promise<ProjectRole | null> => {
  const [user, { state: project }] = await Promise.all([
    liveUser(log, userId),
    projectStates(log).load(projectStream(projectId)),
  ]);
  if (user === null || project?.live !== true) return null;
  if (project.organizationId !== user.organizationId) return null;
  const granted = await grantedRole(project, userId, (id) => liveGroup(log, id));
  return roleInProject(user.role, null, projectId, granted);
};
