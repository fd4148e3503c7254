import { useState } from 'preact/hooks';
import { useAction, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { EmptyNotice, FaultNotice } from '../parts/notice.js';
import { personName } from '../people/model.js';
import { projectRoles, type ProjectRole } from './model.js';

const foundMax = 20;

/** Shares the project with a user who is found by e-mail. */
export const AddMember = (props: { readonly projectId: string; readonly onClose: () => void }) => {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<ProjectRole>('editor');
  const people = useQuery({
    key: ['users', 'found', email],
    ask: async (operations, signal) => {
      const filter = { name: 'email', operator: 'contains', value: email } as const;
      const filters = email === '' ? [] : [{ ...filter, case_sensitive: false }];
      return operations.users.search({ filters, limit: foundMax }, { signal });
    },
    keepsPrevious: true,
  });
  const add = useAction<string>(
    (operations, user_id, options) =>
      operations.collaborators.add(
        { project_id: props.projectId, body: [{ user_id, role }] },
        options,
      ),
    ['collaborators', 'projects'],
  );
  const rows = people.value?.users ?? [];
  const choose = async (id: string): Promise<void> => {
    if (await add.run(id)) props.onClose();
  };
  return (
    <Dialog title="Share this project" onClose={props.onClose}>
      <TextField label="Find by e-mail" type="search" value={email} onInput={setEmail} />
      <Select
        label="Role"
        value={role}
        choices={projectRoles.map((value) => ({ value, text: value }))}
        onChange={setRole}
      />
      <FaultNotice fault={people.fault ?? add.fault} />
      {people.value !== undefined && rows.length === 0 && (
        <EmptyNotice title="No user has this in the e-mail">
          <p>Invite them under People first.</p>
        </EmptyNotice>
      )}
      <ul class="choices">
        {rows.map((user) => (
          <li key={user.id}>
            <Button isDisabled={add.isRunning} onClick={() => void choose(user.id)}>
              {personName(user)} · {user.email}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
