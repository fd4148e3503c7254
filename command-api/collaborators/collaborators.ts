import { groupCollaboratorsMax, userCollaboratorsMax } from '../../contract/collaborators.js';
import type { ProjectRole } from '../../contract/roles.js';
import type { CollaboratorEvent } from '../../events/collaborators.js';
import { reject, type Decide, type Decision, type Rejection } from '../../kernel/decision.js';
import type { CollaboratorId, GroupId, ProjectId, UserId } from '../../kernel/schema-types.js';
import { projects, type Project } from '../facts/projects.js';

type DecideProject = Decide<Project | null, CollaboratorEvent>;
type CollaboratorChange<Who> = {
  readonly who: Who;
  readonly role: ProjectRole;
  /** Id of the collaboration if it is a new one. */
  readonly id: CollaboratorId;
};
/**
 * True if the user, given the owner role, counts as an owner: not removed, and not `read_only`,
 * whose role is capped (contract 2.6, rule 1).
 */
type CanOwn = (user: UserId) => boolean;

/** Adds collaborators; a present one gets the new role (contract 5.4). */
export const addUsers =
  (
    project_id: ProjectId,
    wanted: readonly CollaboratorChange<UserId>[],
    canOwn: CanOwn,
  ): DecideProject =>
  (project) => {
    if (project === null || !project.live) return projectNotFound();
    const events = [...lastOfEach(wanted)].flatMap(
      ([user_id, { role, id }]): readonly CollaboratorEvent[] => {
        const known = project.users.get(user_id);
        if (known === undefined) {
          const data = { project_id, user_id, collaborator_id: id, role };
          return [{ type: 'CollaboratorAdded', data }];
        }
        return known.role === role
          ? []
          : [{ type: 'CollaboratorRoleChanged', data: { project_id, user_id, role } }];
      },
    );
    return tooManyCollaborators(project, events) ?? requireOwner(project, events, canOwn);
  };

export const changeUser =
  (project_id: ProjectId, user_id: UserId, role: ProjectRole, canOwn: CanOwn): DecideProject =>
  (project) => {
    const known = project?.live === true ? project.users.get(user_id) : undefined;
    if (project === null || known === undefined) return collaboratorNotFound();
    if (known.role === role) return [];
    const data = { project_id, user_id, role };
    return requireOwner(project, [{ type: 'CollaboratorRoleChanged', data }], canOwn);
  };

/** Idempotent: removing a user who is not a collaborator has no effect. */
export const removeUser =
  (project_id: ProjectId, user_id: UserId, canOwn: CanOwn): DecideProject =>
  (project) => {
    if (project?.users.has(user_id) !== true) return [];
    const data = { project_id, user_id };
    return requireOwner(project, [{ type: 'CollaboratorRemoved', data }], canOwn);
  };

export const addGroups =
  (project_id: ProjectId, wanted: readonly CollaboratorChange<GroupId>[]): DecideProject =>
  (project) => {
    if (project === null || !project.live) return projectNotFound();
    const events = [...lastOfEach(wanted)].flatMap(
      ([group_id, { role, id }]): readonly CollaboratorEvent[] => {
        const known = project.groups.get(group_id);
        if (known === undefined) {
          const data = { project_id, group_id, collaborator_id: id, role };
          return [{ type: 'GroupCollaboratorAdded', data }];
        }
        return known.role === role
          ? []
          : [{ type: 'GroupCollaboratorRoleChanged', data: { project_id, group_id, role } }];
      },
    );
    return tooManyCollaborators(project, events) ?? events;
  };

export const changeGroup =
  (project_id: ProjectId, group_id: GroupId, role: ProjectRole): DecideProject =>
  (project) => {
    const known = project?.live === true ? project.groups.get(group_id) : undefined;
    if (known === undefined) return collaboratorNotFound();
    return known.role === role
      ? []
      : [{ type: 'GroupCollaboratorRoleChanged', data: { project_id, group_id, role } }];
  };

export const removeGroup =
  (project_id: ProjectId, group_id: GroupId): DecideProject =>
  (project) =>
    project?.groups.has(group_id) === true
      ? [{ type: 'GroupCollaboratorRemoved', data: { project_id, group_id } }]
      : [];

const projectNotFound = (): Rejection => reject('not-found', 'Project not found');
const collaboratorNotFound = (): Rejection => reject('not-found', 'Collaborator not found');

const lastOfEach = <Who>(
  wanted: readonly CollaboratorChange<Who>[],
): ReadonlyMap<Who, CollaboratorChange<Who>> => new Map(wanted.map((one) => [one.who, one]));

const tooManyCollaborators = (
  project: Project,
  events: readonly CollaboratorEvent[],
): Rejection | null => {
  const { users, groups } = events.reduce<Project | null>(projects.evolve, project) ?? project;
  if (users.size > userCollaboratorsMax) {
    return reject('conflict', `A project is shared with at most ${userCollaboratorsMax} users`);
  }
  return groups.size > groupCollaboratorsMax
    ? reject('conflict', `A project is shared with at most ${groupCollaboratorsMax} groups`)
    : null;
};

/** Invariant: the last owner can be neither removed nor demoted (contract 2.6, rule 2). */
const requireOwner = (
  project: Project,
  events: readonly CollaboratorEvent[],
  canOwn: CanOwn,
): Decision<CollaboratorEvent> => {
  const owners = (one: Project | null): number =>
    [...(one?.users ?? [])].filter(([user, { role }]) => role === 'owner' && canOwn(user)).length;
  const after = events.reduce<Project | null>(projects.evolve, project);
  return owners(project) > 0 && owners(after) === 0
    ? reject('conflict', 'The last owner of a project stays its owner')
    : events;
};
