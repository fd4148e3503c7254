// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { id, oneOf } from '../kernel/schema-types.js';
import { event, type EventOf } from './schemas.js';

const role = oneOf(['viewer', 'annotator', 'editor', 'owner']);
const user = { project_id: id('ProjectId'), user_id: id('UserId') };
const group = { project_id: id('ProjectId'), group_id: id('GroupId') };

export const collaboratorEvents = {
  /**
   * Stream `project-<project>`. `ProjectCreated` makes the creator a collaborator with the role
   * `owner` and the project's own id as `collaborator_id`.
   */
  CollaboratorAdded: event('access assign', {
    ...user,
    collaborator_id: id('CollaboratorId'),
    role,
  }),
  CollaboratorRoleChanged: event('access assign', { ...user, role }),
  CollaboratorRemoved: event('access revoke', user),
  GroupCollaboratorAdded: event('access assign', {
    ...group,
    collaborator_id: id('CollaboratorId'),
    role,
  }),
  GroupCollaboratorRoleChanged: event('access assign', { ...group, role }),
  GroupCollaboratorRemoved: event('access revoke', group),
};

export type CollaboratorEvent = EventOf<typeof collaboratorEvents>;
