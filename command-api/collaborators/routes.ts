import {
  addCollaborators,
  addGroupCollaborators,
  changeCollaborator,
  changeGroupCollaborator,
  groupCollaboratorAnswer,
  removeCollaborator,
  removeGroupCollaborator,
  userCollaboratorAnswer,
} from '../../contract/collaborators.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal, VisibleProject } from '../../contract/roles.js';
import type { CollaboratorEvent } from '../../events/collaborators.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, EventReader, StoredEvent } from '../../kernel/ports.js';
import type { GroupId, Instant, ProjectId, UserId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { projects, type Collaboration, type Project, projectStream } from '../facts/projects.js';
import { liveGroup } from '../access/group-visibility.js';
import { checkUsersExist, liveUser, removedUserBlock, loadUserBlock } from '../facts/users.js';
import {
  addGroups,
  addUsers,
  changeGroup,
  changeUser,
  removeGroup,
  removeUser,
} from './collaborators.js';

type CollaboratorNeeds = {
  readonly log: EventLog;
  readonly authorizer: Pick<RequestAuthorizer, 'visibility'>;
};

export const collaboratorWrites = (needs: CollaboratorNeeds): readonly Route[] => [
  addUsersRoute(needs),
  changeUserRoute(needs),
  removeUserRoute(needs),
  addGroupsRoute(needs),
  changeGroupRoute(needs),
  removeGroupRoute(needs),
];

const addUsersRoute = ({ log }: CollaboratorNeeds): Route =>
  writeRoute(addCollaborators, async ({ body, params, principal, project, cause, mint }) => {
    const id = params.project_id;
    const users = body.map(({ user_id }) => user_id);
    await checkUsersExist(log, users, principal.organizationId);
    const wanted = body.map(({ user_id: who, role }) => ({
      who,
      role: role ?? ('viewer' as const),
      id: mint('CollaboratorId'),
    }));
    const decide = addUsers(id, wanted, await loadOwners(log, id, users));
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    return {
      position,
      body: await userAnswers(log, state, users, answerContext(id, principal, project)),
    };
  });

const changeUserRoute = ({ log }: CollaboratorNeeds): Route =>
  writeRoute(changeCollaborator, async ({ body, params, principal, project, cause }) => {
    const { project_id: id, user_id: user } = params;
    const decide = changeUser(id, user, body.role, await loadOwners(log, id, [user]));
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    const [shown] = await userAnswers(log, state, [user], answerContext(id, principal, project));
    if (shown === undefined) throw notFoundFault('Collaborator');
    return { position, body: shown };
  });

const removeUserRoute = ({ log }: CollaboratorNeeds): Route =>
  writeRoute(removeCollaborator, async ({ params, cause }) => {
    const { project_id: id, user_id: user } = params;
    const { state: before } = await loadStreamState(log, projectStream(id), projects);
    requirePresent(before?.users, user);
    const decide = removeUser(id, user, await loadOwners(log, id));
    const { position } = await transact(log, projectStream(id), projects, decide, cause);
    return {
      position,
      body: { message: 'The user is no longer a collaborator of the project.' },
    };
  });

const addGroupsRoute = ({ log, authorizer }: CollaboratorNeeds): Route =>
  writeRoute(addGroupCollaborators, async ({ body, params, principal, project, cause, mint }) => {
    const id = params.project_id;
    const groups = body.map(({ group_id }) => group_id);
    await checkGroups(authorizer, groups, principal);
    const wanted = body.map(({ group_id: who, role }) => ({
      who,
      role: role ?? ('viewer' as const),
      id: mint('CollaboratorId'),
    }));
    const decide = addGroups(id, wanted);
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    return {
      position,
      body: await groupAnswers(log, state, groups, answerContext(id, principal, project)),
    };
  });

const changeGroupRoute = ({ log }: CollaboratorNeeds): Route =>
  writeRoute(changeGroupCollaborator, async ({ body, params, principal, project, cause }) => {
    const { project_id: id, group_id: group } = params;
    const decide = changeGroup(id, group, body.role);
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    const [shown] = await groupAnswers(log, state, [group], answerContext(id, principal, project));
    if (shown === undefined) throw notFoundFault('Collaborator');
    return { position, body: shown };
  });

const removeGroupRoute = ({ log }: CollaboratorNeeds): Route =>
  writeRoute(removeGroupCollaborator, async ({ params, cause }) => {
    const { project_id: id, group_id: group } = params;
    const { state: before } = await loadStreamState(log, projectStream(id), projects);
    requirePresent(before?.groups, group);
    const decide = removeGroup(id, group);
    const { position } = await transact(log, projectStream(id), projects, decide, cause);
    return { position, body: { message: 'The project is not shared with the group any more.' } };
  });

/**
 * Predicate `CanOwn` for the project's owners and the users about to become one. Loaded before the
 * decision, which is pure.
 */
const loadOwners = async (
  log: EventReader,
  id: ProjectId,
  coming: readonly UserId[] = [],
): Promise<(user: UserId) => boolean> => {
  const { state } = await loadStreamState(log, projectStream(id), projects);
  const owners = [...(state?.users ?? [])].flatMap(([user, { role }]) =>
    role === 'owner' ? [user] : [],
  );
  const candidates = [...new Set([...owners, ...coming])];
  const found = await Promise.all(candidates.map((user) => liveUser(log, user)));
  const unable = new Set(
    candidates.filter((_, at) => (found[at]?.role ?? 'read_only') === 'read_only'),
  );
  return (user) => !unable.has(user);
};

const checkGroups = async (
  authorizer: CollaboratorNeeds['authorizer'],
  groups: readonly GroupId[],
  principal: Principal,
): Promise<void> => {
  for (const group of new Set(groups)) {
    const sight = await authorizer.visibility('group-sight', principal, group);
    if (sight === 'unseen') throw notFoundFault('Group');
  }
};

const userAnswers = async (
  log: EventReader,
  state: Project | null,
  users: readonly UserId[],
  context: AnswerContext,
) => {
  const since = await collaborationStarts(log, context.project);
  return Promise.all(
    [...new Set(users)].map(async (user) => {
      const given = requirePresent(state?.users, user);
      const block = await loadUserBlock(log, user);
      return userCollaboratorAnswer(
        { ...given, created_at: since(user) },
        block ?? removedUserBlock(user),
        context.onlooker,
      );
    }),
  );
};

const groupAnswers = async (
  log: EventReader,
  state: Project | null,
  ids: readonly GroupId[],
  context: AnswerContext,
) => {
  const since = await collaborationStarts(log, context.project);
  return Promise.all(
    [...new Set(ids)].map(async (id) => {
      const given = requirePresent(state?.groups, id);
      const group = await liveGroup(log, id);
      const { name, visibility } = group ?? { name: '', visibility: 'private' as const };
      return groupCollaboratorAnswer(
        { ...given, created_at: since(id) },
        { id, name, visibility },
        context.onlooker,
      );
    }),
  );
};

/** Start of each collaboration, by user or group id. */
const collaborationStarts = async (
  log: EventReader,
  project: ProjectId,
): Promise<(who: string) => Instant> => {
  const events = (await log.read(projectStream(project))) as readonly StoredEvent[];
  const began = new Map(events.flatMap((event) => collaborationStart(event as StoredEvent<never>)));
  return (who) => began.get(who) ?? events[0]?.metadata.at ?? ('' as Instant);
};

type AnswerContext = {
  readonly project: ProjectId;
  readonly onlooker: { readonly role: VisibleProject['role']; readonly userId: UserId };
};

const answerContext = (
  project: ProjectId,
  { userId }: Principal,
  seen: VisibleProject | null,
): AnswerContext => ({
  project,
  onlooker: { role: seen?.role ?? 'viewer', userId },
});

const notFoundFault = (what: 'Group' | 'Collaborator'): Fault =>
  new Fault('not-found', `${what} not found`);

const requirePresent = <Who>(
  known: ReadonlyMap<Who, Collaboration> | undefined,
  who: Who,
): Collaboration => {
  const found = known?.get(who);
  if (found === undefined) throw notFoundFault('Collaborator');
  return found;
};

const collaborationStart = ({
  type,
  data,
  metadata,
}: StoredEvent<CollaboratorEvent>): readonly (readonly [string, Instant])[] => {
  if (type === 'CollaboratorAdded') return [[data.user_id, metadata.at]];
  return type === 'GroupCollaboratorAdded' ? [[data.group_id, metadata.at]] : [];
};
