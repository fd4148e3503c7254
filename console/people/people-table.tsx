import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { Instant } from '../client/instants.js';
import { useAction } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { CellSelect } from '../parts/cell-select.js';
import { organizationRoles } from '../parts/permits.js';
import { personName, removalPermit, rolePermit, type OrganizationRole } from './model.js';

type TableProps = {
  readonly rows: readonly User[];
  readonly isStale: boolean;
  readonly onRemove: (user: User) => void;
  readonly onLink: (user: User) => void;
};

/** Users with their roles; controls follow the caller's permissions on each. */
export const PeopleTable = (props: TableProps) => (
  <div class="scroll-x" aria-busy={props.isStale}>
    <table class="grid-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">E-mail</th>
          <th scope="col">Role</th>
          <th scope="col">Signs in by</th>
          <th scope="col">Since</th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {props.rows.map((user) => (
          <PersonRow key={user.id} user={user} {...props} />
        ))}
      </tbody>
    </table>
  </div>
);

const PersonRow = ({ user, onRemove, onLink }: TableProps & { readonly user: User }) => {
  const removal = removalPermit(user);
  return (
    <tr>
      <td>{personName(user)}</td>
      <td>{user.email}</td>
      <td>
        <RoleOf user={user} />
      </td>
      <td>{user.auth_method}</td>
      <td>
        <Instant at={user.created_at} />
      </td>
      <td class="number">
        {['email', 'invite'].includes(user.auth_method) && (
          <Button
            look="plain"
            label={`New link for ${user.email}`}
            permit={removal}
            onClick={() => onLink(user)}
          >
            New link
          </Button>
        )}
        <Button
          look="plain"
          label={`Remove ${user.email}`}
          permit={removal}
          onClick={() => onRemove(user)}
        >
          Remove
        </Button>
      </td>
    </tr>
  );
};

const RoleOf = ({ user }: { readonly user: User }) => {
  const change = useAction(
    rolePermit(user),
    (operations, role: OrganizationRole, options) =>
      operations.users.change({ user_id: user.id, role }, options),
    ['users'],
  );
  return (
    <>
      <CellSelect
        label={`Role of ${user.email}`}
        value={user.role}
        choices={organizationRoles}
        permit={change.permit}
        isDisabled={change.isRunning}
        onChange={change.run}
      />
      {change.fault !== null && (
        <span class="bad" role="alert">
          {change.fault.message}
        </span>
      )}
    </>
  );
};
