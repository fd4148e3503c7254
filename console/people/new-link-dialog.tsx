import { useState } from 'preact/hooks';
import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction } from '../client/queries.js';
import { secretOf } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { FaultNotice } from '../parts/notice.js';
import { SecretOnce } from '../parts/secret-once.js';
import { removalPermit } from './model.js';

/** Another invitation link for a user, such as one who lost the password. */
export const NewLinkDialog = (props: { readonly user: User; readonly onClose: () => void }) => {
  const { clipboard, navigation } = useSurroundings();
  const { user } = props;
  const { email } = user;
  const [token, setToken] = useState<string | null>(null);
  const issue = useAction(removalPermit(user), async (operations, _input, options) => {
    const answer = await operations.users.issueInvitation({ user_id: user.id }, options);
    setToken(secretOf(answer.invitation_token, 'Make another, which takes its place.'));
  });
  return (
    <Dialog title={`New link for ${email}`} onClose={props.onClose}>
      <p>
        The link sets a new password and ends the logins of {email}. It works once, for seven days,
        in place of any link before. Nothing is mailed: hand it over.
      </p>
      <FaultNotice fault={issue.fault} />
      {token === null ? (
        <Button look="primary" isDisabled={issue.isRunning} onClick={() => void issue.run()}>
          Make the link
        </Button>
      ) : (
        <SecretOnce
          label={email}
          secret={navigation.linkTo('/invitation', `token=${token}`)}
          clipboard={clipboard}
        />
      )}
    </Dialog>
  );
};
