// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable } from '../kernel/shapes.js';
import type { CollaboratorEvent } from './collaborators.js';

/** Stream `project-<project>`. The creator becomes its owner (contract 2.6, rule 2). */
export const projectCreated = Type.Object({
  project_id: id('ProjectId'),
  organization_id: id('OrganizationId'),
  name: Type.String(),
  type: Type.String(),
  created_by: id('UserId'),
  created_at: instant,
});
export const projectRenamed = Type.Object({ project_id: id('ProjectId'), name: Type.String() });
export const projectDetailsChanged = Type.Object({
  project_id: id('ProjectId'),
  description: nullable(Type.String()),
  labels: Type.Array(Type.String()),
});
/** All in it answers 404 from here on and is erased by the worker. */
export const projectDeleted = Type.Object({ project_id: id('ProjectId') });

export type ProjectEvent =
  | CollaboratorEvent
  | { readonly type: 'ProjectCreated'; readonly data: Static<typeof projectCreated> }
  | { readonly type: 'ProjectRenamed'; readonly data: Static<typeof projectRenamed> }
  | { readonly type: 'ProjectDetailsChanged'; readonly data: Static<typeof projectDetailsChanged> }
  | { readonly type: 'ProjectDeleted'; readonly data: Static<typeof projectDeleted> };
