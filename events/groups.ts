// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/shapes.js';

const visibility = oneOf(['public', 'private', 'hidden', 'protected']);
const role = oneOf(['pending', 'member', 'maintainer']);

/** Stream `group-<group>`. Its members follow as `GroupMemberAdded` in the same append. */
export const groupCreated = Type.Object({
  group_id: id('GroupId'),
  organization_id: id('OrganizationId'),
  name: Type.String(),
  description: nullable(Type.String()),
  visibility,
  created_by: id('UserId'),
  created_at: instant,
});
export const groupDetailsChanged = Type.Object({
  group_id: id('GroupId'),
  name: Type.String(),
  description: nullable(Type.String()),
  visibility,
});
/** Its project roles end with it (contract 5.3). */
export const groupDeleted = Type.Object({
  group_id: id('GroupId'),
  organization_id: id('OrganizationId'),
});
export const groupMemberAdded = Type.Object({
  group_id: id('GroupId'),
  /** Of the membership: another one when the user leaves and comes back. */
  member_id: id('GroupMemberId'),
  user_id: id('UserId'),
  role,
});
export const groupMemberRoleChanged = Type.Object({
  group_id: id('GroupId'),
  user_id: id('UserId'),
  role,
});
export const groupMemberRemoved = Type.Object({ group_id: id('GroupId'), user_id: id('UserId') });

export type GroupEvent =
  | { readonly type: 'GroupCreated'; readonly data: Static<typeof groupCreated> }
  | { readonly type: 'GroupDetailsChanged'; readonly data: Static<typeof groupDetailsChanged> }
  | { readonly type: 'GroupDeleted'; readonly data: Static<typeof groupDeleted> }
  | { readonly type: 'GroupMemberAdded'; readonly data: Static<typeof groupMemberAdded> }
  | {
      readonly type: 'GroupMemberRoleChanged';
      readonly data: Static<typeof groupMemberRoleChanged>;
    }
  | { readonly type: 'GroupMemberRemoved'; readonly data: Static<typeof groupMemberRemoved> };
