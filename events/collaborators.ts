// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, oneOf } from '../kernel/schema-types.js';
import type { EventOf } from './schemas.js';

const role = oneOf(['viewer', 'annotator', 'editor', 'owner']);
const user = { project_id: id('ProjectId'), user_id: id('UserId') };
const group = { project_id: id('ProjectId'), group_id: id('GroupId') };

export const collaboratorEvents = {
  /**
   * Stream `project-<project>`. `ProjectCreated` makes the creator a collaborator with the role
   * `owner` and the project's own id as `collaborator_id`.
   */
  CollaboratorAdded: Type.Object({
    ...user,
    collaborator_id: id('CollaboratorId'),
    role,
  }),
  CollaboratorRoleChanged: Type.Object({ ...user, role }),
  CollaboratorRemoved: Type.Object(user),
  GroupCollaboratorAdded: Type.Object({
    ...group,
    collaborator_id: id('CollaboratorId'),
    role,
  }),
  GroupCollaboratorRoleChanged: Type.Object({ ...group, role }),
  GroupCollaboratorRemoved: Type.Object(group),
};

export type CollaboratorEvent = EventOf<typeof collaboratorEvents>;
