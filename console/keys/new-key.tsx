import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useAction } from '../client/queries.js';
import { secretOf } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { Select, TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { SecretOnce } from '../parts/secret-once.js';
import { expiryOf, keyLifetimes, keyRoles, type KeyLifetime, type KeyRole } from './model.js';

/** Makes a key and shows it once; `projectId`: bound to that project. */
export const NewKey = (props: {
  readonly projectId: string | null;
  readonly permit: Permit<'api-key'>;
  readonly onClose: () => void;
}) => {
  const { clipboard, service } = useSurroundings();
  const [description, setDescription] = useState('');
  const [role, setRole] = useState<KeyRole>('editor');
  const [lifetime, setLifetime] = useState<KeyLifetime>('never');
  const [secret, setSecret] = useState<string | null>(null);
  const create = useAction(
    props.permit,
    async (operations, _input, options) => {
      const key = await operations.apiKeys.create(
        {
          description,
          project_role: role === 'own' ? null : role,
          project_id: props.projectId,
          expires_at: expiryOf(lifetime, service.now()),
        },
        options,
      );
      setSecret(secretOf(key.api_key, 'Revoke that key and make another.'));
    },
    ['api-keys'],
  );
  if (secret !== null) {
    return (
      <Dialog title="The new key" onClose={props.onClose}>
        <SecretOnce label="API key" secret={secret} clipboard={clipboard} />
      </Dialog>
    );
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void create.run();
  };
  return (
    <Dialog title="New key" onClose={props.onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField
          label="Purpose"
          value={description}
          onInput={setDescription}
          complaint={fieldFault(create.fault, 'description')}
          placeholder="nightly import"
        />
        <Select label="Role" value={role} choices={keyRoles} onChange={setRole} />
        <Select label="Ends" value={lifetime} choices={keyLifetimes} onChange={setLifetime} />
        <FaultNotice fault={create.fault} />
        <Button type="submit" look="primary" isDisabled={create.isRunning}>
          Make the key
        </Button>
      </form>
    </Dialog>
  );
};
