import type { ProjectRole } from '../../contract/roles.js';
import type { ProjectEvent } from '../../events/projects.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type {
  CollaboratorId,
  GroupId,
  Instant,
  OrganizationId,
  ProjectId,
  UserId,
} from '../../kernel/schema-types.js';
import { scopedNames } from './reservations.js';

export const projectStream = (id: string): StreamName => streamNameOf('project', id);

/** State of a project for several slices; null before it was created. */
export type Project = {
  readonly id: ProjectId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly labels: readonly string[];
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  /** Direct collaborators, the creator first; at most one entry per user. */
  readonly users: ReadonlyMap<UserId, Collaboration>;
  readonly groups: ReadonlyMap<GroupId, Collaboration>;
  readonly live: boolean;
};

export type Collaboration = { readonly id: CollaboratorId; readonly role: ProjectRole };

export const projects: Fold<Project | null, ProjectEvent> = {
  initial: null,
  evolve: (project, { type, data }) => {
    switch (type) {
      case 'ProjectCreated':
        return {
          id: data.project_id,
          organizationId: data.organization_id,
          name: data.name,
          type: data.type,
          description: null,
          labels: [],
          createdBy: data.created_by,
          createdAt: data.created_at,
          users: new Map([
            [data.created_by, { id: data.project_id as string as CollaboratorId, role: 'owner' }],
          ]),
          groups: new Map(),
          live: true,
        };
      case 'ProjectRenamed':
        return project && { ...project, name: data.name };
      case 'ProjectDetailsChanged':
        return project && { ...project, description: data.description, labels: data.labels };
      case 'ProjectDeleted':
        return project && { ...project, live: false };
      case 'CollaboratorAdded':
        return (
          project && { ...project, users: withCollaborator(project.users, data.user_id, data) }
        );
      case 'CollaboratorRoleChanged':
        return (
          project && { ...project, users: withChangedRole(project.users, data.user_id, data.role) }
        );
      case 'CollaboratorRemoved':
        return project && { ...project, users: withoutKey(project.users, data.user_id) };
      case 'GroupCollaboratorAdded':
        return (
          project && { ...project, groups: withCollaborator(project.groups, data.group_id, data) }
        );
      case 'GroupCollaboratorRoleChanged':
        return (
          project && {
            ...project,
            groups: withChangedRole(project.groups, data.group_id, data.role),
          }
        );
      case 'GroupCollaboratorRemoved':
        return project && { ...project, groups: withoutKey(project.groups, data.group_id) };
      default:
        return unreachable(type);
    }
  },
};

/** Project names, unique in their organisation (contract 4.1). */
export const projectNames = scopedNames({
  what: 'project',
  scope: 'organizationId',
  called: 'A project',
  holder: projectStream,
  fold: projects,
});

type Collaborations<K> = ReadonlyMap<K, Collaboration>;
const withCollaborator = <K>(
  known: Collaborations<K>,
  who: K,
  { collaborator_id: id, role }: { collaborator_id: CollaboratorId; role: ProjectRole },
): Collaborations<K> => new Map(known).set(who, { id, role });
const withChangedRole = <K>(
  known: Collaborations<K>,
  who: K,
  role: ProjectRole,
): Collaborations<K> => {
  const one = known.get(who);
  return one === undefined ? known : new Map(known).set(who, { ...one, role });
};
const withoutKey = <K, V>(known: ReadonlyMap<K, V>, who: K): ReadonlyMap<K, V> =>
  new Map([...known].filter(([other]) => other !== who));
