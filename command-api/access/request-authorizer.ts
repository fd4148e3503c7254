import type { RequestAuthorizer, VisibilityRules } from '../../contract/request-ports.js';
import { roleInProject } from '../../contract/roles.js';
import type { GroupId } from '../../kernel/schema-types.js';
import type { Group } from '../facts/groups.js';
import { projectStream } from '../facts/projects.js';
import { liveUser, type User } from '../facts/users.js';
import { openAuthentication, type AuthenticationNeeds } from './authenticate.js';
import { liveGroup } from './group-visibility.js';
import { grantedRole, projectStates } from './project-roles.js';

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
  const groupNow = (id: GroupId): Promise<Group | null> =>
    memberships(id, () => liveGroup(log, id));

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
      const granted = user === null ? null : await grantedRole(project, user.id, groupNow);
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
