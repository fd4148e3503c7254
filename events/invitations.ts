// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, oneOf, secret } from '../kernel/schema-types.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const invitationEvents = {
  /**
   * Stream `user-<user>`, its first event: the user exists and cannot log in yet. The one-time
   * token is not stored: `token_hash` is its HMAC under a pepper outside the log, null when the
   * user logs in by other means than a password (`auth_method`).
   */
  UserInvited: event('account create', {
    user_id: id('UserId'),
    organization_id: id('OrganizationId'),
    email: Type.String(),
    role: oneOf(['read_only', 'auditor', 'user', 'manager', 'admin']),
    auth_method: Type.String(),
    token_hash: nullable(secret()),
    invited_by: id('UserId'),
    created_at: instant,
    expires_at: instant,
  }),
  /**
   * Stream `user-<user>`: another one-time token, in place of any before, for a user who has not
   * accepted yet or has lost the password (contract 5.2). Only the hash of the token is stored.
   */
  InvitationIssued: event('account password reset', {
    user_id: id('UserId'),
    token_hash: secret(),
    expires_at: instant,
  }),
  /**
   * The user can log in from here on: with a password (`PasswordChanged` follows in the same
   * append) or by an identity that was linked. A null name leaves the name as it was.
   */
  InvitationAccepted: event('account enable', {
    user_id: id('UserId'),
    /** Login method from now on: `email`, `google` … (contract 5.1). */
    auth_method: Type.String(),
    first_name: nullable(Type.String()),
    last_name: nullable(Type.String()),
  }),
};

export type InvitationEvent = EventOf<typeof invitationEvents>;

export type UserInvited = DataOf<InvitationEvent, 'UserInvited'>;
