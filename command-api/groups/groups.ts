import type { GroupVisibility } from '../../contract/groups.js';
import type { GroupRole } from '../../contract/roles.js';
import type { GroupCreated, GroupEvent } from '../../events/groups.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { GroupId, UserId } from '../../kernel/schema-types.js';
import type { Group, NewGroupMember } from '../facts/groups.js';

type DecideGroup = Decide<Group | null, GroupEvent>;
type GroupChange = {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly visibility?: GroupVisibility | null;
};

/** Creates a group with these members: the creator among them, each user once. */
export const create =
  (data: GroupCreated, members: readonly NewGroupMember[]): DecideGroup =>
  (group) =>
    group !== null
      ? []
      : [
          { type: 'GroupCreated', data },
          ...members.map(({ userId: user_id, role, id: member_id }): GroupEvent => ({
            type: 'GroupMemberAdded',
            data: { group_id: data.group_id, member_id, user_id, role },
          })),
        ];

/** Null or absent: the member stays as it is. */
export const change =
  (group_id: GroupId, wanted: GroupChange): DecideGroup =>
  (group) => {
    if (group === null || !group.live) return reject('not-found', 'Group not found');
    const name = wanted.name ?? group.name;
    const description = wanted.description ?? group.description;
    const visibility = wanted.visibility ?? group.visibility;
    const isSame =
      name === group.name && description === group.description && visibility === group.visibility;
    return isSame
      ? []
      : [{ type: 'GroupDetailsChanged', data: { group_id, name, description, visibility } }];
  };

export const remove =
  (group_id: GroupId): DecideGroup =>
  (group) =>
    group === null || !group.live
      ? []
      : [{ type: 'GroupDeleted', data: { group_id, organization_id: group.organizationId } }];

export const changeMember =
  (group_id: GroupId, user_id: UserId, role: GroupRole): DecideGroup =>
  (group) => {
    const known = group?.live === true ? group.members.get(user_id) : undefined;
    if (group === null || known === undefined) return reject('not-found', 'Member not found');
    if (known.role === role) return [];
    if (isLastMaintainer(group, user_id)) return lastMaintainer();
    return [{ type: 'GroupMemberRoleChanged', data: { group_id, user_id, role } }];
  };

export const removeMember =
  (group_id: GroupId, user_id: UserId): DecideGroup =>
  (group) => {
    if (group?.members.has(user_id) !== true) return [];
    if (isLastMaintainer(group, user_id)) return lastMaintainer();
    return [{ type: 'GroupMemberRemoved', data: { group_id, user_id } }];
  };

const isLastMaintainer = ({ members }: Group, user: UserId): boolean =>
  members.get(user)?.role === 'maintainer' &&
  [...members].every(([other, { role }]) => other === user || role !== 'maintainer');

const lastMaintainer = () => reject('conflict', 'The last maintainer of a group stays one');
