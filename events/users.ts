// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf, secret } from '../kernel/schema-types.js';
import { invitationEvents, type InvitationEvent } from './invitations.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const role = oneOf(['read_only', 'auditor', 'user', 'manager', 'admin']);

export const userEvents = {
  UserCreated: event('account create', {
    user_id: id('UserId'),
    organization_id: id('OrganizationId'),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    role,
    auth_method: Type.String(),
    created_at: instant,
  }),
  UserDetailsChanged: event('account other', {
    user_id: id('UserId'),
    first_name: Type.String(),
    last_name: Type.String(),
  }),
  UserRoleChanged: event('account other', { user_id: id('UserId'), role }),
  /** Keys, logins and memberships end with it; what the user created stays (contract 5.2). */
  UserRemoved: event('account delete', {
    user_id: id('UserId'),
    organization_id: id('OrganizationId'),
  }),
  /**
   * `password_hash` is argon2id under a pepper outside the log. It ends every login of the user but
   * that of `kept_family_id` (contract 5.1).
   */
  PasswordChanged: event('account password', {
    user_id: id('UserId'),
    password_hash: secret(),
    kept_family_id: nullable(id('FamilyId')),
  }),
  /**
   * Links the identity (`issuer`, `subject`) to this user; the provider vouched for the e-mail
   * (contract 4.2).
   */
  IdentityLinked: event('account other', {
    user_id: id('UserId'),
    provider: Type.String(),
    issuer: Type.String(),
    subject: Type.String(),
  }),
};

export const userNoun: Noun = {
  stream: { name: 'user-<user>', subject: { own: 'user' }, erasedWith: 'nothing' },
  events: { ...userEvents, ...invitationEvents },
};

export type UserEvent = InvitationEvent | EventOf<typeof userEvents>;
