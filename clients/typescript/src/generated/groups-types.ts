// Written by npm run client:typescript from the contract: change that.
import type { Permission } from './projects-types.js';

export type AddGroupMembers = readonly GroupMemberInput[];

export type ChangeGroup = {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly visibility?: 'public' | 'private' | 'hidden' | 'protected' | null;
};

export type ChangeGroupMember = { readonly role: 'pending' | 'member' | 'maintainer' };

export type CreateGroup = {
  readonly name: string;
  readonly description?: string | null;
  readonly visibility?: 'public' | 'private' | 'hidden' | 'protected' | null;
  readonly users?: readonly GroupMemberInput[] | null;
};

export type Group = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly visibility: 'public' | 'private' | 'hidden' | 'protected';
  readonly created_at: string;
  readonly size: number;
  readonly permissions: readonly Permission[];
  readonly role: 'pending' | 'member' | 'maintainer' | null;
};

export type GroupMember = {
  readonly id: string;
  readonly user_id: string;
  readonly group_role: 'pending' | 'member' | 'maintainer';
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly created_at: string;
  readonly permissions: readonly Permission[];
};

export type GroupMemberInput = {
  readonly user_id: string;
  readonly role?: 'pending' | 'member' | 'maintainer' | null;
};

export type GroupMemberPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly members: readonly GroupMember[];
};

export type GroupPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly groups: readonly Group[];
};

export type OwnGroup = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly visibility: 'public' | 'private' | 'hidden' | 'protected';
  readonly created_at: string;
  readonly size: number;
  readonly permissions: readonly Permission[];
  readonly role: 'pending' | 'member' | 'maintainer';
};
