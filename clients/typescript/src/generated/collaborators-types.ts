// Written by npm run client:typescript from the contract: change that.
import type { Permission } from './projects-types.js';

export type AddCollaborators = readonly CollaboratorInput[];

export type AddGroupCollaborators = readonly GroupCollaboratorInput[];

export type ChangeCollaborator = { readonly role: 'viewer' | 'annotator' | 'editor' | 'owner' };

export type ChangeGroupCollaborator = {
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
};

export type Collaborator = {
  readonly id: string;
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
  readonly created_at: string;
  readonly permissions: readonly Permission[];
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
};

export type CollaboratorInput = {
  readonly user_id: string;
  readonly role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type CollaboratorPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly collaborators: readonly Collaborator[];
};

export type GroupCollaborator = {
  readonly id: string;
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
  readonly created_at: string;
  readonly permissions: readonly Permission[];
  readonly group_id: string;
  readonly group_name: string;
};

export type GroupCollaboratorInput = {
  readonly group_id: string;
  readonly role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type GroupCollaboratorPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly collaborators: readonly GroupCollaborator[];
};
