// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/schema-types.js';
import { collaboratorEvents, type CollaboratorEvent } from './collaborators.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const projectEvents = {
  /** The creator becomes its owner (contract 2.6, rule 2). */
  ProjectCreated: event('entity create', {
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    type: Type.String(),
    created_by: id('UserId'),
    created_at: instant,
    /** Uses the shipped price list until its own list says otherwise (contract 5.4). */
    use_shipped: Type.Optional(Type.Literal(true)),
  }),
  ProjectRenamed: event('entity update', { project_id: id('ProjectId'), name: Type.String() }),
  ProjectDetailsChanged: event('entity update', {
    project_id: id('ProjectId'),
    description: nullable(Type.String()),
    labels: Type.Array(Type.String()),
  }),
  /** Tombstone: everything in it answers 404 from here on, and the worker erases it. */
  ProjectDeleted: event('entity delete', { project_id: id('ProjectId') }),
};

export const projectNoun: Noun = {
  stream: { name: 'project-<project>', subject: 'project', erasedWith: 'project' },
  events: { ...projectEvents, ...collaboratorEvents },
};

export type ProjectEvent = CollaboratorEvent | EventOf<typeof projectEvents>;
export type ProjectCreated = DataOf<ProjectEvent, 'ProjectCreated'>;
