import type { ApiKeyId, Instant, OrganizationId, ProjectId, UserId } from '../kernel/shapes.js';

/** Weakest first (contract 2.6). */
export const organizationRoles = ['read_only', 'auditor', 'user', 'manager', 'admin'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];
export const projectRoles = ['viewer', 'annotator', 'editor', 'owner'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** Requirements about an object of the path that is no project, and the parameter that names it. */
export const objectRequirements = {
  'dataset-read': 'dataset_id',
  'dataset-write': 'dataset_id',
  'group-sight': 'group_id',
  maintainer: 'group_id',
  'scorer-owner': 'scorer_id',
  'org-job': 'job_id',
} as const;
export type ObjectRequirement = keyof typeof objectRequirements;

/** The requirements of contract 2.6. */
export type Requirement =
  | 'public'
  | 'cookie'
  | 'signed-in'
  | 'person'
  | ProjectRole
  | ObjectRequirement
  | 'api-key'
  | 'creator'
  | 'user'
  | 'manager'
  | 'admin'
  | 'self';

/** `unseen` answers the same 404 as an id that nobody made. */
export type Sight = 'allowed' | 'forbidden' | 'unseen';

/** Who calls, as the log has it now. */
export type Principal = {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /**
   * The creator's role now, for a limited key at most `user`. Bound keys have no organisation
   * rights.
   */
  readonly organizationRole: OrganizationRole;
  /** Null for a person (bearer of a password login, Basic). */
  readonly key: KeyRights | null;
};
export type KeyRights = {
  readonly id: ApiKeyId;
  /** Set: a bound key, good for this project only. */
  readonly projectId: ProjectId | null;
  /** Caps the creator's role in any project; null = no cap. */
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** This key and all keys it descends from, itself first. */
  readonly lineage: readonly ApiKeyId[];
};

export type ProjectInSight = {
  readonly id: ProjectId;
  readonly name: string;
  readonly role: ProjectRole;
};

/**
 * What the caller may do in a live project of their own organisation; null = it is out of sight and
 * answers 404. `userRole` is the user's own role, not capped by the key: `owner` for an admin and
 * for who created the project, `viewer` for an auditor, capped at `viewer` for read_only (contract
 * 2.6, rule 1), then within the bounds of the key (contract 2.4, rule 4). Roles of collaborators
 * and groups add to it here.
 */
export const roleInProject = (
  userRole: OrganizationRole,
  { userId, key }: Pick<Principal, 'userId' | 'key'>,
  project: { readonly id: ProjectId; readonly createdBy: UserId },
): ProjectRole | null => {
  if (key !== null && key.projectId !== null && key.projectId !== project.id) return null;
  const own = ownRole(userRole, project.createdBy === userId ? 'owner' : null);
  if (own === null || key === null || key.projectRole === null) return own;
  return weaker(projectRoles, own, key.projectRole);
};

const ownRole = (userRole: OrganizationRole, given: ProjectRole | null): ProjectRole | null => {
  if (userRole === 'admin') return 'owner';
  if (userRole === 'auditor') return given ?? 'viewer';
  return userRole === 'read_only' && given !== null ? 'viewer' : given;
};

/** Position in the list: what "at least" compares. */
export const atLeast = <T extends string>(ranking: readonly T[], role: T, needed: T): boolean =>
  ranking.indexOf(role) >= ranking.indexOf(needed);

export const weaker = <T extends string>(ranking: readonly T[], one: T, other: T): T =>
  atLeast(ranking, one, other) ? other : one;
