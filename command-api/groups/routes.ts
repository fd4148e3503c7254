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
import { route, type Route } from '../../contract/operation.js';
import { maintainsGroup, type GroupAccess } from '../../contract/permissions.js';
import type { GroupRole, Principal } from '../../contract/roles.js';
import type { GroupEvent } from '../../events/groups.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, EventReader, Ids, Recorded } from '../../kernel/ports.js';
import type { GroupId, Instant, UserId } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { accessTo } from '../access/group-sight.js';
import { admit, groupNames, groups, isIn, type Group, groupStream } from '../facts/groups.js';
import { checkMembers, liveUser, nameless, userBlockOf } from '../facts/users.js';
import { change, changeMember, create, remove, removeMember } from './groups.js';

type GroupNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
};

export const groupWrites = (needs: GroupNeeds): readonly Route[] => [
  creating(needs),
  changing(needs),
  deleting(needs),
  addingMembers(needs),
  changingMember(needs),
  removingMember(needs),
];

const creating = (needs: GroupNeeds): Route =>
  route(createGroup, async ({ body, principal, cause, mint }) => {
    const id = mint('GroupId');
    const listed = (body.users ?? []).map(({ user_id, role }) => [user_id, role] as const);
    await checkMembers(
      needs.log,
      listed.map(([user]) => user),
      principal.organizationId,
    );
    const roles = new Map<UserId, GroupRole>([
      ...listed.map(([user, role]) => [user, role ?? 'member'] as const),
      [principal.userId, 'maintainer'],
    ]);
    const names = { scope: principal.organizationId, name: body.name };
    await groupNames.take(needs, names, id, cause);
    const decide = create({
      id,
      organizationId: principal.organizationId,
      name: body.name,
      description: body.description ?? null,
      visibility: body.visibility ?? 'public',
      createdBy: principal.userId,
      createdAt: cause.at,
      members: [...roles].map(([userId, role]) => ({
        userId,
        role,
        id: mint('GroupMemberId'),
      })),
    });
    const { state, position } = await transact(needs.log, groupStream(id), groups, decide, cause);
    return { position, body: await answerOf(needs.log, live(state), principal) };
  });

const changing = (needs: GroupNeeds): Route =>
  route(changeGroup, async ({ body, params, principal, cause }) => {
    const id = params.group_id;
    const { organizationId: scope, name: from } = await liveGroup(needs.log, id);
    const names = { scope, from, to: body.name ?? from };
    const { state, position } = await groupNames.rename(needs, names, id, cause, () =>
      transact(needs.log, groupStream(id), groups, change(id, body), cause),
    );
    return { position, body: await answerOf(needs.log, live(state), principal) };
  });

const deleting = (needs: GroupNeeds): Route =>
  route(deleteGroup, async ({ params, cause }) => {
    const id = params.group_id;
    const { organizationId: scope, name } = await liveGroup(needs.log, id);
    const { position } = await transact(needs.log, groupStream(id), groups, remove(id), cause);
    await groupNames.release(needs, { scope, name }, id, cause);
    return { position, body: { message: 'The group is deleted; its project roles end.' } };
  });

const addingMembers = ({ log }: GroupNeeds): Route =>
  route(addGroupMembers, async ({ body, params, principal, cause, mint }) => {
    const id = params.group_id;
    const group = await liveGroup(log, id);
    const access = accessTo(group, principal);
    const users = body.map(({ user_id }) => user_id);
    if (!maintainsGroup(access) && users.some((user) => user !== principal.userId)) {
      throw new Fault('forbidden', 'Only maintainers add others');
    }
    await checkMembers(log, users, principal.organizationId);
    const wanted = body.map(({ user_id: userId, role }) => ({
      userId,
      role: maintainsGroup(access) ? (role ?? 'member') : ownRole(access),
      id: mint('GroupMemberId'),
    }));
    const decide = admit(id, wanted);
    const { state, position } = await transact(log, groupStream(id), groups, decide, cause);
    return { position, body: await memberAnswers(log, live(state), users, principal) };
  });

const changingMember = ({ log }: GroupNeeds): Route =>
  route(changeGroupMember, async ({ body, params, principal, cause }) => {
    const { group_id: id, user_id: user } = params;
    const decide = changeMember(id, user, body.role);
    const { state, position } = await transact(log, groupStream(id), groups, decide, cause);
    const [shown] = await memberAnswers(log, live(state), [user], principal);
    if (shown === undefined) throw new Fault('not-found', 'Member not found');
    return { position, body: shown };
  });

const removingMember = ({ log }: GroupNeeds): Route =>
  route(removeGroupMember, async ({ params, principal, cause }) => {
    const { group_id: id, user_id: user } = params;
    const group = await liveGroup(log, id);
    if (user !== principal.userId && !maintainsGroup(accessTo(group, principal))) {
      throw new Fault('forbidden', 'Only maintainers remove others');
    }
    if (!group.members.has(user)) throw new Fault('not-found', 'Member not found');
    const decide = removeMember(id, user);
    const { position } = await transact(log, groupStream(id), groups, decide, cause);
    return { position, body: { message: 'The user is no member of the group any more.' } };
  });

/**
 * What becomes of somebody who comes by themselves (contract 5.3); whoever is in the group already
 * stays as they are.
 */
const ownRole = ({ visibility, role }: GroupAccess): GroupRole => {
  if (role !== null) return role;
  if (visibility === 'public') return 'member';
  if (visibility === 'private') return 'pending';
  throw new Fault('forbidden', 'This group is joined by being added only');
};

const liveGroup = async (log: EventReader, id: GroupId): Promise<Group> => {
  const { state } = await load(log, groupStream(id), groups);
  return live(state);
};

const live = (group: Group | null): Group => {
  if (group === null || !group.live) throw new Fault('not-found', 'Group not found');
  return group;
};

const answerOf = async (log: EventLog, group: Group, principal: Principal) => {
  const members = [...group.members].filter(([, { role }]) => isIn(role));
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
    accessTo(group, principal),
  );
};

const memberAnswers = async (
  log: EventReader,
  group: Group,
  users: readonly UserId[],
  principal: Principal,
) => {
  const events = (await log.read(groupStream(group.id))) as readonly Recorded[];
  const joined = new Map(events.flatMap((event) => joining(event as Recorded<never>)));
  return Promise.all(
    [...new Set(users)].map(async (user) => {
      const member = group.members.get(user);
      if (member === undefined) throw new Fault('not-found', 'Member not found');
      const since = joined.get(user) ?? group.createdAt;
      const block = (await userBlockOf(log, user)) ?? nameless(user);
      const access = accessTo(group, principal);
      return groupMemberAnswer({ ...member, created_at: since }, block, access, principal.userId);
    }),
  );
};

const joining = ({
  type,
  data,
  metadata,
}: Recorded<GroupEvent>): readonly (readonly [string, Instant])[] =>
  type === 'GroupMemberAdded' ? [[data.user_id, metadata.at]] : [];
