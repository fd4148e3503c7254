import { timingSafeEqual, hash } from 'node:crypto';
import {
  inviteByEmail,
  type InvitationNotice,
  type InviterNeeds,
} from '../command-api/invitations/invitation-by-email.js';
import { Fault } from '../kernel/fault.js';

/** Name of the command on the operators' listener: a way in for a user who lost theirs. */
export const inviteCommand = 'invite';

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
