import { useState } from 'preact/hooks';
import type { Invitation } from '../../clients/typescript/src/generated/users-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction } from '../client/queries.js';
import { secretOf } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { Select, TextArea } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { SecretOnce } from '../parts/secret-once.js';
import { organizationPermit, type Caller } from '../parts/permits.js';
import { rolesToGive, type OrganizationRole } from './model.js';

/** Invites people. Nothing is mailed: the links are shown once, to be handed over. */
export const InviteDialog = (props: { readonly caller: Caller; readonly onClose: () => void }) => {
  const { clipboard, navigation } = useSurroundings();
  const [emails, setEmails] = useState('');
  const [role, setRole] = useState<OrganizationRole>('user');
  const [invitations, setInvitations] = useState<readonly Invitation[] | null>(null);
  const invite = useAction(
    organizationPermit(props.caller, 'manager'),
    async (operations, _input, options) => {
      const wanted = emails.split(/[\s,;]+/).filter((email) => email !== '');
      const answer = await operations.users.invite({ emails: wanted, role }, options);
      // Null where people sign in by another way, and need no link.
      for (const { invitation_token: token } of answer.invitations) {
        secretOf(token ?? 'none', 'Make a new link for each of them under People.');
      }
      setInvitations(answer.invitations);
    },
    ['users'],
  );
  if (invitations !== null) {
    return (
      <Dialog title="Hand these links over" onClose={props.onClose}>
        <p>Each works once, for seven days.</p>
        {invitations.map(({ email, invitation_token }) => (
          <SecretOnce
            key={email}
            label={email}
            secret={navigation.linkTo('/invitation', `token=${invitation_token ?? ''}`)}
            clipboard={clipboard}
          />
        ))}
      </Dialog>
    );
  }
  const complaint = fieldFault(invite.fault, 'emails');
  return (
    <Dialog title="Invite people" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void invite.run();
        }}
      >
        <TextArea
          label="E-mail addresses"
          hint="One on each line"
          value={emails}
          onInput={setEmails}
          complaint={complaint}
        />
        <Select
          label="Role"
          value={role}
          choices={rolesToGive(props.caller.role)}
          onChange={setRole}
        />
        {complaint === null && <FaultNotice fault={invite.fault} />}
        <Button type="submit" look="primary" isDisabled={invite.isRunning}>
          Make the links
        </Button>
      </form>
    </Dialog>
  );
};
