// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, oneOf } from '../kernel/shapes.js';

const role = oneOf(['viewer', 'annotator', 'editor', 'owner']);
const user = { project_id: id('ProjectId'), user_id: id('UserId') };
const group = { project_id: id('ProjectId'), group_id: id('GroupId') };

/**
 * Stream `project-<project>`. The creator is a collaborator of the role `owner` by `ProjectCreated`,
 * with the project's own id as `collaborator_id`.
 */
export const collaboratorAdded = Type.Object({
  ...user,
  collaborator_id: id('CollaboratorId'),
  role,
});
export const collaboratorRoleChanged = Type.Object({ ...user, role });
export const collaboratorRemoved = Type.Object(user);
export const groupCollaboratorAdded = Type.Object({
  ...group,
  collaborator_id: id('CollaboratorId'),
  role,
});
export const groupCollaboratorRoleChanged = Type.Object({ ...group, role });
export const groupCollaboratorRemoved = Type.Object(group);

export type CollaboratorEvent =
  | { readonly type: 'CollaboratorAdded'; readonly data: Static<typeof collaboratorAdded> }
  | {
      readonly type: 'CollaboratorRoleChanged';
      readonly data: Static<typeof collaboratorRoleChanged>;
    }
  | { readonly type: 'CollaboratorRemoved'; readonly data: Static<typeof collaboratorRemoved> }
  | {
      readonly type: 'GroupCollaboratorAdded';
      readonly data: Static<typeof groupCollaboratorAdded>;
    }
  | {
      readonly type: 'GroupCollaboratorRoleChanged';
      readonly data: Static<typeof groupCollaboratorRoleChanged>;
    }
  | {
      readonly type: 'GroupCollaboratorRemoved';
      readonly data: Static<typeof groupCollaboratorRemoved>;
    };
