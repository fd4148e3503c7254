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
import type { UserBlock } from '../../contract/people.js';
import type { Principal, ProjectInSight } from '../../contract/roles.js';
import type { CollaboratorEvent } from '../../events/collaborators.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Recorded } from '../../kernel/ports.js';
import type { GroupId, Instant, ProjectId, UserId } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { projects, type Collaboration, type Project, projectStream } from '../facts/projects.js';
import { groupOf } from '../access/group-sight.js';
import { liveUser, userBlockOf } from '../facts/users.js';
import {
  addGroups,
  addUsers,
  changeGroup,
  changeUser,
  removeGroup,
  removeUser,
} from './collaborators.js';

export type CollaboratorNeeds = {
  readonly log: EventLog;
  readonly gate: Pick<Gate, 'sight'>;
};

export const collaboratorWrites = ({ log, gate }: CollaboratorNeeds): readonly Route[] => {
  /**
   * Which of the project's owners, and of those who are to become one, count: asked before
   * deciding, which is pure.
   */
  const owning = async (
    id: ProjectId,
    coming: readonly UserId[] = [],
  ): Promise<(user: UserId) => boolean> => {
    const { state } = await load(log, projectStream(id), projects);
    const owners = [...(state?.users ?? [])].flatMap(([user, { role }]) =>
      role === 'owner' ? [user] : [],
    );
    const asked = [...new Set([...owners, ...coming])];
    const found = await Promise.all(asked.map((user) => liveUser(log, user)));
    const unable = new Set(
      asked.filter((_, at) => (found[at]?.role ?? 'read_only') === 'read_only'),
    );
    return (user) => !unable.has(user);
  };
  const membersOf = async (users: readonly UserId[], principal: Principal) => {
    for (const user of new Set(users)) {
      // Not what the gate remembers: who was removed a moment ago would stay listed for good.
      const { organizationId } = (await liveUser(log, user)) ?? {};
      if (organizationId !== principal.organizationId) throw missing('User');
    }
  };
  const groupsInSight = async (groups: readonly GroupId[], principal: Principal) => {
    for (const group of new Set(groups)) {
      const sight = await gate.sight('group-sight', principal, group);
      if (sight === 'unseen') throw missing('Group');
    }
  };
  const userAnswers = async (state: Project | null, users: readonly UserId[], asking: Asking) => {
    const since = await sinceIn(asking.project);
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
  const groupAnswers = async (state: Project | null, ids: readonly GroupId[], asking: Asking) => {
    const since = await sinceIn(asking.project);
    return Promise.all(
      [...new Set(ids)].map(async (id) => {
        const given = presentIn(state?.groups, id);
        const name = (await groupOf(log, id))?.name ?? '';
        return groupCollaboratorAnswer(
          { ...given, created_at: since(id) },
          { id, name },
          asking.onlooker,
        );
      }),
    );
  };
  /** When each collaboration began. */
  const sinceIn = async (project: ProjectId): Promise<(who: string) => Instant> => {
    const events = (await log.read(projectStream(project))) as readonly Recorded[];
    const began = new Map(events.flatMap((event) => beginning(event as Recorded<never>)));
    return (who) => began.get(who) ?? events[0]?.metadata.at ?? ('' as Instant);
  };

  return [
    route(addCollaborators, async ({ body, params, principal, project, cause, mint }) => {
      const id = params.project_id;
      const users = body.map(({ user_id }) => user_id);
      await membersOf(users, principal);
      const wanted = body.map(({ user_id: who, role }) => ({
        who,
        role: role ?? ('viewer' as const),
        id: mint('CollaboratorId'),
      }));
      const decide = addUsers(id, wanted, await owning(id, users));
      const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
      return { position, body: await userAnswers(state, users, asks(id, principal, project)) };
    }),

    route(changeCollaborator, async ({ body, params, principal, project, cause }) => {
      const { project_id: id, user_id: user } = params;
      const decide = changeUser(id, user, body.role, await owning(id, [user]));
      const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
      const [shown] = await userAnswers(state, [user], asks(id, principal, project));
      if (shown === undefined) throw missing('Collaborator');
      return { position, body: shown };
    }),

    route(removeCollaborator, async ({ params, cause }) => {
      const { project_id: id, user_id: user } = params;
      const { state: before } = await load(log, projectStream(id), projects);
      presentIn(before?.users, user);
      const decide = removeUser(id, user, await owning(id));
      const { position } = await transact(log, projectStream(id), projects, decide, cause);
      return {
        position,
        body: { message: 'The user is no collaborator of the project any more.' },
      };
    }),

    route(addGroupCollaborators, async ({ body, params, principal, project, cause, mint }) => {
      const id = params.project_id;
      const groups = body.map(({ group_id }) => group_id);
      await groupsInSight(groups, principal);
      const wanted = body.map(({ group_id: who, role }) => ({
        who,
        role: role ?? ('viewer' as const),
        id: mint('CollaboratorId'),
      }));
      const { state, position } = await transact(
        log,
        projectStream(id),
        projects,
        addGroups(id, wanted),
        cause,
      );
      return { position, body: await groupAnswers(state, groups, asks(id, principal, project)) };
    }),

    route(changeGroupCollaborator, async ({ body, params, principal, project, cause }) => {
      const { project_id: id, group_id: group } = params;
      const decide = changeGroup(id, group, body.role);
      const { state, position } = await transact(log, projectStream(id), projects, decide, cause);
      const [shown] = await groupAnswers(state, [group], asks(id, principal, project));
      if (shown === undefined) throw missing('Collaborator');
      return { position, body: shown };
    }),

    route(removeGroupCollaborator, async ({ params, cause }) => {
      const { project_id: id, group_id: group } = params;
      const { state: before } = await load(log, projectStream(id), projects);
      presentIn(before?.groups, group);
      const { position } = await transact(
        log,
        projectStream(id),
        projects,
        removeGroup(id, group),
        cause,
      );
      return { position, body: { message: 'The project is not shared with the group any more.' } };
    }),
  ];
};

type Asking = {
  readonly project: ProjectId;
  readonly onlooker: { readonly role: ProjectInSight['role']; readonly userId: UserId };
};
const asks = (project: ProjectId, { userId }: Principal, seen: ProjectInSight | null): Asking => ({
  project,
  onlooker: { role: seen?.role ?? 'viewer', userId },
});

const missing = (what: 'User' | 'Group' | 'Collaborator'): Fault =>
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

/** A user who was removed in between. */
const nameless = (id: UserId): NonNullable<UserBlock> => ({
  id,
  email: '',
  first_name: '',
  last_name: '',
});
