import { Type, type Static, type TSchema } from 'typebox';
import {
  componentSchema,
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type Json,
  type OrganizationId,
  type UserId,
} from '../kernel/schema-types.js';
import { envelope, message, paged, pageMembersOrNull } from './envelope.js';
import { listingFiltersMax, textFilter } from './listings.js';
import { operation } from './operation.js';
import { permission } from './people.js';
import { userPermissions } from './permissions.js';
import { groupRoles, organizationRoles, projectRoles, type OrganizationRole } from './roles.js';

/** Login method of a user (contract 5.1); `invite`: none yet. */
export const authMethods = [
  'email',
  'google',
  'github',
  'okta',
  'azure-ad',
  'custom',
  'saml',
  'invite',
] as const;

const facts = {
  id: id('UserId'),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: oneOf(organizationRoles),
  auth_method: Type.String(),
  email_is_verified: Type.Boolean(),
  organization_id: id('OrganizationId'),
  created_at: instant,
  /** Time of the last change of the user; at first `created_at`. */
  updated_at: instant,
};
/** User (contract 5.1 and 5.2). */
export const user = namedSchema(
  'User',
  Type.Object({
    ...facts,
    organization_name: Type.String(),
    permissions: Type.Array(permission),
    generic_permissions: Type.Array(permission),
  }),
);

/** User as folded from the log; the rest of the response depends on the caller. */
const userFacts = Type.Object(facts);
export type UserFacts = Static<typeof userFacts>;

/**
 * Caller that reads a user. `organizationRole` is the caller's; null for a bound key, which has
 * none.
 */
type UserViewer = {
  readonly userId: UserId;
  readonly organizationRole: OrganizationRole | null;
  readonly organizationId: OrganizationId;
};

export const userAnswer = (
  shown: UserFacts,
  organization_name: string,
  viewer: UserViewer,
): Static<typeof user> => ({
  ...shown,
  organization_name,
  permissions: [
    ...userPermissions(viewer.organizationRole, {
      isSelf: shown.id === viewer.userId,
      role: shown.role,
    }),
  ],
  generic_permissions: [],
});

/** First or last name: a name of contract 1.3 that may be empty. */
export const personalName = Type.String({ maxLength: 255, 'x-kind': 'name' });

export const searchUsers = operation({
  operationId: 'searchUsers',
  summary: 'Users of the organisation, filtered, sorted and paged',
  description: 'Newest first unless `sort` says otherwise.',
  example: {
    filters: [{ name: 'role', operator: 'one_of', value: ['admin', 'user'] }],
    sort: { name: 'email', ascending: true },
  },
  section: '5.2',
  method: 'POST',
  path: '/v2/users/all',
  kind: 'r',
  requires: 'person',
  query: paged,
  body: Type.Object({
    ...pageMembersOrNull,
    filters: nullish(
      Type.Array(componentSchema<Json>('UserFilter'), { maxItems: listingFiltersMax }),
    ),
    sort: nullish(componentSchema<Json>('UserSort')),
  }),
  response: envelope('users', user),
});

const text = Type.String();
const textOrTexts = Type.Union([text, Type.Array(text)]);
export const sortedUserColumns = [
  'email',
  'first_name',
  'last_name',
  'role',
  'created_at',
] as const;
/** OpenAPI components. */
export const userComponents: Readonly<Record<string, TSchema>> = {
  UserFilter: Type.Union([
    textFilter('UserTextFilter', ['email', 'first_name', 'last_name']),
    Type.Object({
      name: Type.Literal('role'),
      operator: oneOf(['eq', 'ne', 'one_of']),
      value: textOrTexts,
    }),
  ]),
  UserSort: Type.Object({
    name: oneOf(sortedUserColumns),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
};

export const getUser = operation({
  operationId: 'getUser',
  summary: 'One user of the organisation',
  description: "Of the caller's organisation; others are not found.",
  section: '5.2',
  method: 'GET',
  path: '/v2/users/{user_id}',
  requires: 'person',
  response: user,
});

export const changeUser = operation({
  operationId: 'changeUser',
  summary: 'Change the name or the role of a user',
  description: 'Only an admin changes `role`, and the last admin keeps it (409).',
  example: { first_name: 'Ada', last_name: 'Lovelace' },
  section: '5.2',
  method: 'PUT',
  path: '/v2/users/{user_id}',
  requires: 'self',
  body: Type.Object({
    first_name: nullish(personalName),
    last_name: nullish(personalName),
    role: nullish(oneOf(organizationRoles)),
  }),
  response: user,
});

export const removeUser = operation({
  operationId: 'removeUser',
  summary: 'Remove a user; keys, logins and memberships end',
  description: 'What the user logged stays.',
  section: '5.2',
  method: 'DELETE',
  path: '/v2/users/{user_id}',
  requires: 'manager',
  response: message,
});

const roleList = Type.Array(
  namedSchema(
    'Role',
    Type.Object({ name: Type.String(), display_name: Type.String(), description: Type.String() }),
  ),
);
const listOfRoles = (operationId: string, path: string, summary: string) =>
  operation({
    operationId,
    summary,
    description: 'A fixed list, the strongest first.',
    section: '5.2',
    method: 'GET',
    path,
    requires: 'signed-in',
    response: roleList,
  });
export const listUserRoles = listOfRoles('listUserRoles', '/v2/user_roles', 'Organisation roles');
export const listGroupRoles = listOfRoles('listGroupRoles', '/v2/group_roles', 'Group roles');
export const listCollaboratorRoles = listOfRoles(
  'listCollaboratorRoles',
  '/v2/collaborator_roles',
  'Project roles',
);

type RoleList = Static<typeof roleList>;
const roleDescriptions = <Role extends string>(
  weakestFirst: readonly Role[],
  words: Readonly<Record<Role, readonly [string, string]>>,
): RoleList =>
  weakestFirst.toReversed().map((name) => ({
    name,
    display_name: words[name][0],
    description: words[name][1],
  }));

/** Roles, strongest first (contract 5.2), in the words of contract 2.6. */
export const userRoleList = roleDescriptions(organizationRoles, {
  admin: ['Admin', 'Owner of every project; everything in the organisation'],
  manager: ['Manager', 'Also invites and removes users and manages groups'],
  user: ['User', 'Also creates projects, datasets and scorers'],
  auditor: ['Auditor', 'Reads every project and all history'],
  read_only: ['Read only', 'Sees what is shared with them'],
});

export const userOperations = [
  searchUsers,
  getUser,
  changeUser,
  removeUser,
  listUserRoles,
  listGroupRoles,
  listCollaboratorRoles,
];
export const groupRoleList = roleDescriptions(groupRoles, {
  maintainer: ['Maintainer', "Has the group's project roles; adds and removes members"],
  member: ['Member', "Has the group's project roles"],
  pending: ['Pending', 'Waits to be let in'],
});
export const collaboratorRoleList = roleDescriptions(projectRoles, {
  owner: ['Owner', 'Shares, deletes and binds keys'],
  editor: ['Editor', 'Writes records, runs, experiments and settings'],
  annotator: ['Annotator', 'Gives ratings'],
  viewer: ['Viewer', 'Reads'],
});
