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
  /** The caller brings the value along. */
  readonly pregenerated: boolean;
};
/** What the new key may do, once everything left out is filled in. */
type GrantedKey = {
  readonly projectId: ProjectId | null;
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** Its parent first; empty for a key that a person made. */
  readonly ancestors: readonly ApiKeyId[];
};

const forbid = (detail: string): Rejection => reject('forbidden', detail);

/**
 * The bounds of contract 4.4, rules 1 and 2, and 2.4, rule 5. `project` is the project that the new
 * key would be bound to as the caller sees it: the one asked for, else the parent's; null for an
 * unbound key. Pure.
 */
export const grantKey = (
  principal: Principal,
  asked: RequestedKey,
  project: VisibleProject | null,
): GrantedKey | Rejection => {
  if (project !== null && project.role !== 'owner') {
    return forbid('Only an owner of the project may bind keys to it');
  }
  if (asked.pregenerated && project === null && principal.organizationRole !== 'admin') {
    return forbid('Only an admin may bring the value of an unbound key');
  }
  const parent = principal.key;
  if (parent === null) return { ...asked, projectId: project?.id ?? null, ancestors: [] };
  if (parent.projectId !== null && parent.projectId !== project?.id) {
    return forbid('A key made with a bound key is bound to the same project');
  }
  if (asked.projectRole === 'owner') return forbid('A key made with a key is never an owner');
  const most = parent.projectId === null ? parent.projectRole : (project?.role ?? null);
  if (
    asked.projectRole !== null &&
    most !== null &&
    !isRoleAtLeast(projectRoles, most, asked.projectRole)
  ) {
    return forbid('A key made with a key has no more rights than that key');
  }
  const until = parent.expiresAt;
  if (asked.expiresAt !== null && until !== null && asked.expiresAt > until) {
    return forbid('A key made with a key does not outlive it');
  }
  return {
    projectId: project?.id ?? null,
    // Null would be its creator's own role, and with it that of an owner or even an admin.
    projectRole: asked.projectRole ?? weakerRole(projectRoles, most ?? 'editor', 'editor'),
    expiresAt: asked.expiresAt ?? until,
    ancestors: parent.lineage,
  };
};
