import { useState } from 'preact/hooks';
import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { organizationPermit, personPermit } from '../parts/permits.js';
import { InviteDialog } from './invite-dialog.js';
import { NewLinkDialog } from './new-link-dialog.js';
import { PeopleTable } from './people-table.js';
import { RemoveDialog } from './remove-dialog.js';

const rowsMax = 200;

/** Users of the organisation, found by e-mail: their roles, invitations and removal. */
export const Page = () => {
  const [email, setEmail] = useState('');
  const [isInviting, setIsInviting] = useState(false);
  const [removed, setRemoved] = useState<User | null>(null);
  const [linked, setLinked] = useState<User | null>(null);
  const caller = useCaller();
  const people = useQuery({
    key: ['users', 'list', email],
    permit: personPermit(caller.value, 'person'),
    ask: async (operations, signal) => {
      const filters = containsFilter('email', email);
      const sort = { name: 'email', ascending: true } as const;
      return operations.users.search({ filters, sort, limit: rowsMax }, { signal });
    },
    keepsPrevious: true,
  });
  const invite = organizationPermit(caller.value, 'manager');
  const rows = people.value?.users ?? [];
  return (
    <>
      <PageHeading title="People">
        <Button look="primary" permit={invite} onClick={() => setIsInviting(true)}>
          Invite
        </Button>
        <span class="note">{invite.reason}</span>
      </PageHeading>
      <TextField label="Find by e-mail" type="search" value={email} onInput={setEmail} />
      <FaultNotice fault={people.fault} onRetry={people.refetch} />
      <BehindNotice isBehind={people.isBehind} />
      {people.isLoading && <Skeleton />}
      {people.value !== undefined && rows.length === 0 && (
        <EmptyNotice title="No user has this in the e-mail" />
      )}
      {rows.length > 0 && (
        <PeopleTable
          rows={rows}
          isStale={people.isPrevious}
          onRemove={setRemoved}
          onLink={setLinked}
        />
      )}
      {people.value?.paginated === true && (
        <p class="note">The first {rows.length} by e-mail. Find others by their e-mail.</p>
      )}
      {isInviting && caller.value !== undefined && (
        <InviteDialog caller={caller.value} onClose={() => setIsInviting(false)} />
      )}
      {removed !== null && <RemoveDialog user={removed} onClose={() => setRemoved(null)} />}
      {linked !== null && <NewLinkDialog user={linked} onClose={() => setLinked(null)} />}
    </>
  );
};
