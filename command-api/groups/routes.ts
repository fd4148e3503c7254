import {
  addGroupMembers,
  changeGroup,
  changeGroupMember,
  createGroup,
  deleteGroup,
  groupAnswer,
  groupMemberAnswer,
  removeGroupMember,
} from '../../contract/groups.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { maintainsGroup, type GroupAccess } from '../../contract/permissions.js';
import type { GroupRole, Principal } from '../../contract/roles.js';
import type { GroupEvent } from '../../events/groups.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, EventReader, Ids, StoredEvent } from '../../kernel/ports.js';
import type { GroupId, Instant, UserId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { groupAccessOf } from '../access/group-visibility.js';
import {
  admitMembers,
  groupNames,
  groups,
  isActiveMember,
  type Group,
  groupStream,
} from '../facts/groups.js';
import { checkUsersExist, liveUser, removedUserBlock, loadUserBlock } from '../facts/users.js';
import { change, changeMember, create, remove, removeMember } from './groups.js';

type GroupNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
};

export const groupWrites = (needs: GroupNeeds): readonly Route[] => [
  createGroupRoute(needs),
  changeGroupRoute(needs),
  deleteGroupRoute(needs),
  addMembersRoute(needs),
  changeMemberRoute(needs),
  removeMemberRoute(needs),
];

const createGroupRoute = (needs: GroupNeeds): Route =>
  writeRoute(createGroup, async ({ body, principal, cause, mint }) => {
    const id = mint('GroupId');
    const listed = (body.users ?? []).map(({ user_id, role }) => [user_id, role] as const);
    await checkUsersExist(
      needs.log,
      listed.map(([user]) => user),
      principal.organizationId,
    );
    const roles = new Map<UserId, GroupRole>([
      ...listed.map(([user, role]) => [user, role ?? 'member'] as const),
      [principal.userId, 'maintainer'],
    ]);
    const created = {
      group_id: id,
      organization_id: principal.organizationId,
      name: body.name,
      description: body.description ?? null,
      visibility: body.visibility ?? 'public',
      created_by: principal.userId,
      created_at: cause.at,
    };
    const members = [...roles].map(([userId, role]) => {
      const member = mint('GroupMemberId');
      return { userId, role, id: member };
    });
    const decide = create(created, members);
    const { state, position } = await groupNames.transact(needs, id, groups, decide, cause);
    return { position, body: await answerOf(needs.log, requireGroup(state), principal) };
  });

const changeGroupRoute = (needs: GroupNeeds): Route =>
  writeRoute(changeGroup, async ({ body, params, principal, cause }) => {
    const id = params.group_id;
    const decide = change(id, body);
    const { state, position } = await groupNames.transact(needs, id, groups, decide, cause);
    return { position, body: await answerOf(needs.log, requireGroup(state), principal) };
  });

const deleteGroupRoute = (needs: GroupNeeds): Route =>
  writeRoute(deleteGroup, async ({ params, cause }) => {
    const id = params.group_id;
    await loadLiveGroup(needs.log, id);
    const { position } = await groupNames.transact(needs, id, groups, remove(id), cause);
    return { position, body: { message: 'The group is deleted; its project roles end.' } };
  });

const addMembersRoute = ({ log }: GroupNeeds): Route =>
  writeRoute(addGroupMembers, async ({ body, params, principal, cause, mint }) => {
    const id = params.group_id;
    const group = await loadLiveGroup(log, id);
    const access = groupAccessOf(group, principal);
    const users = body.map(({ user_id }) => user_id);
    if (!maintainsGroup(access) && users.some((user) => user !== principal.userId)) {
      throw new Fault('forbidden', 'Only maintainers add others');
    }
    await checkUsersExist(log, users, principal.organizationId);
    const wanted = body.map(({ user_id: userId, role }) => ({
      userId,
      role: maintainsGroup(access) ? (role ?? 'member') : joinRole(access),
      id: mint('GroupMemberId'),
    }));
    const decide = admitMembers(id, wanted);
    const { state, position } = await transact(log, groupStream(id), groups, decide, cause);
    return { position, body: await memberAnswers(log, requireGroup(state), users, principal) };
  });

const changeMemberRoute = ({ log }: GroupNeeds): Route =>
  writeRoute(changeGroupMember, async ({ body, params, principal, cause }) => {
    const { group_id: id, user_id: user } = params;
    const decide = changeMember(id, user, body.role);
    const { state, position } = await transact(log, groupStream(id), groups, decide, cause);
    const [shown] = await memberAnswers(log, requireGroup(state), [user], principal);
    if (shown === undefined) throw new Fault('not-found', 'Member not found');
    return { position, body: shown };
  });

const removeMemberRoute = ({ log }: GroupNeeds): Route =>
  writeRoute(removeGroupMember, async ({ params, principal, cause }) => {
    const { group_id: id, user_id: user } = params;
    const group = await loadLiveGroup(log, id);
    if (user !== principal.userId && !maintainsGroup(groupAccessOf(group, principal))) {
      throw new Fault('forbidden', 'Only maintainers remove others');
    }
    if (!group.members.has(user)) throw new Fault('not-found', 'Member not found');
    const decide = removeMember(id, user);
    const { position } = await transact(log, groupStream(id), groups, decide, cause);
    return { position, body: { message: 'The user is no longer a member of the group.' } };
  });

/** Role of a user who joins a group on their own (contract 5.3); members keep theirs. */
const joinRole = ({ visibility, role }: GroupAccess): GroupRole => {
  if (role !== null) return role;
  if (visibility === 'public') return 'member';
  if (visibility === 'private') return 'pending';
  throw new Fault('forbidden', 'This group is joined by being added only');
};

const loadLiveGroup = async (log: EventReader, id: GroupId): Promise<Group> => {
  const { state } = await loadStreamState(log, groupStream(id), groups);
  return requireGroup(state);
};

const requireGroup = (group: Group | null): Group => {
  if (group === null || !group.live) throw new Fault('not-found', 'Group not found');
  return group;
};

const answerOf = async (log: EventLog, group: Group, principal: Principal) => {
  const members = [...group.members].filter(([, { role }]) => isActiveMember(role));
  const alive = await Promise.all(members.map(([user]) => liveUser(log, user)));
  return groupAnswer(
    {
      id: group.id,
      name: group.name,
      description: group.description,
      visibility: group.visibility,
      created_at: group.createdAt,
    },
    alive.filter((user) => user !== null).length,
    groupAccessOf(group, principal),
  );
};

const memberAnswers = async (
  log: EventReader,
  group: Group,
  users: readonly UserId[],
  principal: Principal,
) => {
  const events = (await log.read(groupStream(group.id))) as readonly StoredEvent[];
  const joined = new Map(events.flatMap((event) => memberAddedAt(event as StoredEvent<never>)));
  return Promise.all(
    [...new Set(users)].map(async (user) => {
      const member = group.members.get(user);
      if (member === undefined) throw new Fault('not-found', 'Member not found');
      const since = joined.get(user) ?? group.createdAt;
      const block = (await loadUserBlock(log, user)) ?? removedUserBlock(user);
      const access = groupAccessOf(group, principal);
      return groupMemberAnswer({ ...member, created_at: since }, block, access, principal.userId);
    }),
  );
};

const memberAddedAt = ({
  type,
  data,
  metadata,
}: StoredEvent<GroupEvent>): readonly (readonly [string, Instant])[] =>
  type === 'GroupMemberAdded' ? [[data.user_id, metadata.at]] : [];
