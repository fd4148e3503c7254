// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const visibility = oneOf(['public', 'private', 'hidden', 'protected']);
const role = oneOf(['pending', 'member', 'maintainer']);

export const groupEvents = {
  /** Its members follow as `GroupMemberAdded` in the same append. */
  GroupCreated: event('group create', {
    group_id: id('GroupId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    description: nullable(Type.String()),
    visibility,
    created_by: id('UserId'),
    created_at: instant,
  }),
  GroupDetailsChanged: event('group other', {
    group_id: id('GroupId'),
    name: Type.String(),
    description: nullable(Type.String()),
    visibility,
  }),
  /** Ends its project roles too (contract 5.3). */
  GroupDeleted: event('group delete', {
    group_id: id('GroupId'),
    organization_id: id('OrganizationId'),
  }),
  GroupMemberAdded: event('group add', {
    group_id: id('GroupId'),
    /** Id of the membership: a new one when the user leaves and comes back. */
    member_id: id('GroupMemberId'),
    user_id: id('UserId'),
    role,
  }),
  GroupMemberRoleChanged: event('group other', {
    group_id: id('GroupId'),
    user_id: id('UserId'),
    role,
  }),
  GroupMemberRemoved: event('group remove', { group_id: id('GroupId'), user_id: id('UserId') }),
};

export const groupNoun: Noun = {
  stream: { name: 'group-<group>', subject: { own: 'group' }, erasedWith: 'nothing' },
  events: groupEvents,
};

export type GroupEvent = EventOf<typeof groupEvents>;
export type GroupCreated = DataOf<GroupEvent, 'GroupCreated'>;
