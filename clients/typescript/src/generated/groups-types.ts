// Written by npm run generate from the contract: change that.
import type { Permission } from './projects-types.js';

export type AddGroupMembers = readonly GroupMemberInput[];

export type ChangeGroup = {
  /** Name of the group, unique in the organisation; null: unchanged. */
  readonly name?: string | null;
  /** Purpose of the group; null: unchanged. */
  readonly description?: string | null;
  /** Visibility of the group; null: unchanged. */
  readonly visibility?: 'public' | 'private' | 'hidden' | 'protected' | null;
};

export type ChangeGroupMember = {
  /** Role in the group; a `pending` member has no rights yet. */
  readonly role: 'pending' | 'member' | 'maintainer';
};

export type CreateGroup = {
  /** Name of the group, unique in the organisation, 1 to 128 characters. */
  readonly name: string;
  /** Purpose of the group; null: none. */
  readonly description?: string | null;
  /** Visibility of the group; null: `public`. */
  readonly visibility?: 'public' | 'private' | 'hidden' | 'protected' | null;
  /** First members beside the creator, 100 at most; null: none. */
  readonly users?: readonly GroupMemberInput[] | null;
};

export type Group = {
  /** Id of the group. */
  readonly id: string;
  /** Name of the group, unique in the organisation, 1 to 128 characters. */
  readonly name: string;
  /** Purpose of the group; null: none. */
  readonly description: string | null;
  /** Visibility of the group; only members see a `hidden` one. */
  readonly visibility: 'public' | 'private' | 'hidden' | 'protected';
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Number of members and maintainers; pending ones are not counted. */
  readonly size: number;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Role of the caller in the group; null: no member. */
  readonly role: 'pending' | 'member' | 'maintainer' | null;
};

export type GroupMember = {
  /** Id of the membership. */
  readonly id: string;
  /** Id of the user. */
  readonly user_id: string;
  /** Role of the user in the group. */
  readonly group_role: 'pending' | 'member' | 'maintainer';
  /** First name of the user; empty when unknown. */
  readonly first_name: string;
  /** Last name of the user; empty when unknown. */
  readonly last_name: string;
  /** E-mail address of the user. */
  readonly email: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
};

export type GroupMemberInput = {
  /** Id of the user. */
  readonly user_id: string;
  /** Role in the group; null: `member`. */
  readonly role?: 'pending' | 'member' | 'maintainer' | null;
};

export type GroupMemberPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Members of the group on this page, by e-mail address. */
  readonly members: readonly GroupMember[];
};

export type GroupPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Groups on this page, by name. */
  readonly groups: readonly Group[];
};

export type OwnGroup = {
  /** Id of the group. */
  readonly id: string;
  /** Name of the group, unique in the organisation, 1 to 128 characters. */
  readonly name: string;
  /** Purpose of the group; null: none. */
  readonly description: string | null;
  /** Visibility of the group; only members see a `hidden` one. */
  readonly visibility: 'public' | 'private' | 'hidden' | 'protected';
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Number of members and maintainers; pending ones are not counted. */
  readonly size: number;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Role of the caller in the group; null: no member. */
  readonly role: 'pending' | 'member' | 'maintainer';
};
