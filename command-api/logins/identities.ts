import type { UserEvent } from '../../events/users.js';
import { loginFailed } from '../../contract/logins.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Identity } from '../../kernel/credentials.js';
import { uniqueName } from '../../kernel/name-reservation.js';
import type { Instant } from '../../kernel/schema-types.js';
import { reservationStream, type IdDeriver } from '../facts/reservations.js';
import { users, userStream, type User } from '../facts/users.js';

const isLinked = (user: User, { issuer, subject }: Identity): boolean =>
  user.identities.some((one) => one.issuer === issuer && one.subject === subject);

/** Identities of providers, each linked to one user. */
export const linkedIdentities = uniqueName({
  stream: ({ ids }: IdDeriver, { issuer, subject }: Identity) =>
    reservationStream('identity', ids.derive('Identity', issuer, subject)),
  holder: userStream,
  fold: users,
  isLive: ({ live }) => live,
  has: isLinked,
});

/**
 * Links the identity to the user and accepts a pending invitation (contract 4.2, rule 3). Only for
 * an identity whose provider vouched for the user's e-mail.
 */
export const linkIdentity =
  (identity: Identity, provider: string, now: Instant): Decide<User | null, UserEvent> =>
  (user) => {
    if (user === null || !user.live || isInvitationExpired(user, now)) {
      return reject('invalid-credentials', loginFailed);
    }
    if (isLinked(user, identity)) return [];
    const { issuer, subject } = identity;
    const accepted: UserEvent = {
      type: 'InvitationAccepted',
      data: { user_id: user.id, auth_method: provider, first_name: null, last_name: null },
    };
    return [
      ...(user.invitation === null ? [] : [accepted]),
      { type: 'IdentityLinked', data: { user_id: user.id, provider, issuer, subject } },
    ];
  };

/** True if the user's invitation expired before it was accepted. */
export const isInvitationExpired = ({ invitation }: User, now: Instant): boolean =>
  invitation !== null && invitation.expiresAt <= now;
