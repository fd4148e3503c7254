import { invitationDays } from '../../contract/invitations.js';
import type { UserEvent } from '../../events/users.js';
import type { InvitationTokens } from '../../kernel/credentials.js';
import { reject, type Decide, type Decision } from '../../kernel/decision.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { Instant, UserId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { users, userStream, type User } from '../facts/users.js';

type IssuerNeeds = {
  readonly log: EventLog;
  readonly secrets: { readonly invitationTokens: InvitationTokens };
};
type IssuedInvitation = {
  /** Shown once: the log has its hash only. */
  readonly token: string;
  readonly expiresAt: Instant;
  readonly position: Position;
};

/**
 * Issues a one-time token to a live user, in place of any before: the user sets a password with it.
 * `except` returns a rejection, or no events where none is to be issued; null: it is issued.
 */
export const issue =
  (
    invitation: {
      readonly user_id: UserId;
      readonly token_hash: string;
      readonly expires_at: Instant;
    },
    except: (user: User) => Decision<UserEvent> | null = () => null,
  ): Decide<User | null, UserEvent> =>
  (user) => {
    if (user === null || !user.live) return reject('not-found', 'User not found');
    const open = user.invitation ?? user.passwordInvitation;
    if (open?.tokenHash === invitation.token_hash) return [];
    return except(user) ?? [{ type: 'InvitationIssued', data: invitation }];
  };

/** Mints the token and issues it; null when `except` returned no events. */
export const mintInvitation = async (
  { log, secrets: { invitationTokens } }: IssuerNeeds,
  user: UserId,
  cause: Authorship,
  except?: Parameters<typeof issue>[1],
): Promise<IssuedInvitation | null> => {
  const token = invitationTokens.mint(user);
  const expiresAt = invitationExpiry(cause.at);
  const issued = { user_id: user, token_hash: invitationTokens.hash(token), expires_at: expiresAt };
  const decide = issue(issued, except);
  const { events, position } = await transact(log, userStream(user), users, decide, cause);
  return events.length === 0 ? null : { token, expiresAt, position };
};

/** End of an invitation that is made now (contract 5.2). */
export const invitationExpiry = (now: Instant): Instant =>
  new Date(Date.parse(now) + invitationDays * 86_400_000)
    .toISOString()
    .replace('Z', '000Z') as Instant;
