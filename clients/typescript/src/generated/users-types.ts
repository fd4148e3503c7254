// Written by npm run generate from the contract: change that.
import type { Permission } from './projects-types.js';

export type AcceptInvitation = {
  /** One-time token of the invitation. */
  readonly token: string;
  /** Password of the user from now on, 12 to 128 characters. */
  readonly password: string;
  /** First name of the user; null: unchanged. */
  readonly first_name?: string | null;
  /** Last name of the user; null: unchanged. */
  readonly last_name?: string | null;
};

export type AccessToken = {
  /** Bearer token (JWT), valid for 24 hours at most. */
  readonly access_token: string;
  /** Scheme of the token: `bearer`. */
  readonly token_type: 'bearer';
};

export type ChangeUser = {
  /** First name of the user; null: unchanged. */
  readonly first_name?: string | null;
  /** Last name of the user; null: unchanged. */
  readonly last_name?: string | null;
  /** Organisation role, changed by `admin` only; null: unchanged. */
  readonly role?: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin' | null;
};

export type Invitation = {
  /** Id of the user that the invitation makes. */
  readonly user_id: string;
  /** E-mail address that was invited. */
  readonly email: string;
  /** Organisation role of the user. */
  readonly role: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin';
  /** One-time token; null for other login methods, empty on a replay. */
  readonly invitation_token: string | null;
  /** Time until which the invitation can be accepted: 7 days after it. */
  readonly expires_at: string;
};

export type InviteUsers = {
  /** E-mail addresses to invite, 1 to 100; one in use is 409. */
  readonly emails: readonly string[];
  /** Organisation role of the invited; null: `user`. */
  readonly role?: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin' | null;
  /** Groups that the invited become members of, 100 at most; null: none. */
  readonly group_ids?: readonly string[] | null;
  /** Way in which the invited log in; null: `email`. */
  readonly auth_method?:
    'email' | 'google' | 'github' | 'okta' | 'azure-ad' | 'custom' | 'saml' | 'invite' | null;
};

export type InviteUsersResponse = {
  /** One sentence about what was done. */
  readonly message: string;
  /** Invitations in the order of `emails`. */
  readonly invitations: readonly Invitation[];
};

export type IssueInvitationResponse = {
  /** One-time token, in this answer only; empty on a replay. */
  readonly invitation_token: string;
  /** Time until which the token works: 7 days after this answer. */
  readonly expires_at: string;
};

export type Role = {
  /** Role as requests and answers spell it. */
  readonly name: string;
  /** Display name of the role. */
  readonly display_name: string;
  /** Sentence about the rights of the role. */
  readonly description: string;
};

export type SearchUsers = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly UserFilter[] | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: UserSort | null;
};

export type User = {
  /** Id of the user. */
  readonly id: string;
  /** E-mail address of the user. */
  readonly email: string;
  /** First name of the user; empty when unknown. */
  readonly first_name: string;
  /** Last name of the user; empty when unknown. */
  readonly last_name: string;
  /** Organisation role of the user. */
  readonly role: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin';
  /** Way in which the user logs in, for example `email` or `okta`. */
  readonly auth_method: string;
  /** True when the e-mail address is known to belong to the user. */
  readonly email_is_verified: boolean;
  /** Id of the organisation. */
  readonly organization_id: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Name of the organisation of the user. */
  readonly organization_name: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Always empty. */
  readonly generic_permissions: readonly Permission[];
};

export type UserFilter =
  | UserTextFilter
  | {
      /** Column that the condition is about: the organisation role. */
      readonly name: 'role';
      /** Comparison of the column with `value`. */
      readonly operator: 'eq' | 'ne' | 'one_of';
      /** Organisation role; list for `one_of`. */
      readonly value: string | readonly string[];
    };

export type UserPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Users on this page. */
  readonly users: readonly User[];
};

export type UserSort = {
  /** Column that the rows are sorted by; ties by `created_at`, then `id`. */
  readonly name: 'email' | 'first_name' | 'last_name' | 'role' | 'created_at';
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. */
  readonly sort_type?: 'column' | null;
};

export type UserTextFilter = {
  /** Column that the condition is about. */
  readonly name: 'email' | 'first_name' | 'last_name';
  /** Comparison of the column with `value`. */
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  /** Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`. */
  readonly value?: string | readonly string[] | boolean;
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};
