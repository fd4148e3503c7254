import type { RequestAuthorizer, VisibilityRules } from '../../contract/request-ports.js';
import { roleInProject, strongestRole, type ProjectRole } from '../../contract/roles.js';
import type { UserId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { openAuthentication, type AuthenticationNeeds } from './authenticate.js';
import { type User, liveUser } from '../facts/users.js';
import { projects, type Project, projectStream } from '../facts/projects.js';
import { stateCacheOf } from '../facts/state-cache.js';
import { groups, isActiveMember, type Group, groupStream } from '../facts/groups.js';

const projectStates = stateCacheOf({
  fold: projects,
  weightOf: (project) =>
    projectWeight +
    (project === null ? 0 : roleWeight * (project.users.size + project.groups.size)),
  weightMax: 8_000_000,
});
const projectWeight = 5_000;
const roleWeight = 200;

type Needs = AuthenticationNeeds & { readonly sights?: VisibilityRules };

/**
 * Authenticates and authorises requests from the log; cached facts are at most half a second old
 * and never older than the last `invalidate` of the rights cache.
 */
export const openRequestAuthorizer = (needs: Needs): RequestAuthorizer => {
  const { log, rightsCache, sights = {} } = needs;
  const people = rightsCache.cachedLoader<User | null>();
  const userNow = (id: string): Promise<User | null> => people(id, async () => liveUser(log, id));
  const memberships = rightsCache.cachedLoader<Group | null>();
  /** The strongest role of the user and of their groups (contract 2.6, rule 1). */
  const grantedIn = async (project: Project, user: UserId): Promise<ProjectRole | null> => {
    const own = project.users.get(user);
    const through = await Promise.all(
      [...project.groups].map(async ([id, { role }]) => {
        const load = async () => (await loadStreamState(log, groupStream(id), groups)).state;
        const group = await memberships(id, load);
        return group?.live === true && isActiveMember(group.members.get(user)?.role) ? [role] : [];
      }),
    );
    return strongestRole([...(own === undefined ? [] : [own.role]), ...through.flat()]);
  };

  return {
    ...openAuthentication(needs),
    visibleProject: async (principal, id) => {
      // Caught up with the log each time: a deleted project answers 404 at once (contract 5.4).
      const { state: project } = await projectStates(log).load(projectStream(id));
      if (project === null || !project.live) return null;
      if (project.organizationId !== principal.organizationId) return null;
      // The user's role, not the principal's: a key caps what its creator may do in the
      // organisation, not where they are an owner.
      const user = await userNow(principal.userId);
      const granted = user === null ? null : await grantedIn(project, user.id);
      const role = user === null ? null : roleInProject(user.role, principal.key, id, granted);
      return role === null ? null : { id, name: project.name, role };
    },
    visibleUser: async (principal, id) => {
      const user = await userNow(id);
      return user === null || user.organizationId !== principal.organizationId
        ? null
        : { id: user.id, role: user.role };
    },
    visibility: async (requirement, principal, object) =>
      (await sights[requirement]?.(principal, object)) ?? 'unseen',
  };
};
