import { useState } from 'preact/hooks';
import type { CurrentUser } from '../../clients/typescript/src/generated/logins-types.js';
import { useSurroundings } from '../client/context.js';
import { useAction, useCaller } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { fieldFault } from '../parts/faults.js';
import { Select, TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import { ownPermit } from '../parts/permits.js';

/** The caller: name, password, and how pages look in this browser. */
export const Page = () => {
  const user = useCaller();
  return (
    <>
      <PageHeading title="Account" />
      <FaultNotice fault={user.fault} onRetry={user.refetch} />
      {user.isLoading && <Skeleton />}
      {user.value !== undefined && (
        <div class="cards">
          <Profile key={user.value.updated_at} user={user.value} />
          {user.value.auth_method === 'email' && <Password user={user.value} />}
          <Looks />
        </div>
      )}
    </>
  );
};

const Profile = ({ user }: { readonly user: CurrentUser }) => {
  const [firstName, setFirstName] = useState(user.first_name);
  const [lastName, setLastName] = useState(user.last_name);
  const change = useAction(
    ownPermit(user, 'self'),
    (operations, _input, options) =>
      operations.users.change(
        { user_id: user.id, first_name: firstName, last_name: lastName },
        options,
      ),
    ['users'],
  );
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        void change.run();
      }}
    >
      <h2>{user.email}</h2>
      <p class="muted">
        {user.role} of {user.organization_name}
      </p>
      <TextField label="First name" value={firstName} onInput={setFirstName} />
      <TextField label="Last name" value={lastName} onInput={setLastName} />
      <FaultNotice fault={change.fault} />
      <Button type="submit" permit={change.permit} isDisabled={change.isRunning}>
        Save
      </Button>
      <span class="note">{change.permit.reason}</span>
    </form>
  );
};

const Password = ({ user }: { readonly user: CurrentUser }) => {
  const { service } = useSurroundings();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isDone, setIsDone] = useState(false);
  const change = useAction(ownPermit(user, 'person'), async (operations, _input, options) => {
    const input = { current_password: current, new_password: next };
    await operations.logins.changePassword(input, options);
    setCurrent('');
    setNext('');
    setIsDone(true);
  });
  const complaint = fieldFault(change.fault, 'new_password');
  const currentComplaint = fieldFault(change.fault, 'current_password');
  if (service.session.state.value === 'key') return null;
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        setIsDone(false);
        void change.run();
      }}
    >
      <h2>Password</h2>
      <TextField
        label="Current password"
        type="password"
        autocomplete="current-password"
        value={current}
        onInput={setCurrent}
        complaint={currentComplaint}
        isRequired
      />
      <TextField
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="12 to 128 characters. Your other logins end."
        value={next}
        onInput={setNext}
        complaint={complaint}
        isRequired
      />
      {complaint === null && currentComplaint === null && <FaultNotice fault={change.fault} />}
      <Button type="submit" permit={change.permit} isDisabled={change.isRunning}>
        Change the password
      </Button>
      <p role="status">{isDone && 'The password is changed.'}</p>
    </form>
  );
};

const Looks = () => {
  const { appearance } = useSurroundings();
  const { theme, density, zone } = appearance;
  const zones = appearance.zones();
  return (
    <div class="card stack">
      <h2>This browser</h2>
      <Select
        label="Theme"
        value={theme.value}
        choices={[
          { value: 'system', text: 'as the system' },
          { value: 'light', text: 'light' },
          { value: 'dark', text: 'dark' },
        ]}
        onChange={(value) => {
          theme.value = value;
        }}
      />
      <Select
        label="Rows"
        value={density.value}
        choices={[
          { value: 'usual', text: 'dense' },
          { value: 'roomy', text: 'roomy' },
        ]}
        onChange={(value) => {
          density.value = value;
        }}
      />
      <Select
        label="Time zone"
        value={zone.value}
        choices={zones.map((value) => ({ value, text: value }))}
        onChange={(value) => {
          zone.value = value;
        }}
      />
    </div>
  );
};
