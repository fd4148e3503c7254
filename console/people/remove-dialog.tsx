import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { useAction } from '../client/queries.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { FaultNotice } from '../parts/notice.js';
import { removalPermit } from './model.js';

/** Removes a user once the e-mail was typed. */
export const RemoveDialog = (props: { readonly user: User; readonly onClose: () => void }) => {
  const { email, id } = props.user;
  const remove = useAction(
    removalPermit(props.user),
    (operations, _input, options) => operations.users.remove({ user_id: id }, options),
    ['users'],
  );
  const confirm = async (): Promise<void> => {
    if (await remove.run()) props.onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove ${email}?`}
      name={email}
      action="Remove"
      isRunning={remove.isRunning}
      onConfirm={() => void confirm()}
      onClose={props.onClose}
    >
      <p>Keys, logins and memberships end within a second. Records that they logged stay.</p>
      <FaultNotice fault={remove.fault} />
    </ConfirmDialog>
  );
};
