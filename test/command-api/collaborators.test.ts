import {
  addGroups,
  addUsers,
  changeGroup,
  changeUser,
  removeGroup,
  removeUser,
} from '../../command-api/collaborators/collaborators.js';
import { projects } from '../../command-api/facts/projects.js';
import { groupCollaboratorsMax, userCollaboratorsMax } from '../../contract/collaborators.js';
import type { ProjectRole } from '../../contract/roles.js';
import type { CollaboratorEvent } from '../../events/collaborators.js';
import type { CollaboratorId, GroupId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { projectId, projectCreated, userId } from '../support/access-events.js';

const given = deciderSpec(projects);
const project = projectId(1);
const made = projectCreated(1, userId(1));
const everybodyLives = () => true;
const collaboration = (number: number) => `collaboration-${number}` as CollaboratorId;
const group = (number: number) => `group-${number}` as GroupId;
const wanted = (number: number, role: ProjectRole) => ({
  who: userId(number),
  role,
  id: collaboration(number),
});
const added = (number: number, role: ProjectRole): CollaboratorEvent => ({
  type: 'CollaboratorAdded',
  data: {
    project_id: project,
    user_id: userId(number),
    collaborator_id: collaboration(number),
    role,
  },
});
const roleChanged = (number: number, role: ProjectRole): CollaboratorEvent => ({
  type: 'CollaboratorRoleChanged',
  data: { project_id: project, user_id: userId(number), role },
});
const removed = (number: number): CollaboratorEvent => ({
  type: 'CollaboratorRemoved',
  data: { project_id: project, user_id: userId(number) },
});
const deleted = { type: 'ProjectDeleted', data: { project_id: project } } as const;

describe('sharing a project with users', () => {
  it('adds new users, changes the roles of others, and uses the last role named', () =>
    given(made, added(2, 'viewer'))
      .when(
        addUsers(
          project,
          [wanted(2, 'editor'), wanted(3, 'viewer'), wanted(3, 'annotator')],
          everybodyLives,
        ),
      )
      .then(roleChanged(2, 'editor'), added(3, 'annotator')));

  it('is not possible in a deleted project', () => {
    given()
      .when(addUsers(project, [wanted(2, 'viewer')], everybodyLives))
      .thenRejected('not-found');
    given(made, deleted)
      .when(addUsers(project, [wanted(2, 'viewer')], everybodyLives))
      .thenRejected('not-found');
  });

  it('is limited in number', () => {
    const many = Array.from({ length: userCollaboratorsMax - 1 }, (_, at) =>
      added(at + 2, 'viewer'),
    );
    given(made, ...many)
      .when(addUsers(project, [wanted(userCollaboratorsMax + 1, 'viewer')], everybodyLives))
      .thenRejected('conflict', /at most/);
  });

  it('changes the role of one user only', () => {
    given(made, added(2, 'viewer'))
      .when(changeUser(project, userId(2), 'owner', everybodyLives))
      .then(roleChanged(2, 'owner'));
    given(made)
      .when(changeUser(project, userId(2), 'owner', everybodyLives))
      .thenRejected('not-found');
  });

  it('can be ended for a user', () => {
    given(made, added(2, 'viewer'))
      .when(removeUser(project, userId(2), everybodyLives))
      .then(removed(2));
    given(made)
      .when(removeUser(project, userId(2), everybodyLives))
      .thenNothing();
  });

  it('keeps the last owner', () => {
    const last = given(made, added(2, 'editor'));
    last.when(removeUser(project, userId(1), everybodyLives)).thenRejected('conflict');
    last.when(changeUser(project, userId(1), 'editor', everybodyLives)).thenRejected('conflict');
    last.when(addUsers(project, [wanted(1, 'viewer')], everybodyLives)).thenRejected('conflict');
  });

  it('lets the creator leave when another user is an owner', () =>
    given(made, added(2, 'owner'))
      .when(removeUser(project, userId(1), everybodyLives))
      .then(removed(1)));

  it('does not count an owner who was removed from the organisation', () =>
    given(made, added(2, 'owner'))
      .when(removeUser(project, userId(1), (user) => user !== userId(2)))
      .thenRejected('conflict'));

  it('allows ownership to be handed over in one request', () =>
    given(made)
      .when(addUsers(project, [wanted(1, 'viewer'), wanted(2, 'owner')], everybodyLives))
      .then(roleChanged(1, 'viewer'), added(2, 'owner')));
});

describe('sharing a project with groups', () => {
  const groupAdded = (number: number, role: ProjectRole): CollaboratorEvent => ({
    type: 'GroupCollaboratorAdded',
    data: {
      project_id: project,
      group_id: group(number),
      collaborator_id: collaboration(number),
      role,
    },
  });
  const asked = (number: number, role: ProjectRole) => ({
    who: group(number),
    role,
    id: collaboration(number),
  });
  const place = { project_id: project, group_id: group(1) };
  const changed: CollaboratorEvent = {
    type: 'GroupCollaboratorRoleChanged',
    data: { ...place, role: 'editor' },
  };

  it('can be added, changed and ended', () => {
    given(made)
      .when(addGroups(project, [asked(1, 'viewer')]))
      .then(groupAdded(1, 'viewer'));
    const shared = given(made, groupAdded(1, 'viewer'));
    shared.when(addGroups(project, [asked(1, 'editor')])).then(changed);
    shared.when(changeGroup(project, group(1), 'editor')).then(changed);
    shared
      .when(removeGroup(project, group(1)))
      .then({ type: 'GroupCollaboratorRemoved', data: place });
    given(made)
      .when(removeGroup(project, group(1)))
      .thenNothing();
    given(made)
      .when(changeGroup(project, group(1), 'editor'))
      .thenRejected('not-found');
    given(made, deleted)
      .when(addGroups(project, [asked(1, 'viewer')]))
      .thenRejected('not-found');
  });

  it('is limited in number', () => {
    const many = Array.from({ length: groupCollaboratorsMax }, (_, at) => groupAdded(at, 'viewer'));
    given(made, ...many)
      .when(addGroups(project, [asked(groupCollaboratorsMax, 'viewer')]))
      .thenRejected('conflict', /at most/);
  });
});
