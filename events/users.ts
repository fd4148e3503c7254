// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, oneOf, secret } from '../kernel/shapes.js';
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
/**
 * `password_hash` is argon2id under a pepper outside the log. Every login of the user ends with it
 * but that of `kept_family_id` (contract 5.1).
 */
export const passwordChanged = Type.Object({
  user_id: id('UserId'),
  password_hash: secret(),
  kept_family_id: nullable(id('FamilyId')),
});
/**
 * The identity (`issuer`, `subject`) is this user's from now on; the provider vouched for the
 * e-mail (contract 4.2).
 */
export const identityLinked = Type.Object({
  user_id: id('UserId'),
  provider: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
});

export type UserEvent =
  | InvitationEvent
  | { readonly type: 'UserCreated'; readonly data: Static<typeof userCreated> }
  | { readonly type: 'UserDetailsChanged'; readonly data: Static<typeof userDetailsChanged> }
  | { readonly type: 'UserRoleChanged'; readonly data: Static<typeof userRoleChanged> }
  | { readonly type: 'PasswordChanged'; readonly data: Static<typeof passwordChanged> }
  | { readonly type: 'IdentityLinked'; readonly data: Static<typeof identityLinked> }
  | { readonly type: 'UserRemoved'; readonly data: Static<typeof userRemoved> };
