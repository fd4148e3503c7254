import { timingSafeEqual, hash } from 'node:crypto';
import { mintInvitation } from '../command-api/access/invitation.js';
import { userEmails } from '../command-api/facts/users.js';
import { serviceAuthorship } from '../command-api/work/service-authorship.js';
import type { InvitationTokens } from '../kernel/credentials.js';
import { Fault } from '../kernel/fault.js';
import type { Clock, EventLog, Ids } from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';

/** Name of the command on the operators' listener: a way in for a user who lost theirs. */
export const inviteCommand = 'invite';

type InviterNeeds = {
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

/**
 * The command of a running service. It takes more than other commands, which the listener accepts
 * from every account of this machine: an invitation gives access to the data. So the request has
 * the token that the service wrote into its data folder, unless the service has an operators'
 * token, which the listener has checked. Throws Fault `forbidden`.
 */
export const openInviter =
  (
    needs: InviterNeeds,
    {
      opsToken,
      folderToken,
      url,
    }: { readonly opsToken: string | null; readonly folderToken: string; readonly url: string },
  ) =>
  async (email: string, sentToken: unknown): Promise<InvitationNotice> => {
    if (opsToken === null && !isEqual(sentToken, folderToken)) throw folderNeeded();
    return inviteByEmail(needs, email, url);
  };

const folderNeeded = (): Fault =>
  new Fault(
    'forbidden',
    'An invitation needs access to the data folder of the service (ASSAY_DATA_DIR), or ' +
      'ASSAY_OPS_TOKEN for the service and the command',
  );

const isEqual = (sent: unknown, wanted: string): boolean =>
  typeof sent === 'string' &&
  timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', wanted, 'buffer'));
