// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput, Paged } from '../call.js';
import type {
  AddGroupMembers,
  ChangeGroup,
  ChangeGroupMember,
  CreateGroup,
  Group,
  GroupMember,
  GroupMemberPage,
  GroupPage,
  OwnGroup,
} from './groups-types.js';
import type { Message } from './projects-types.js';

/** Users who share their project roles. */
export class Groups {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Groups of the caller. Includes groups that the caller is pending in. (contract 4.15)
   */
  listOwn(input: NoInput = {}, options?: CallOptions): Promise<readonly OwnGroup[]> {
    return this.#call.answer(
      { method: 'GET', path: '/current_user/groups', isRead: true },
      input,
      options,
    );
  }
  /**
   * Create a group. The caller becomes its maintainer; names are unique in the organisation.
   * (contract 5.3)
   */
  create(input: CreateGroup, options?: CallOptions): Promise<Group> {
    return this.#call.answer({ method: 'POST', path: '/groups', isKeyed: true }, input, options);
  }
  /**
   * Visible groups of the organisation. By name. Hidden groups are shown to their members,
   * managers and admins. (contract 5.3)
   */
  list(
    input: { readonly starting_token?: number; readonly limit?: number } = {},
    options?: CallOptions,
  ): Paged<GroupPage, GroupPage['groups'][number]> {
    return this.#call.pages(
      { method: 'GET', path: '/groups', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'groups',
    );
  }
  /** One group. A hidden group is 404 for users who are not in it. (contract 5.3) */
  get(input: { readonly group_id: string }, options?: CallOptions): Promise<Group> {
    return this.#call.answer(
      { method: 'GET', path: '/groups/{group_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Rename a group or change its description or visibility. Members that are left out stay as
   * they are. (contract 5.3)
   */
  change(
    input: { readonly group_id: string } & ChangeGroup,
    options?: CallOptions,
  ): Promise<Group> {
    return this.#call.answer(
      { method: 'PATCH', path: '/groups/{group_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Delete a group; its project roles end. Its members lose the project roles that they had
   * through it. (contract 5.3)
   */
  delete(input: { readonly group_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'DELETE', path: '/groups/{group_id}' }, input, options);
  }
  /**
   * Add members to a group, or join it. Maintainers add anyone; others add themselves, and
   * wait if the group is private. (contract 5.3)
   */
  addMembers(
    input: { readonly group_id: string; readonly body: AddGroupMembers },
    options?: CallOptions,
  ): Promise<readonly GroupMember[]> {
    return this.#call.answer(
      { method: 'POST', path: '/groups/{group_id}/members', isKeyed: true, sends: 'whole' },
      input,
      options,
    );
  }
  /**
   * Members of a group. By e-mail. Of private and hidden groups only for their members,
   * managers and admins. (contract 5.3)
   */
  listMembers(
    input: { readonly group_id: string; readonly starting_token?: number; readonly limit?: number },
    options?: CallOptions,
  ): Paged<GroupMemberPage, GroupMemberPage['members'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/groups/{group_id}/members',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'members',
    );
  }
  /**
   * Change the role of a member, or admit a pending one. The last maintainer keeps the role
   * (409). (contract 5.3)
   */
  changeMember(
    input: { readonly group_id: string; readonly user_id: string } & ChangeGroupMember,
    options?: CallOptions,
  ): Promise<GroupMember> {
    return this.#call.answer(
      { method: 'PATCH', path: '/groups/{group_id}/members/{user_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Remove a member from a group, or leave it. The last maintainer stays (409). (contract
   * 5.3)
   */
  removeMember(
    input: { readonly group_id: string; readonly user_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/groups/{group_id}/members/{user_id}' },
      input,
      options,
    );
  }
}
