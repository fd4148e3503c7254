// Written by npm run client:typescript from the contract: change that.
import type { Permission } from './projects-types.js';

export type AcceptInvitation = {
  readonly token: string;
  readonly password: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
};

export type AccessToken = { readonly access_token: string; readonly token_type: 'bearer' };

export type ChangeUser = {
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly role?: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin' | null;
};

export type Invitation = {
  readonly user_id: string;
  readonly email: string;
  readonly role: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin';
  readonly invitation_token: string | null;
  readonly expires_at: string;
};

export type InviteUsers = {
  readonly emails: readonly string[];
  readonly role?: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin' | null;
  readonly group_ids?: readonly string[] | null;
  readonly auth_method?:
    'email' | 'google' | 'github' | 'okta' | 'azure-ad' | 'custom' | 'saml' | 'invite' | null;
};

export type InviteUsersResponse = {
  readonly message: string;
  readonly invitations: readonly Invitation[];
};

export type Role = {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
};

export type SearchUsers = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
  readonly filters?: readonly UserFilter[] | null;
  readonly sort?: UserSort | null;
};

export type User = {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: 'read_only' | 'auditor' | 'user' | 'manager' | 'admin';
  readonly auth_method: string;
  readonly email_is_verified: boolean;
  readonly organization_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly organization_name: string;
  readonly permissions: readonly Permission[];
  readonly generic_permissions: readonly Permission[];
};

export type UserFilter =
  | UserTextFilter
  | {
      readonly name: 'role';
      readonly operator: 'eq' | 'ne' | 'one_of';
      readonly value: string | readonly string[];
    };

export type UserPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly users: readonly User[];
};

export type UserSort = {
  readonly name: 'email' | 'first_name' | 'last_name' | 'role' | 'created_at';
  readonly ascending?: boolean;
  readonly sort_type?: 'column' | null;
};

export type UserTextFilter = {
  readonly name: 'email' | 'first_name' | 'last_name';
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  readonly value?: string | readonly string[] | boolean;
  readonly case_sensitive?: boolean;
};
