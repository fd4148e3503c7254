import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  name,
  namedSchema,
  nullable,
  oneOf,
  type GroupMemberId,
  type Instant,
  type UserId,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { envelope, message, paged } from './envelope.js';
import { operation } from './operation.js';
import { permission, type UserBlock } from './people.js';
import { groupMemberPermissions, groupPermissions, type GroupAccess } from './permissions.js';
import {
  isRoleAtLeast,
  groupRoles,
  organizationRoles,
  type GroupRole,
  type Principal,
} from './roles.js';

/**
 * Group visibility (contract 5.3): `public` open to join; `private` members hidden, a maintainer
 * admits people; `protected` members join only by being added; `hidden` visible to members only.
 */
const visibilities = ['public', 'private', 'hidden', 'protected'] as const;
export type GroupVisibility = (typeof visibilities)[number];

/** Member limit: a group holds all members in one document and one fold. */
export const groupMembersMax = 1_000;
/** Limit of one request (contract 5.3). */
const addedMembersMax = 100;

const facts = {
  id: id('GroupId'),
  name: Type.String(),
  description: nullable(Type.String()),
  visibility: oneOf(visibilities),
  created_at: instant,
};
const groupFacts = Type.Object(facts);
export type GroupFacts = Static<typeof groupFacts>;

const shownWithGroup = {
  ...facts,
  /** Number of members and maintainers, without pending ones. */
  size: Type.Integer(),
  permissions: Type.Array(permission),
};
/** Group (contract 4.15); `role` is null for a caller who is not in it. */
export const group = namedSchema(
  'Group',
  Type.Object({ ...shownWithGroup, role: nullable(oneOf(groupRoles)) }),
);
const ownGroup = namedSchema(
  'OwnGroup',
  Type.Object({ ...shownWithGroup, role: oneOf(groupRoles) }),
);

export const groupMember = namedSchema(
  'GroupMember',
  Type.Object({
    id: id('GroupMemberId'),
    user_id: id('UserId'),
    group_role: oneOf(groupRoles),
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    created_at: instant,
    permissions: Type.Array(permission),
  }),
);

const role = oneOf(groupRoles);
const description = Type.String({ maxLength: 4_096 });
const path = '/v2/groups';
const newMember = namedSchema(
  'GroupMemberInput',
  Type.Object({ user_id: id('UserId'), role: nullish(role) }),
);

export const listOwnGroups = operation({
  operationId: 'listOwnGroups',
  summary: 'Groups of the caller',
  description: 'Includes groups that the caller is pending in.',
  section: '4.15',
  method: 'GET',
  path: '/v2/current_user/groups',
  requires: 'person',
  response: Type.Array(ownGroup),
});

export const createGroup = operation({
  operationId: 'createGroup',
  summary: 'Create a group',
  description: 'The caller becomes its maintainer; names are unique in the organisation.',
  example: { name: 'Reviewers', description: 'People who rate traces', visibility: 'public' },
  section: '5.3',
  method: 'POST',
  path,
  requires: 'user',
  body: Type.Object({
    name: name(128),
    description: nullish(description),
    visibility: nullish(oneOf(visibilities)),
    users: nullish(Type.Array(newMember, { maxItems: addedMembersMax })),
  }),
  response: group,
  faults: ['not-found', 'already-exists'],
});

export const listGroups = operation({
  operationId: 'listGroups',
  summary: 'Visible groups of the organisation',
  description: 'By name. Hidden groups are shown to their members, managers and admins.',
  section: '5.3',
  method: 'GET',
  path,
  requires: 'person',
  query: paged,
  response: envelope('groups', group),
});

export const getGroup = operation({
  operationId: 'getGroup',
  summary: 'One group',
  description: 'A hidden group is 404 for users who are not in it.',
  section: '5.3',
  method: 'GET',
  path: `${path}/{group_id}`,
  requires: 'group-sight',
  response: group,
});

