// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/schema-types.js';
import { collaboratorEvents, type CollaboratorEvent } from './collaborators.js';
import type { Noun } from './noun.js';
import type { EventOf } from './schemas.js';

export const projectEvents = {
  /** Stream `project-<project>`. The creator becomes its owner (contract 2.6, rule 2). */
  ProjectCreated: Type.Object({
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    type: Type.String(),
    created_by: id('UserId'),
    created_at: instant,
  }),
  ProjectRenamed: Type.Object({ project_id: id('ProjectId'), name: Type.String() }),
  ProjectDetailsChanged: Type.Object({
    project_id: id('ProjectId'),
    description: nullable(Type.String()),
    labels: Type.Array(Type.String()),
  }),
  /** Tombstone: everything in it answers 404 from here on, and the worker erases it. */
  ProjectDeleted: Type.Object({ project_id: id('ProjectId') }),
};

export const projectNoun: Noun<typeof projectEvents & typeof collaboratorEvents> = {
  stream: { name: 'project-<project>', subject: 'project', erasedWith: 'project' },
  events: { ...projectEvents, ...collaboratorEvents },
  activities: {
    ProjectCreated: 'entity create',
    ProjectRenamed: 'entity update',
    ProjectDetailsChanged: 'entity update',
    ProjectDeleted: 'entity delete',
    CollaboratorAdded: 'access assign',
    CollaboratorRoleChanged: 'access assign',
    CollaboratorRemoved: 'access revoke',
    GroupCollaboratorAdded: 'access assign',
    GroupCollaboratorRoleChanged: 'access assign',
    GroupCollaboratorRemoved: 'access revoke',
  },
};

export type ProjectEvent = CollaboratorEvent | EventOf<typeof projectEvents>;
