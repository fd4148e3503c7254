import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { organizationRoles, shownPermit, type Permit } from '../parts/permits.js';

export type OrganizationRole = User['role'];

/** Roles of the organisation with what each may do (contract 2.6). */
const roleTexts: Readonly<Record<OrganizationRole, string>> = {
  read_only: 'read only: sees what is shared with them',
  auditor: 'auditor: reads everything and all history',
  user: 'user: makes projects, datasets and scorers',
  manager: 'manager: also invites and removes users',
  admin: 'admin: everything',
};

/** Roles that the caller may give to people: managers invite no admins. */
export const rolesToGive = (caller: OrganizationRole) =>
  organizationRoles
    .filter((role) => caller === 'admin' || role !== 'admin')
    .map((value) => ({ value, text: roleTexts[value] }));

/** First and last name; the e-mail address where neither is known. */
export const personName = (person: {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}): string => `${person.first_name} ${person.last_name}`.trim() || person.email;

/** Whether the caller may remove a user, or give them a new link. */
export const removalPermit = ({ permissions }: Pick<User, 'permissions'>): Permit<'manager'> =>
  shownPermit('manager', permissions, 'delete');

/** Whether the caller may change the role of a user; each role needs the same. */
export const rolePermit = ({ permissions }: Pick<User, 'permissions'>): Permit<'self'> =>
  shownPermit('self', permissions, 'change_role_to_user');
