// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, oneOf } from '../kernel/shapes.js';
import type { InvitationEvent } from './invitations.js';

const role = oneOf(['read_only', 'auditor', 'user', 'manager', 'admin']);

/** Stream `user-<user>`. */
export const userCreated = Type.Object({
  user_id: id('UserId'),
  organization_id: id('OrganizationId'),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role,
  auth_method: Type.String(),
  created_at: instant,
});
export const userDetailsChanged = Type.Object({
  user_id: id('UserId'),
  first_name: Type.String(),
  last_name: Type.String(),
});
export const userRoleChanged = Type.Object({ user_id: id('UserId'), role });
/** Keys, logins and memberships end with it; what the user made stays (contract 5.2). */
export const userRemoved = Type.Object({
  user_id: id('UserId'),
  organization_id: id('OrganizationId'),
});

export type UserEvent =
  | InvitationEvent
  | { readonly type: 'UserCreated'; readonly data: Static<typeof userCreated> }
  | { readonly type: 'UserDetailsChanged'; readonly data: Static<typeof userDetailsChanged> }
  | { readonly type: 'UserRoleChanged'; readonly data: Static<typeof userRoleChanged> }
  | { readonly type: 'UserRemoved'; readonly data: Static<typeof userRemoved> };
