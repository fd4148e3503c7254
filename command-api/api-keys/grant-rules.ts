import {
  isRoleAtLeast,
  projectRoles,
  weakerRole,
  type Principal,
  type VisibleProject,
  type ProjectRole,
} from '../../contract/roles.js';
import { reject, type Rejection } from '../../kernel/decision.js';
import type { ApiKeyId, Instant, ProjectId } from '../../kernel/schema-types.js';

type RequestedKey = {
  readonly projectId: ProjectId | null;
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** True if the caller supplies the key value. */
  readonly pregenerated: boolean;
};
/** Rights of the new key, with defaults filled in. */
type GrantedKey = {
  readonly projectId: ProjectId | null;
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** Ancestor keys, parent first; empty for a key that a person made. */
  readonly ancestors: readonly ApiKeyId[];
};

const forbid = (detail: string): Rejection => reject('forbidden', detail);

/**
 * Checks the bounds of contract 4.4, rules 1 and 2, and 2.4, rule 5. `project` is the project that
 * the new key would be bound to as the caller sees it: the requested one, else the parent's; null
 * for an unbound key. Pure.
 */
export const grantKey = (
  principal: Principal,
  requested: RequestedKey,
  project: VisibleProject | null,
): GrantedKey | Rejection => {
  if (project !== null && project.role !== 'owner') {
    return forbid('Only an owner of the project may bind keys to it');
  }
  if (requested.pregenerated && project === null && principal.organizationRole !== 'admin') {
    return forbid('Only an admin may bring the value of an unbound key');
  }
  const parent = principal.key;
  if (parent === null) return { ...requested, projectId: project?.id ?? null, ancestors: [] };
  if (parent.projectId !== null && parent.projectId !== project?.id) {
    return forbid('A key made with a bound key is bound to the same project');
  }
  if (requested.projectRole === 'owner') return forbid('A key made with a key is never an owner');
  const most = parent.projectId === null ? parent.projectRole : (project?.role ?? null);
  if (
    requested.projectRole !== null &&
    most !== null &&
    !isRoleAtLeast(projectRoles, most, requested.projectRole)
  ) {
    return forbid('A key made with a key has no more rights than that key');
  }
  const until = parent.expiresAt;
  if (requested.expiresAt !== null && until !== null && requested.expiresAt > until) {
    return forbid('A key made with a key does not outlive it');
  }
  return {
    projectId: project?.id ?? null,
    // Null would be its creator's own role, which may be owner or even admin.
    projectRole: requested.projectRole ?? weakerRole(projectRoles, most ?? 'editor', 'editor'),
    expiresAt: requested.expiresAt ?? until,
    ancestors: parent.lineage,
  };
};
