import {
  isRoleAtLeast,
  organizationRoles,
  projectRoles,
  type GroupRole,
  type OrganizationRole,
  type ProjectRole,
} from './roles.js';

export type Permission = {
  readonly action: string;
  readonly allowed: boolean;
  readonly message: string | null;
};

/** Actions on a project in the order of contract 3.10, each with its role (contract 2.6, 6). */
const projectActions = [
  ['update', 'owner'],
  ['delete', 'owner'],
  ['rename', 'owner'],
  ['share', 'owner'],
  ['create_run', 'editor'],
  ['delete_run', 'owner'],
  ['rename_run', 'editor'],
  ['export_data', 'viewer'],
  ['configure_human_feedback', 'editor'],
  ['record_human_feedback', 'annotator'],
  ['log_data', 'editor'],
  ['delete_data', 'owner'],
] as const satisfies readonly (readonly [string, ProjectRole])[];
type ProjectAction = (typeof projectActions)[number][0];
type RoleFor<A extends ProjectAction> = Extract<
  (typeof projectActions)[number],
  readonly [A, ProjectRole]
>[1];

/** Role that an operation requires for this action, so that shown permissions match the guard. */
export const projectRoleFor = <A extends ProjectAction>(action: A): RoleFor<A> =>
  new Map<string, ProjectRole>(projectActions).get(action) as RoleFor<A>;

export const permitted = (action: string, allowed: boolean, otherwise: string): Permission => ({
  action,
  allowed,
  message: allowed ? null : otherwise,
});

/** Permissions of a role on a project. */
export const projectPermissions = (role: ProjectRole): readonly Permission[] =>
  projectActions.map(([action, needed]) =>
    permitted(action, isRoleAtLeast(projectRoles, role, needed), `Needs the role ${needed}`),
  );

/** Order of `change_role_to_…` in contract 3.10. */
const rolesGiven = ['admin', 'manager', 'user', 'read_only', 'auditor'] as const;

/**
 * Permissions of a caller on a user of their organisation (contract 2.6, 3.10). `caller` is null
 * for a bound key: it has no rights in the organisation.
 */
export const userPermissions = (
  caller: OrganizationRole | null,
  { isSelf, role }: { readonly isSelf: boolean; readonly role: OrganizationRole },
): readonly Permission[] => {
  const has = (needed: OrganizationRole): boolean =>
    caller !== null && isRoleAtLeast(organizationRoles, caller, needed);
  const overUser = has(role === 'admin' ? 'admin' : 'manager');
  const own = caller !== null && (isSelf || overUser);
  const needs = `Needs the role ${role === 'admin' ? 'admin' : 'manager'}`;
  return [
    permitted('update', own, needs),
    permitted('delete', overUser, needs),
    permitted('read_api_keys', own, needs),
    ...rolesGiven.map((given) =>
      permitted(`change_role_to_${given}`, has('admin'), 'Needs the role admin'),
    ),
  ];
};

/** Permissions of a caller on a collaborator of a project; every user may leave (contract 5.4). */
export const collaboratorPermissions = (
  role: ProjectRole,
  isSelf: boolean,
): readonly Permission[] => {
  const isOwner = role === 'owner';
  return [
    permitted('update_role', isOwner, 'Needs the role owner'),
    permitted('delete', isOwner || isSelf, 'Needs the role owner'),
  ];
};

/** Facts that determine a caller's permissions on a visible group. */
export type GroupAccess = {
  readonly visibility: 'public' | 'private' | 'hidden' | 'protected';
  /** Caller's role in the group; null when they are not in it. */
  readonly role: GroupRole | null;
  /** True for `manager` and `admin` of the organisation, who are above all its groups. */
  readonly overGroups: boolean;
};

export const maintainsGroup = ({ role, overGroups }: GroupAccess): boolean =>
  overGroups || role === 'maintainer';

/**
 * True if the caller sees the members: those of private and hidden groups are for members only
 * (contract 5.3).
 */
export const seesMembers = ({ visibility, role, overGroups }: GroupAccess): boolean =>
  visibility === 'public' ||
  visibility === 'protected' ||
  overGroups ||
  role === 'member' ||
  role === 'maintainer';

export const groupPermissions = (access: GroupAccess): readonly Permission[] => {
  const { visibility, role } = access;
  const isIn = role === 'member' || role === 'maintainer';
  const otherwise = isIn
    ? 'already a member'
    : role === 'pending'
      ? 'waits for a maintainer'
      : visibility === 'private'
        ? 'joining needs a maintainer'
        : visibility === 'public'
          ? 'open to join'
          : 'joined by being added only';
  return [
    permitted('update', maintainsGroup(access), 'maintainers only'),
    permitted('list_members', seesMembers(access), 'members only'),
    permitted('join', role === null && visibility === 'public', otherwise),
    permitted('request_to_join', role === null && visibility === 'private', otherwise),
  ];
};

export const groupMemberPermissions = (
  access: GroupAccess,
  isSelf: boolean,
): readonly Permission[] => [
  permitted('update_role', maintainsGroup(access), 'maintainers only'),
  permitted('delete', maintainsGroup(access) || isSelf, 'maintainers only'),
];

/** Rights of a caller on a dataset (contract 2.6, rule 4). */
export type DatasetRights = { readonly write: boolean };

/**
 * Permissions on a dataset in the order of contract 3.10. Every reader may export its rows; the
 * rest requires write access.
 */
export const datasetPermissions = ({ write }: DatasetRights): readonly Permission[] => [
  permitted('update', write, writersOnly),
  permitted('delete', write, writersOnly),
  permitted('share', write, writersOnly),
  permitted('export', true, ''),
  permitted('rename', write, writersOnly),
];
const writersOnly = 'Needs to be its creator, an editor of its home project or an admin';

/** Permissions of a caller who sees an integration: its owner, or an admin (contract 3.10). */
export const integrationPermissions = (isOwner: boolean): readonly Permission[] => [
  permitted('update', isOwner, 'only its owner may change it'),
  permitted('delete', isOwner, 'only its owner may delete it'),
  permitted('share', false, 'integrations belong to one user'),
  permitted('read_secrets', false, 'secrets are write-only'),
];

/** Permissions of a caller on a scorer; presets have no owner. */
export const scorerPermissions = (owns: boolean): readonly Permission[] => [
  permitted('update', owns, 'only its creator and admins may change it'),
  permitted('delete', owns, 'only its creator and admins may delete it'),
];
