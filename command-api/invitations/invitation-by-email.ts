import type { InvitationTokens } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { mintInvitation } from '../access/invitation.js';
import { userEmails } from '../facts/users.js';
import { serviceAuthorship } from '../work/service-authorship.js';

export type InviterNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  readonly secrets: { readonly invitationTokens: InvitationTokens };
};
export type InvitationNotice = {
  readonly email: string;
  /** Shown once; it works once. */
  readonly link: string;
  readonly expires_at: Instant;
};

/**
 * Link to the page of the console that accepts an invitation. The token is in the fragment, which
 * browsers send to no server.
 */
export const invitationLink = (apiUrl: string, token: string): string => {
  const reachable = apiUrl.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
  return `${reachable}/console/invitation#token=${token}`;
};

/** Issues an invitation to the user with this e-mail. Throws Fault `malformed` if there is none. */
export const inviteByEmail = async (
  needs: InviterNeeds,
  email: string,
  apiUrl: string,
): Promise<InvitationNotice> => {
  const user = await userEmails.find(needs, email);
  if (user === null) {
    throw new Fault(
      'malformed',
      `No user has the e-mail ${email}. New users are invited with POST /v2/invite_users.`,
    );
  }
  const requestId = needs.ids.next('RequestId');
  const cause = serviceAuthorship(needs, user.organizationId, requestId, requestId);
  const issued = await mintInvitation(needs, user.id, cause);
  if (issued === null) throw new Error('A minted token was already issued');
  const { token, expiresAt } = issued;
  return { email: user.email, link: invitationLink(apiUrl, token), expires_at: expiresAt };
};
