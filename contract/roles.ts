import type {
  ApiKeyId,
  FamilyId,
  Instant,
  OrganizationId,
  ProjectId,
  UserId,
} from '../kernel/schema-types.js';

/** Roles, weakest first (contract 2.6). */
export const organizationRoles = ['read_only', 'auditor', 'user', 'manager', 'admin'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];
export const projectRoles = ['viewer', 'annotator', 'editor', 'owner'] as const;
export type ProjectRole = (typeof projectRoles)[number];
export const groupRoles = ['pending', 'member', 'maintainer'] as const;
export type GroupRole = (typeof groupRoles)[number];

/** Requirements about an object of the path other than a project, with its parameter. */
export const objectRequirements = {
  'dataset-read': 'dataset_id',
  'dataset-write': 'dataset_id',
  'prompt-read': 'prompt_template_id',
  'prompt-write': 'prompt_template_id',
  'group-sight': 'group_id',
  maintainer: 'group_id',
  'scorer-owner': 'scorer_id',
  'org-job': 'job_id',
  'scorer-task': 'task_id',
  'scorer-job': 'job_id',
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
  | 'view-write'
  | 'lender'
  | 'api-key'
  | 'creator'
  | 'user'
  | 'manager'
  | 'admin'
  | 'self'
  | 'audit-project'
  | 'audit-org'
  | 'audit-resource';

/** Visibility of an object; `unseen` is the same 404 as an unknown id. */
export type Visibility = 'allowed' | 'forbidden' | 'unseen';

/** Caller, with current rights from the log. */
export type Principal = {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /**
   * Creator's current role, for a limited key at most `user`. Bound keys have no organisation
   * rights.
   */
  readonly organizationRole: OrganizationRole;
  /** Null for a person (bearer of a password login, Basic). */
  readonly key: KeyRights | null;
  /** Login of a person; absent for keys. */
  readonly login?: Login;
};
/** Login of a person; `familyId` null: a password on this very request (Basic). */
export type Login = { readonly familyId: FamilyId | null; readonly authMethod: string };
type KeyRights = {
  readonly id: ApiKeyId;
  /** Set for a bound key, which is valid for this project only. */
  readonly projectId: ProjectId | null;
  /** Upper bound of the creator's role in any project; null = none. */
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** This key and all keys it descends from, itself first. */
  readonly lineage: readonly ApiKeyId[];
};

export type VisibleProject = {
  readonly id: ProjectId;
  readonly name: string;
  readonly role: ProjectRole;
};

/**
 * Caller's role in a live project of their own organisation; null = the project is not visible and
 * answers 404. `userRole` is the user's own role, not capped by the key; `granted` is the strongest
 * role that the project gives the user, as a collaborator or through groups. The greatest of
 * `granted`, `owner` for an admin and `viewer` for an auditor counts, at most `viewer` for
 * read_only (contract 2.6, rule 1), then within the bounds of the key (contract 2.4, rule 4).
 */
export const roleInProject = (
  userRole: OrganizationRole,
  key: Pick<KeyRights, 'projectId' | 'projectRole'> | null,
  project: ProjectId,
  granted: ProjectRole | null,
): ProjectRole | null => {
  if (key !== null && key.projectId !== null && key.projectId !== project) return null;
  const own = ownRole(userRole, granted);
  if (own === null || key === null || key.projectRole === null) return own;
  return weakerRole(projectRoles, own, key.projectRole);
};

/** Role before the bounds of the key (contract 2.6, rule 1). */
const ownRole = (userRole: OrganizationRole, granted: ProjectRole | null): ProjectRole | null => {
  if (userRole === 'admin') return 'owner';
  if (userRole === 'auditor') return granted ?? 'viewer';
  return userRole === 'read_only' && granted !== null ? 'viewer' : granted;
};

/** True if the caller may read the organisation's history, which a bound or limited key may not. */
export const mayAuditOrganization = ({ organizationRole, key }: Principal): boolean =>
  (organizationRole === 'auditor' || organizationRole === 'admin') &&
  (key === null || (key.projectId === null && key.projectRole === null));

/**
 * True if the caller may read the history of this project's content (null: of none that they see).
 */
export const mayAudit = (principal: Principal, project: VisibleProject | null): boolean =>
  project?.role === 'owner' || mayAuditOrganization(principal);

/**
 * True if the caller may save views of their own in the project (contract 5.16, rule 2): every
 * reader, except auditors, who write nothing, and keys that are limited to less than editor.
 */
export const maySaveViews = ({ organizationRole, key }: Principal, role: ProjectRole): boolean =>
  (organizationRole !== 'auditor' || role !== 'viewer') &&
  (key === null ||
    key.projectRole === null ||
    isRoleAtLeast<ProjectRole>(projectRoles, key.projectRole, 'editor'));

/** Strongest of the roles, null for none. */
export const strongestRole = (roles: readonly ProjectRole[]): ProjectRole | null =>
  roles.reduce<ProjectRole | null>(
    (best, role) => (best === null || isRoleAtLeast(projectRoles, role, best) ? role : best),
    null,
  );

/** True if the role is at or after the other one in the ranking. */
export const isRoleAtLeast = <T extends string>(
  ranking: readonly T[],
  role: T,
  needed: T,
): boolean => ranking.indexOf(role) >= ranking.indexOf(needed);

export const weakerRole = <T extends string>(ranking: readonly T[], one: T, other: T): T =>
  isRoleAtLeast(ranking, one, other) ? other : one;
