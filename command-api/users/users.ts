import type { OrganizationRole } from '../../contract/roles.js';
import type { UserEvent } from '../../events/users.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { UserId } from '../../kernel/schema-types.js';
import type { User } from '../facts/users.js';

type UserChange = {
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly role?: OrganizationRole | null;
};

/**
 * Null or absent: the member stays as it is. `isLastAdmin`: no other admin of the organisation is
 * live.
 */
export const change =
  (user_id: UserId, wanted: UserChange, isLastAdmin: boolean): Decide<User | null, UserEvent> =>
  (user) => {
    if (user === null || !user.live) return reject('not-found', 'User not found');
    const first_name = wanted.first_name ?? user.firstName;
    const last_name = wanted.last_name ?? user.lastName;
    const role = wanted.role ?? user.role;
    if (user.role === 'admin' && role !== 'admin' && isLastAdmin) return lastAdmin();
    const events: UserEvent[] = [];
    if (first_name !== user.firstName || last_name !== user.lastName) {
      events.push({ type: 'UserDetailsChanged', data: { user_id, first_name, last_name } });
    }
    if (role !== user.role) events.push({ type: 'UserRoleChanged', data: { user_id, role } });
    return events;
  };

export const remove =
  (user_id: UserId, isLastAdmin: boolean): Decide<User | null, UserEvent> =>
  (user) => {
    if (user === null || !user.live) return [];
    if (user.role === 'admin' && isLastAdmin) return lastAdmin();
    return [{ type: 'UserRemoved', data: { user_id, organization_id: user.organizationId } }];
  };

const lastAdmin = () => reject('conflict', 'The last admin of an organisation stays its admin');
