import {
  atLeast,
  organizationRoles,
  projectRoles,
  weaker,
  type KeyRights,
  type OrganizationRole,
  type Principal,
  type ProjectRole,
} from '../../contract/roles.js';
import type { ProjectId, UserId } from '../../kernel/shapes.js';
import type { ApiKey, Project, User } from './folds.js';

/** Who calls with a key: its creator, as they are now, within the key's bounds (contract 2.4, rule 4). Pure. */
export const principalOfKey = (user: User, key: ApiKey): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole:
    key.projectId === null && key.projectRole === null
      ? user.role
      : weaker(organizationRoles, user.role, 'user'),
  key: {
    id: key.id,
    projectId: key.projectId,
    projectRole: key.projectRole,
    expiresAt: key.expiresAt,
    lineage: [key.id, ...key.ancestors],
  },
});

/**
 * The creator's own role in the project: `owner` for an admin and for who created it, `viewer` for an auditor, capped
 * at `viewer` for read_only (contract 2.6, rule 1). Null: none. Collaborators and groups add to it here.
 */
export const creatorsRole = (
  role: OrganizationRole,
  userId: UserId,
  project: Project,
): ProjectRole | null => {
  const own: ProjectRole | null = project.createdBy === userId ? 'owner' : null;
  if (role === 'admin') return 'owner';
  if (role === 'auditor') return own ?? 'viewer';
  return role === 'read_only' && own !== null ? 'viewer' : own;
};

/** What a caller may do in a project; null = the project is out of sight and answers 404. */
export const effectiveRole = (
  role: OrganizationRole,
  principal: Principal,
  project: Project,
): ProjectRole | null => {
  if (!project.live || project.organizationId !== principal.organizationId) return null;
  const own = creatorsRole(role, principal.userId, project);
  if (own === null || !inBounds(principal.key, project.id)) return null;
  const cap = principal.key?.projectRole ?? null;
  return cap === null ? own : weaker(projectRoles, own, cap);
};

const inBounds = (key: KeyRights | null, project: ProjectId): boolean =>
  key === null || key.projectId === null || key.projectId === project;

export const isAtLeast = (role: ProjectRole, needed: ProjectRole): boolean =>
  atLeast(projectRoles, role, needed);
