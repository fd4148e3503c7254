import type { Credential } from '../../clients/typescript/src/generated/logins-types.js';
import type { User } from '../../clients/typescript/src/generated/users-types.js';

export type OrganizationRole = User['role'];

/** Organisation roles, the weakest first, with what each may do (contract 2.6). */
const organizationRoles = [
  { value: 'read_only', text: 'read only: sees what is shared with them' },
  { value: 'auditor', text: 'auditor: reads everything and all history' },
  { value: 'user', text: 'user: makes projects, datasets and scorers' },
  { value: 'manager', text: 'manager: also invites and removes users' },
  { value: 'admin', text: 'admin: everything' },
] as const satisfies readonly { readonly value: OrganizationRole; readonly text: string }[];

/** Roles that the caller may give to people: managers invite no admins. */
export const rolesToGive = (caller: OrganizationRole): (typeof organizationRoles)[number][] =>
  organizationRoles.filter(({ value }) => caller === 'admin' || value !== 'admin');

/** First and last name; the e-mail address where neither is known. */
export const personName = (person: {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}): string => `${person.first_name} ${person.last_name}`.trim() || person.email;

/** True, or the reason against it. */
export type Permit = { readonly isAllowed: boolean; readonly reason: string | null };

/** Whether the caller may do an action, and the reason if not. */
export const permissionOf = (
  permissions: readonly {
    readonly action: string;
    readonly allowed: boolean;
    readonly message: string | null;
  }[],
  action: string,
): Permit => {
  const found = permissions.find((one) => one.action === action);
  return { isAllowed: found?.allowed ?? false, reason: found?.message ?? null };
};

/**
 * Whether the credential of this tab may change things outside of projects: keys that are bound or
 * limited to less than editor may not (contract 2.4, rule 6).
 */
export const credentialPermit = ({ project_id, project_role }: Credential): Permit => {
  const isLimited = project_role === 'viewer' || project_role === 'annotator';
  if (project_id === null && !isLimited) return { isAllowed: true, reason: null };
  const limit = project_id === null ? `limited to ${project_role ?? ''}` : 'bound to one project';
  return { isAllowed: false, reason: `You are signed in by a key that is ${limit}` };
};

/** Whether the caller may do what this role of the organisation may. */
export const organizationPermit = (
  caller: { readonly role: OrganizationRole; readonly credential: Credential },
  needed: OrganizationRole,
): Permit => {
  const rankOf = (role: OrganizationRole): number =>
    organizationRoles.findIndex(({ value }) => value === role);
  if (rankOf(caller.role) >= rankOf(needed)) return credentialPermit(caller.credential);
  return { isAllowed: false, reason: `Needs the role ${needed}; yours is ${caller.role}` };
};
