// Written by npm run generate from the contract: change that.
import type { Permission } from './projects-types.js';

export type AddCollaborators = readonly CollaboratorInput[];

export type AddGroupCollaborators = readonly GroupCollaboratorInput[];

export type ChangeCollaborator = {
  /** Role in the project. */
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
};

export type ChangeGroupCollaborator = {
  /** Role in the project. */
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
};

export type Collaborator = {
  /** Id of the membership. */
  readonly id: string;
  /** Role in the project. */
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Id of the user. */
  readonly user_id: string;
  /** E-mail address of the user. */
  readonly email: string;
  /** First name of the user; empty when unknown. */
  readonly first_name: string;
  /** Last name of the user; empty when unknown. */
  readonly last_name: string;
};

export type CollaboratorInput = {
  /** Id of the user. */
  readonly user_id: string;
  /** Role in the project; null: `viewer`. */
  readonly role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type CollaboratorPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Collaborators of the project on this page. */
  readonly collaborators: readonly Collaborator[];
};

export type GroupCollaborator = {
  /** Id of the membership. */
  readonly id: string;
  /** Role in the project. */
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Id of the group. */
  readonly group_id: string;
  /** Name of the group. */
  readonly group_name: string;
  /** Risk of sharing with a group that everybody may join; null without such a risk. */
  readonly warning: string | null;
};

export type GroupCollaboratorInput = {
  /** Id of the group. */
  readonly group_id: string;
  /** Role in the project; null: `viewer`. */
  readonly role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type GroupCollaboratorPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Collaborators of the project on this page. */
  readonly collaborators: readonly GroupCollaborator[];
};
