import { organizationRoles, weakerRole, type Login, type Principal } from '../../contract/roles.js';
import type { ApiKey } from '../facts/api-keys.js';
import type { User } from '../facts/users.js';
import type { StreamName } from '../../kernel/ports.js';

/**
 * Who calls with a key: its creator, as they are now, within the key's bounds (contract 2.4, rule
 * 4). Pure.
 */
export const principalOfKey = (user: User, key: ApiKey): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole:
    key.projectId === null && key.projectRole === null
      ? user.role
      : weakerRole(organizationRoles, user.role, 'user'),
  key: {
    id: key.id,
    projectId: key.projectId,
    projectRole: key.projectRole,
    expiresAt: key.expiresAt,
    lineage: [key.id, ...key.ancestors],
  },
});

/** Who calls with a login or a password: the user as they are now. Pure. */
export const principalOfPerson = (user: User, login: Login): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole: user.role,
  key: null,
  login,
});

/** Whether events of this stream change what somebody may do whom the authorizer remembers. */
export const affectsRights = (name: StreamName): boolean =>
  rightsStreamPrefixes.some((category) => name.startsWith(category));
const rightsStreamPrefixes = ['user-', 'api-key-', 'group-', 'refresh-family-'];
