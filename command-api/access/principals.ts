import { organizationRoles, weakerRole, type Login, type Principal } from '../../contract/roles.js';
import type { ApiKey } from '../facts/api-keys.js';
import type { User } from '../facts/users.js';
import type { StreamName } from '../../kernel/ports.js';

/**
 * Principal of a key: its creator with current rights, within the key's bounds (contract 2.4, rule
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

/** Principal of a login or password: the user with current rights. Pure. */
export const principalOfPerson = (user: User, login: Login): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole: user.role,
  key: null,
  login,
});

/** True if events of this stream may change rights that the authorizer caches. */
export const affectsRights = (name: StreamName): boolean =>
  rightsStreamPrefixes.some((category) => name.startsWith(category));
const rightsStreamPrefixes = ['user-', 'api-key-', 'group-', 'refresh-family-'];
