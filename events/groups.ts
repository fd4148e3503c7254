// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import type { EventOf } from './schemas.js';

const visibility = oneOf(['public', 'private', 'hidden', 'protected']);
const role = oneOf(['pending', 'member', 'maintainer']);

export const groupEvents = {
  /** Stream `group-<group>`. Its members follow as `GroupMemberAdded` in the same append. */
  GroupCreated: Type.Object({
    group_id: id('GroupId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    description: nullable(Type.String()),
    visibility,
    created_by: id('UserId'),
    created_at: instant,
  }),
  GroupDetailsChanged: Type.Object({
    group_id: id('GroupId'),
    name: Type.String(),
    description: nullable(Type.String()),
    visibility,
  }),
  /** Ends its project roles too (contract 5.3). */
  GroupDeleted: Type.Object({
    group_id: id('GroupId'),
    organization_id: id('OrganizationId'),
  }),
  GroupMemberAdded: Type.Object({
    group_id: id('GroupId'),
    /** Id of the membership: a new one when the user leaves and comes back. */
    member_id: id('GroupMemberId'),
    user_id: id('UserId'),
    role,
  }),
  GroupMemberRoleChanged: Type.Object({
    group_id: id('GroupId'),
    user_id: id('UserId'),
    role,
  }),
  GroupMemberRemoved: Type.Object({ group_id: id('GroupId'), user_id: id('UserId') }),
};

export const groupNoun: Noun<typeof groupEvents> = {
  stream: { name: 'group-<group>', subject: { own: 'group' }, erasedWith: 'nothing' },
  events: groupEvents,
  activities: {
    GroupCreated: 'group create',
    GroupDetailsChanged: 'group other',
    GroupDeleted: 'group delete',
    GroupMemberAdded: 'group add',
    GroupMemberRoleChanged: 'group other',
    GroupMemberRemoved: 'group remove',
  },
};

export type GroupEvent = EventOf<typeof groupEvents>;
