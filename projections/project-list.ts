import type { ProjectFacts } from '../contract/projects.js';
import type { ProjectRole } from '../contract/roles.js';
import { projectEvents, type ProjectCreated } from '../events/projects.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { CollaboratorId, Instant } from '../kernel/schema-types.js';
import { collaboratorEvents } from '../events/collaborators.js';
import type { Projection } from './projection.js';

/** A role granted to a user or a group, whose id is `who`. */
export type ListedCollaborator = {
  readonly id: CollaboratorId;
  readonly who: string;
  readonly role: ProjectRole;
  readonly created_at: Instant;
};
export type ListedProject = {
  readonly facts: ProjectFacts;
  /** Collaborators in order of arrival, the creator first. */
  readonly users: readonly ListedCollaborator[];
  readonly groups: readonly ListedCollaborator[];
};

const events = { ...projectEvents, ...collaboratorEvents };

/**
 * Live projects by id, in the scope of their organisation. Reads add what depends on the caller.
 * `seen_by` holds the ids of all collaborators, for `contains`.
 */
export const projectList: Projection<typeof events, ListedProject> = {
  collection: {
    name: 'project_list',
    version: 2,
    fields: {
      id: 'id',
      name: 'text',
      type: 'text',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
      seen_by: 'id',
    },
  },
  deletedWith: { key: 'project' },
  events,
  keys: ({ data }) => [data.project_id],
  evolve: (document, { type, data, metadata: { at } }) => {
    switch (type) {
      case 'ProjectCreated':
        return newProject(data);
      case 'ProjectRenamed':
        return withFacts(document, { name: data.name, updated_at: at });
      case 'ProjectDetailsChanged': {
        const { description, labels } = data;
        return withFacts(document, { description, labels, updated_at: at });
      }
      case 'ProjectDeleted':
        return null;
      case 'CollaboratorAdded':
        return withCollaborators(document, 'users', (list) =>
          withCollaborator(list, data.user_id, data, at),
        );
      case 'CollaboratorRoleChanged':
        return withCollaborators(document, 'users', (list) =>
          withRole(list, data.user_id, data.role),
        );
      case 'CollaboratorRemoved':
        return withCollaborators(document, 'users', (list) =>
          withoutCollaborator(list, data.user_id),
        );
      case 'GroupCollaboratorAdded':
        return withCollaborators(document, 'groups', (list) =>
          withCollaborator(list, data.group_id, data, at),
        );
      case 'GroupCollaboratorRoleChanged':
        return withCollaborators(document, 'groups', (list) =>
          withRole(list, data.group_id, data.role),
        );
      case 'GroupCollaboratorRemoved':
        return withCollaborators(document, 'groups', (list) =>
          withoutCollaborator(list, data.group_id),
        );
      default:
        return unreachable(type);
    }
  },
};

type Listed = Document<ListedProject>;
type Collaborators = readonly ListedCollaborator[];

const newProject = (data: ProjectCreated): Listed =>
  documentOf(data.organization_id, {
    facts: {
      id: data.project_id,
      name: data.name,
      type: data.type,
      description: null,
      labels: [],
      created_by: data.created_by,
      created_at: data.created_at,
      updated_at: data.created_at,
    },
    users: [
      {
        id: data.project_id as string as CollaboratorId,
        who: data.created_by,
        role: 'owner',
        created_at: data.created_at,
      },
    ],
    groups: [],
  });

const documentOf = (organization: string, body: ListedProject): Listed => ({
  key: body.facts.id,
  scope: organization,
  fields: {
    id: body.facts.id,
    name: body.facts.name,
    type: body.facts.type,
    created_by: body.facts.created_by,
    created_at: body.facts.created_at,
    updated_at: body.facts.updated_at,
    seen_by: [...body.users, ...body.groups].map(({ who }) => who).join(' '),
  },
  body,
});

const withFacts = (document: Listed | null, change: Partial<ProjectFacts>): Listed | null =>
  document &&
  documentOf(document.scope, { ...document.body, facts: { ...document.body.facts, ...change } });

const withCollaborators = (
  document: Listed | null,
  list: 'users' | 'groups',
  change: (list: Collaborators) => Collaborators,
): Listed | null =>
  document && documentOf(document.scope, { ...document.body, [list]: change(document.body[list]) });

const withCollaborator = (
  list: Collaborators,
  who: string,
  { collaborator_id: id, role }: { collaborator_id: CollaboratorId; role: ProjectRole },
  created_at: Instant,
): Collaborators => [...withoutCollaborator(list, who), { id, who, role, created_at }];

const withRole = (list: Collaborators, who: string, role: ProjectRole): Collaborators =>
  list.map((one) => (one.who === who ? { ...one, role } : one));

const withoutCollaborator = (list: Collaborators, who: string): Collaborators =>
  list.filter((one) => one.who !== who);
