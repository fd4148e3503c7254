import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type CollaboratorId,
  type GroupId,
  type Instant,
  type UserId,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { envelope, message, paged } from './envelope.js';
import type { GroupVisibility } from './groups.js';
import { operation } from './operation.js';
import { permission, type UserBlock } from './people.js';
import { collaboratorPermissions } from './permissions.js';
import { projectRoles, type ProjectRole } from './roles.js';

/**
 * Limits: a project keeps all of them in one document and one fold; a group can stand for many
 * people.
 */
export const userCollaboratorsMax = 1_000;
export const groupCollaboratorsMax = 100;
/** Limit of one request (contract 5.4). */
const addedMax = 100;

const role = oneOf(projectRoles);
const shown = {
  id: id('CollaboratorId'),
  role,
  created_at: instant,
  permissions: Type.Array(permission),
};
const userCollaborator = namedSchema(
  'Collaborator',
  Type.Object({
    ...shown,
    user_id: id('UserId'),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
  }),
);
const groupCollaborator = namedSchema(
  'GroupCollaborator',
  Type.Object({
    ...shown,
    group_id: id('GroupId'),
    group_name: Type.String(),
    warning: nullable(Type.String()),
  }),
);

const users = '/v2/projects/{project_id}/users';
const groups = '/v2/projects/{project_id}/groups';

export const listCollaborators = operation({
  operationId: 'listCollaborators',
  summary: 'Users that a project is shared with',
  description: 'By e-mail; those who have a role through a group are not among them.',
  section: '5.4',
  method: 'GET',
  path: users,
  requires: 'viewer',
  query: paged,
  response: envelope('collaborators', userCollaborator),
});

export const addCollaborators = operation({
  operationId: 'addCollaborators',
  summary: 'Share a project with users',
  description: 'An existing collaborator gets the new role.',
  example: [{ user_id: exampleIds.user_id, role: 'owner' }],
  section: '5.4',
  method: 'POST',
  path: users,
  requires: 'owner',
  body: Type.Array(
    namedSchema('CollaboratorInput', Type.Object({ user_id: id('UserId'), role: nullish(role) })),
    {
      minItems: 1,
      maxItems: addedMax,
    },
  ),
  response: Type.Array(userCollaborator),
});

export const changeCollaborator = operation({
  operationId: 'changeCollaborator',
  summary: 'Change the role of a user in a project',
  description: 'The last owner keeps the role (409).',
  example: { role: 'owner' },
  section: '5.4',
  method: 'PATCH',
  path: `${users}/{user_id}`,
  requires: 'owner',
  body: Type.Object({ role }),
  response: userCollaborator,
});

export const removeCollaborator = operation({
  operationId: 'removeCollaborator',
  summary: 'Stop sharing a project with a user, or leave it',
  description: 'Everyone may remove themselves; the last owner stays (409).',
  section: '5.4',
  method: 'DELETE',
  path: `${users}/{user_id}`,
  requires: 'owner',
  orSelf: true,
  response: message,
});

export const listGroupCollaborators = operation({
  operationId: 'listGroupCollaborators',
  summary: 'Groups that a project is shared with',
  description: 'By name.',
  section: '5.4',
  method: 'GET',
  path: groups,
  requires: 'viewer',
  query: paged,
  response: envelope('collaborators', groupCollaborator),
});

export const addGroupCollaborators = operation({
  operationId: 'addGroupCollaborators',
  summary: 'Share a project with groups',
  description: 'Members and maintainers of the group have the role from then on.',
  example: [{ group_id: exampleIds.group_id, role: 'annotator' }],
  section: '5.4',
  method: 'POST',
  path: groups,
  requires: 'owner',
  body: Type.Array(
    namedSchema(
      'GroupCollaboratorInput',
      Type.Object({ group_id: id('GroupId'), role: nullish(role) }),
    ),
    {
      minItems: 1,
      maxItems: addedMax,
    },
  ),
  response: Type.Array(groupCollaborator),
});

export const changeGroupCollaborator = operation({
  operationId: 'changeGroupCollaborator',
  summary: 'Change the role of a group in a project',
  description: 'The role of everybody in the group changes at once.',
  example: { role: 'viewer' },
  section: '5.4',
  method: 'PATCH',
  path: `${groups}/{group_id}`,
  requires: 'owner',
  body: Type.Object({ role }),
  response: groupCollaborator,
});

export const removeGroupCollaborator = operation({
  operationId: 'removeGroupCollaborator',
  summary: 'Stop sharing a project with a group',
  description: 'Members keep roles that they have otherwise.',
  section: '5.4',
  method: 'DELETE',
  path: `${groups}/{group_id}`,
  requires: 'owner',
  response: message,
});

export const collaboratorOperations = [
  listCollaborators,
  addCollaborators,
  changeCollaborator,
  removeCollaborator,
  listGroupCollaborators,
  addGroupCollaborators,
  changeGroupCollaborator,
  removeGroupCollaborator,
];

type CollaboratorGrant = {
  readonly id: CollaboratorId;
  readonly role: ProjectRole;
  readonly created_at: Instant;
};
/** Caller's role in the project and user id. */
type CollaboratorViewer = { readonly role: ProjectRole; readonly userId: string };

export const userCollaboratorAnswer = (
  { id: collaborator, role: given, created_at }: CollaboratorGrant,
  user: NonNullable<UserBlock>,
  viewer: CollaboratorViewer,
): Static<typeof userCollaborator> => ({
  id: collaborator,
  user_id: user.id as UserId,
  email: user.email,
  first_name: user.first_name,
  last_name: user.last_name,
  role: given,
  created_at,
  permissions: [...collaboratorPermissions(viewer.role, viewer.userId === user.id)],
});

export const groupCollaboratorAnswer = (
  { id: collaborator, role: given, created_at }: CollaboratorGrant,
  group: { readonly id: GroupId; readonly name: string; readonly visibility: GroupVisibility },
  viewer: CollaboratorViewer,
): Static<typeof groupCollaborator> => ({
  id: collaborator,
  group_id: group.id,
  group_name: group.name,
  role: given,
  created_at,
  permissions: [...collaboratorPermissions(viewer.role, false)],
  warning:
    group.visibility === 'public' && given !== 'viewer'
      ? `Everybody of the organisation may join this public group and be ${given} of the ` +
        'project. Make the group private, or share the project as viewer'
      : null,
});