export const changeGroup = operation({
  operationId: 'changeGroup',
  summary: 'Rename a group or change its description or visibility',
  description: 'Members that are left out stay as they are.',
  example: { description: 'People who rate traces of all projects' },
  section: '5.3',
  method: 'PATCH',
  path: `${path}/{group_id}`,
  requires: 'maintainer',
  body: Type.Object({
    name: nullish(name(128)),
    description: nullish(description),
    visibility: nullish(oneOf(visibilities)),
  }),
  response: group,
  faults: ['already-exists'],
});

export const deleteGroup = operation({
  operationId: 'deleteGroup',
  summary: 'Delete a group; its project roles end',
  description: 'Its members lose the project roles that they had through it.',
  section: '5.3',
  method: 'DELETE',
  path: `${path}/{group_id}`,
  requires: 'maintainer',
  response: message,
});

export const addGroupMembers = operation({
  operationId: 'addGroupMembers',
  summary: 'Add members to a group, or join it',
  description: 'Maintainers add anyone; others add themselves, and wait if the group is private.',
  example: [{ user_id: exampleIds.user_id, role: 'maintainer' }],
  section: '5.3',
  method: 'POST',
  path: `${path}/{group_id}/members`,
  requires: 'group-sight',
  body: Type.Array(newMember, { minItems: 1, maxItems: addedMembersMax }),
  response: Type.Array(groupMember),
});

export const listGroupMembers = operation({
  operationId: 'listGroupMembers',
  summary: 'Members of a group',
  description:
    'By e-mail. Of private and hidden groups only for their members, managers and admins.',
  section: '5.3',
  method: 'GET',
  path: `${path}/{group_id}/members`,
  requires: 'group-sight',
  query: paged,
  response: envelope('members', groupMember),
});

export const changeGroupMember = operation({
  operationId: 'changeGroupMember',
  summary: 'Change the role of a member, or admit a pending one',
  description: 'The last maintainer keeps the role (409).',
  example: { role: 'maintainer' },
  section: '5.3',
  method: 'PATCH',
  path: `${path}/{group_id}/members/{user_id}`,
  requires: 'maintainer',
  body: Type.Object({ role }),
  response: groupMember,
});

export const removeGroupMember = operation({
  operationId: 'removeGroupMember',
  summary: 'Remove a member from a group, or leave it',
  description: 'The last maintainer stays (409).',
  section: '5.3',
  method: 'DELETE',
  path: `${path}/{group_id}/members/{user_id}`,
  requires: 'group-sight',
  response: message,
});

export const groupOperations = [
  listOwnGroups,
  createGroup,
  listGroups,
  getGroup,
  changeGroup,
  deleteGroup,
  addGroupMembers,
  listGroupMembers,
  changeGroupMember,
  removeGroupMember,
];

/** Access of the caller to a group (contract 5.3). */
export const groupAccess = (
  visibility: GroupVisibility,
  role: GroupRole | null,
  { organizationRole }: Pick<Principal, 'organizationRole'>,
): GroupAccess => ({
  visibility,
  role,
  overGroups: isRoleAtLeast(organizationRoles, organizationRole, 'manager'),
});

export const groupAnswer = (
  shown: GroupFacts,
  size: number,
  access: GroupAccess,
): Static<typeof group> => ({
  ...shown,
  size,
  role: access.role,
  permissions: [...groupPermissions(access)],
});

export type ListedMember = {
  readonly id: GroupMemberId;
  readonly user_id: UserId;
  readonly role: GroupRole;
  readonly created_at: Instant;
};
export const groupMemberAnswer = (
  member: Omit<ListedMember, 'user_id'>,
  user: NonNullable<UserBlock>,
  access: GroupAccess,
  viewer: UserId,
): Static<typeof groupMember> => ({
  id: member.id,
  user_id: user.id as UserId,
  group_role: member.role,
  first_name: user.first_name,
  last_name: user.last_name,
  email: user.email,
  created_at: member.created_at,
  permissions: [...groupMemberPermissions(access, user.id === viewer)],
});
