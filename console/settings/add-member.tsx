import { useState } from 'preact/hooks';
import { containsFilter } from '../client/contains-filter.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { EmptyNotice, FaultNotice } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import { personPermit, projectRoles, type Permit, type ProjectRole } from '../parts/permits.js';
import { personName } from '../people/model.js';
import { groupsWithText } from './model.js';

const foundMax = 20;
/** Groups that are searched by name; the service lists as many at once. */
const groupsMax = 1_000;

type NewMember = { readonly user_id: string } | { readonly group_id: string };

/** Shares the project with a user who is found by e-mail, or with a group that is found by name. */
export const AddMember = (props: {
  readonly projectId: string;
  readonly permit: Permit<'owner'>;
  readonly onClose: () => void;
}) => {
  const [text, setText] = useState('');
  const [role, setRole] = useState<ProjectRole>('editor');
  const { people, groups, found } = useCandidates(text);
  const add = useAction(
    props.permit,
    (operations, member: NewMember, options) =>
      'user_id' in member
        ? operations.collaborators.add(
            { project_id: props.projectId, body: [{ ...member, role }] },
            options,
          )
        : operations.collaborators.addGroups(
            { project_id: props.projectId, body: [{ ...member, role }] },
            options,
          ),
    ['collaborators', 'projects'],
  );
  const choose = async (member: NewMember): Promise<void> => {
    if (await add.run(member)) props.onClose();
  };
  return (
    <Dialog title="Share this project" onClose={props.onClose}>
      <TextField
        label="Find by e-mail or name of a group"
        type="search"
        value={text}
        onInput={setText}
      />
      <Select
        label="Role"
        value={role}
        choices={projectRoles.map((value) => ({ value, text: value }))}
        onChange={setRole}
      />
      <FaultNotice fault={people.fault ?? groups.fault ?? add.fault} />
      {people.value !== undefined && groups.value !== undefined && found.length === 0 && (
        <EmptyNotice title="No user has this in the e-mail, and no group in its name">
          <p>Invite users under People first.</p>
        </EmptyNotice>
      )}
      <ul class="choices">
        {found.map(({ member, label }) => (
          <li key={label}>
            <Button isDisabled={add.isRunning} onClick={() => void choose(member)}>
              {label}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};

/** Users and groups that have the text, users first. */
const useCandidates = (text: string) => {
  const permit = personPermit(useCaller().value, 'person');
  const people = useQuery({
    key: ['users', 'found', text],
    permit,
    ask: async (operations, signal) => {
      const filters = containsFilter('email', text);
      return operations.users.search({ filters, limit: foundMax }, { signal });
    },
    keepsPrevious: true,
  });
  const groups = useQuery({
    key: ['groups', 'all'],
    permit,
    ask: (operations, signal) => operations.groups.list({ limit: groupsMax }, { signal }),
    freshMs: 60_000,
  });
  const users = (people.value?.users ?? []).map((user) => ({
    member: { user_id: user.id },
    label: `${personName(user)} · ${user.email}`,
  }));
  const named = groupsWithText(groups.value?.groups ?? [], text)
    .slice(0, foundMax)
    .map(({ id, name, size }) => ({
      member: { group_id: id },
      label: `${name} · group of ${printCount(size)}`,
    }));
  return { people, groups, found: [...users, ...named] };
};
