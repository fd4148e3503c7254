// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type {
  AddCollaborators,
  AddGroupCollaborators,
  ChangeCollaborator,
  ChangeGroupCollaborator,
  Collaborator,
  CollaboratorPage,
  GroupCollaborator,
  GroupCollaboratorPage,
} from './collaborators-types.js';
import type { Message } from './projects-types.js';

/** Users and groups that a project is shared with, each with a role. */
export class Collaborators {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Users that a project is shared with. By e-mail; those who have a role through a group are
   * not among them. (contract 5.4)
   */
  list(
    input: {
      readonly project_id?: string;
      readonly starting_token?: number;
      readonly limit?: number;
    } = {},
    options?: CallOptions,
  ): Paged<CollaboratorPage, CollaboratorPage['collaborators'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/users',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'collaborators',
    );
  }
  /**
   * Share a project with users. An existing collaborator gets the new role. (contract 5.4)
   */
  add(
    input: { readonly project_id?: string; readonly body: AddCollaborators },
    options?: CallOptions,
  ): Promise<readonly Collaborator[]> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/users', isKeyed: true, sends: 'whole' },
      input,
      options,
    );
  }
  /**
   * Change the role of a user in a project. The last owner keeps the role (409). (contract
   * 5.4)
   */
  change(
    input: { readonly project_id?: string; readonly user_id: string } & ChangeCollaborator,
    options?: CallOptions,
  ): Promise<Collaborator> {
    return this.#call.answer(
      { method: 'PATCH', path: '/projects/{project_id}/users/{user_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Stop sharing a project with a user, or leave it. Everyone may remove themselves; the last
   * owner stays (409). (contract 5.4)
   */
  remove(
    input: { readonly project_id?: string; readonly user_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/users/{user_id}' },
      input,
      options,
    );
  }
  /** Groups that a project is shared with. By name. (contract 5.4) */
  listGroups(
    input: {
      readonly project_id?: string;
      readonly starting_token?: number;
      readonly limit?: number;
    } = {},
    options?: CallOptions,
  ): Paged<GroupCollaboratorPage, GroupCollaboratorPage['collaborators'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/groups',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'collaborators',
    );
  }
  /**
   * Share a project with groups. Members and maintainers of the group have the role from then
   * on. (contract 5.4)
   */
  addGroups(
    input: { readonly project_id?: string; readonly body: AddGroupCollaborators },
    options?: CallOptions,
  ): Promise<readonly GroupCollaborator[]> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/groups', isKeyed: true, sends: 'whole' },
      input,
      options,
    );
  }
  /**
   * Change the role of a group in a project. The role of everybody in the group changes at
   * once. (contract 5.4)
   */
  changeGroup(
    input: { readonly project_id?: string; readonly group_id: string } & ChangeGroupCollaborator,
    options?: CallOptions,
  ): Promise<GroupCollaborator> {
    return this.#call.answer(
      { method: 'PATCH', path: '/projects/{project_id}/groups/{group_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Stop sharing a project with a group. Members keep roles that they have otherwise.
   * (contract 5.4)
   */
  removeGroup(
    input: { readonly project_id?: string; readonly group_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/groups/{group_id}' },
      input,
      options,
    );
  }
}
