import { groupMembersMax, type GroupVisibility } from '../../contract/groups.js';
import type { GroupRole } from '../../contract/roles.js';
import type { GroupEvent } from '../../events/groups.js';
import { reject, unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type {
  GroupId,
  GroupMemberId,
  Instant,
  OrganizationId,
  UserId,
} from '../../kernel/schema-types.js';
import { scopedNames } from './reservations.js';

export const groupStream = (id: string): StreamName => streamNameOf('group', id);

/** State of a group; null before it was created. */
export type Group = {
  readonly id: GroupId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly description: string | null;
  readonly visibility: GroupVisibility;
  readonly createdAt: Instant;
  readonly members: ReadonlyMap<UserId, Membership>;
  readonly live: boolean;
};
export type Membership = { readonly id: GroupMemberId; readonly role: GroupRole };

export const groups: Fold<Group | null, GroupEvent> = {
  initial: null,
  evolve: (group, { type, data }) => {
    switch (type) {
      case 'GroupCreated':
        return {
          id: data.group_id,
          organizationId: data.organization_id,
          name: data.name,
          description: data.description,
          visibility: data.visibility,
          createdAt: data.created_at,
          members: new Map(),
          live: true,
        };
      case 'GroupDetailsChanged': {
        const { name, description, visibility } = data;
        return group && { ...group, name, description, visibility };
      }
      case 'GroupDeleted':
        return group && { ...group, live: false };
      case 'GroupMemberAdded':
        return group && withMember(group, data.user_id, { id: data.member_id, role: data.role });
      case 'GroupMemberRoleChanged': {
        const known = group?.members.get(data.user_id);
        return group && known
          ? withMember(group, data.user_id, { ...known, role: data.role })
          : group;
      }
      case 'GroupMemberRemoved':
        return (
          group && {
            ...group,
            members: new Map([...group.members].filter(([user]) => user !== data.user_id)),
          }
        );
      default:
        return unreachable(type);
    }
  },
};

/** Group names, unique in their organisation (contract 5.3). */
export const groupNames = scopedNames({
  what: 'group',
  scope: 'organizationId',
  called: 'A group',
  holder: groupStream,
  fold: groups,
});

const withMember = (group: Group, user: UserId, member: Membership): Group => ({
  ...group,
  members: new Map(group.members).set(user, member),
});

/** True if the role grants the group's rights; pending members have none. */
export const isActiveMember = (role: GroupRole | undefined): boolean =>
  role === 'member' || role === 'maintainer';

export type NewGroupMember = {
  readonly userId: UserId;
  readonly role: GroupRole;
  /** Id of the membership if it is a new one. */
  readonly id: GroupMemberId;
};

/** Adds members; a present membership stays as it is (contract 5.3). */
export const admitMembers =
  (group_id: GroupId, newcomers: readonly NewGroupMember[]): Decide<Group | null, GroupEvent> =>
  (group) => {
    if (group === null || !group.live) return reject('not-found', 'Group not found');
    const fresh = new Map(
      newcomers
        .filter(({ userId }) => !group.members.has(userId))
        .map((one) => [one.userId, one] as const),
    );
    if (group.members.size + fresh.size > groupMembersMax) {
      return reject('conflict', `A group has at most ${groupMembersMax} members`);
    }
    return [...fresh].map(([user_id, { role, id: member_id }]) => ({
      type: 'GroupMemberAdded',
      data: { group_id, member_id, user_id, role },
    }));
  };
