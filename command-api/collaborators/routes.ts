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
import type { Gate } from '../../contract/gate.js';
import { route, type Route } from '../../contract/operation.js';
import type { Principal, ProjectInSight } from '../../contract/roles.js';
import type { CollaboratorEvent } from '../../events/collaborators.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, EventReader, Recorded } from '../../kernel/ports.js';
import type { GroupId, Instant, ProjectId, UserId } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { projects, type Collaboration, type Project, projectStream } from '../facts/projects.js';
import { groupOf } from '../access/group-sight.js';
import { checkMembers, liveUser, nameless, userBlockOf } from '../facts/users.js';
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
  readonly gate: Pick<Gate, 'sight'>;
};

export const collaboratorWrites = (needs: CollaboratorNeeds): readonly Route[] => [
  addingUsers(needs),
  changingUser(needs),
  removingUser(needs),
  addingGroups(needs),
  changingGroup(needs),
  removingGroup(needs),
];

const addingUsers = ({ log }: CollaboratorNeeds): Route =>
  route(addCollaborators, async ({ body, params, principal, project, cause, mint }) => {
    const id = params.project_id;
    const users = body.map(({ user_id }) => user_id);
    await checkMembers(log, users, principal.organizationId);
    const wanted = body.map(({ user_id: who, role }) => ({
      who,
      role: role ?? ('viewer' as const),
      id: mint('CollaboratorId'),
    }));
    const decide = addUsers(id, wanted, await owning(log, id, users));
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    return { position, body: await userAnswers(log, state, users, asks(id, principal, project)) };
  });

const changingUser = ({ log }: CollaboratorNeeds): Route =>
  route(changeCollaborator, async ({ body, params, principal, project, cause }) => {
    const { project_id: id, user_id: user } = params;
    const decide = changeUser(id, user, body.role, await owning(log, id, [user]));
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    const [shown] = await userAnswers(log, state, [user], asks(id, principal, project));
    if (shown === undefined) throw missing('Collaborator');
    return { position, body: shown };
  });

const removingUser = ({ log }: CollaboratorNeeds): Route =>
  route(removeCollaborator, async ({ params, cause }) => {
    const { project_id: id, user_id: user } = params;
    const { state: before } = await load(log, projectStream(id), projects);
    presentIn(before?.users, user);
    const decide = removeUser(id, user, await owning(log, id));
    const { position } = await transact(log, projectStream(id), projects, decide, cause);
    return {
      position,
      body: { message: 'The user is no collaborator of the project any more.' },
    };
  });

const addingGroups = ({ log, gate }: CollaboratorNeeds): Route =>
  route(addGroupCollaborators, async ({ body, params, principal, project, cause, mint }) => {
    const id = params.project_id;
    const groups = body.map(({ group_id }) => group_id);
    await checkGroups(gate, groups, principal);
    const wanted = body.map(({ group_id: who, role }) => ({
      who,
      role: role ?? ('viewer' as const),
      id: mint('CollaboratorId'),
    }));
    const decide = addGroups(id, wanted);
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    return { position, body: await groupAnswers(log, state, groups, asks(id, principal, project)) };
  });

const changingGroup = ({ log }: CollaboratorNeeds): Route =>
  route(changeGroupCollaborator, async ({ body, params, principal, project, cause }) => {
    const { project_id: id, group_id: group } = params;
    const decide = changeGroup(id, group, body.role);
    const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
    const [shown] = await groupAnswers(log, state, [group], asks(id, principal, project));
    if (shown === undefined) throw missing('Collaborator');
    return { position, body: shown };
  });

const removingGroup = ({ log }: CollaboratorNeeds): Route =>
  route(removeGroupCollaborator, async ({ params, cause }) => {
    const { project_id: id, group_id: group } = params;
    const { state: before } = await load(log, projectStream(id), projects);
    presentIn(before?.groups, group);
    const decide = removeGroup(id, group);
    const { position } = await transact(log, projectStream(id), projects, decide, cause);
    return { position, body: { message: 'The project is not shared with the group any more.' } };
  });

/**
 * Which of the project's owners, and of those who are to become one, count: asked before
 * deciding, which is pure.
 */
const owning = async (
  log: EventReader,
  id: ProjectId,
  coming: readonly UserId[] = [],
): Promise<(user: UserId) => boolean> => {
  const { state } = await load(log, projectStream(id), projects);
  const owners = [...(state?.users ?? [])].flatMap(([user, { role }]) =>
    role === 'owner' ? [user] : [],
  );
  const asked = [...new Set([...owners, ...coming])];
  const found = await Promise.all(asked.map((user) => liveUser(log, user)));
  const unable = new Set(asked.filter((_, at) => (found[at]?.role ?? 'read_only') === 'read_only'));
  return (user) => !unable.has(user);
};

const checkGroups = async (
  gate: CollaboratorNeeds['gate'],
  groups: readonly GroupId[],
  principal: Principal,
): Promise<void> => {
  for (const group of new Set(groups)) {
    const sight = await gate.sight('group-sight', principal, group);
    if (sight === 'unseen') throw missing('Group');
  }
};

const userAnswers = async (
  log: EventReader,
  state: Project | null,
  users: readonly UserId[],
  asking: Asking,
) => {
  const since = await sinceIn(log, asking.project);
  return Promise.all(
    [...new Set(users)].map(async (user) => {
      const given = presentIn(state?.users, user);
      const block = await userBlockOf(log, user);
      return userCollaboratorAnswer(
        { ...given, created_at: since(user) },
        block ?? nameless(user),
        asking.onlooker,
      );
    }),
  );
};

const groupAnswers = async (
  log: EventReader,
  state: Project | null,
  ids: readonly GroupId[],
  asking: Asking,
) => {
  const since = await sinceIn(log, asking.project);
  return Promise.all(
    [...new Set(ids)].map(async (id) => {
      const given = presentIn(state?.groups, id);
      const group = await groupOf(log, id);
      const { name, visibility } = group ?? { name: '', visibility: 'private' as const };
      return groupCollaboratorAnswer(
        { ...given, created_at: since(id) },
        { id, name, visibility },
        asking.onlooker,
      );
    }),
  );
};

/** When each collaboration began. */
const sinceIn = async (log: EventReader, project: ProjectId): Promise<(who: string) => Instant> => {
  const events = (await log.read(projectStream(project))) as readonly Recorded[];
  const began = new Map(events.flatMap((event) => beginning(event as Recorded<never>)));
  return (who) => began.get(who) ?? events[0]?.metadata.at ?? ('' as Instant);
};

type Asking = {
  readonly project: ProjectId;
  readonly onlooker: { readonly role: ProjectInSight['role']; readonly userId: UserId };
};

const asks = (project: ProjectId, { userId }: Principal, seen: ProjectInSight | null): Asking => ({
  project,
  onlooker: { role: seen?.role ?? 'viewer', userId },
});

const missing = (what: 'Group' | 'Collaborator'): Fault =>
  new Fault('not-found', `${what} not found`);

const presentIn = <Who>(
  known: ReadonlyMap<Who, Collaboration> | undefined,
  who: Who,
): Collaboration => {
  const found = known?.get(who);
  if (found === undefined) throw missing('Collaborator');
  return found;
};

const beginning = ({
  type,
  data,
  metadata,
}: Recorded<CollaboratorEvent>): readonly (readonly [string, Instant])[] => {
  if (type === 'CollaboratorAdded') return [[data.user_id, metadata.at]];
  return type === 'GroupCollaboratorAdded' ? [[data.group_id, metadata.at]] : [];
};
