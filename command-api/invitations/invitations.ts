import type { UserInvited } from '../../events/invitations.js';
import type { UserEvent } from '../../events/users.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { User } from '../facts/users.js';

export const invite =
  (invitation: UserInvited): Decide<User | null, UserEvent> =>
  (user) =>
    user === null ? [{ type: 'UserInvited', data: invitation }] : [];

type Acceptance = {
  readonly tokenHash: string;
  readonly passwordHash: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
};

/** True if the token is valid for the user: neither used, replaced nor expired. */
export const isOpenTo = (user: User | null, tokenHash: string, now: Instant): user is User => {
  if (user === null || !user.live) return false;
  const open = user.invitation ?? user.passwordInvitation;
  return open?.tokenHash === tokenHash && open.expiresAt > now;
};

/**
 * Accepts an invitation: the user can log in from here on, earlier logins end, and the token is
 * used up (contract 5.2).
 */
export const accept =
  (acceptance: Acceptance, now: Instant): Decide<User | null, UserEvent> =>
  (user) => {
    const { tokenHash, passwordHash, firstName: first_name, lastName: last_name } = acceptance;
    if (user?.live === true && user.passwordHash === passwordHash) return [];
    if (!isOpenTo(user, tokenHash, now)) {
      return reject('invalid-credentials', 'The invitation cannot be accepted');
    }
    const user_id = user.id;
    return [
      {
        type: 'InvitationAccepted',
        data: { user_id, auth_method: 'email', first_name, last_name },
      },
      {
        type: 'PasswordChanged',
        data: { user_id, password_hash: passwordHash, kept_family_id: null },
      },
    ];
  };
