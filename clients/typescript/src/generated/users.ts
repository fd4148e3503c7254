// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput, Paged } from '../call.js';
import type { Message } from './projects-types.js';
import type {
  AcceptInvitation,
  AccessToken,
  ChangeUser,
  InviteUsers,
  InviteUsersResponse,
  IssueInvitationResponse,
  Role,
  SearchUsers,
  User,
  UserPage,
} from './users-types.js';

/** People of the organisation, their roles and their invitations. */
export class Users {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Users of the organisation, filtered, sorted and paged. Newest first unless `sort` says
   * otherwise. (contract 5.2)
   */
  search(
    input: SearchUsers = {},
    options?: CallOptions,
  ): Paged<UserPage, UserPage['users'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/users/all', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'users',
    );
  }
  /**
   * One user of the organisation. Of the caller's organisation; others are not found.
   * (contract 5.2)
   */
  get(input: { readonly user_id: string }, options?: CallOptions): Promise<User> {
    return this.#call.answer(
      { method: 'GET', path: '/users/{user_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Change the name or the role of a user. Only an admin changes `role`, and the last admin
   * keeps it (409). (contract 5.2)
   */
  change(input: { readonly user_id: string } & ChangeUser, options?: CallOptions): Promise<User> {
    return this.#call.answer({ method: 'PUT', path: '/users/{user_id}' }, input, options);
  }
  /**
   * Remove a user; keys, logins and memberships end. What the user logged stays. (contract
   * 5.2)
   */
  remove(input: { readonly user_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'DELETE', path: '/users/{user_id}' }, input, options);
  }
  /** Organisation roles. A fixed list, the strongest first. (contract 5.2) */
  listRoles(input: NoInput = {}, options?: CallOptions): Promise<readonly Role[]> {
    return this.#call.answer({ method: 'GET', path: '/user_roles', isRead: true }, input, options);
  }
  /** Group roles. A fixed list, the strongest first. (contract 5.2) */
  listGroupRoles(input: NoInput = {}, options?: CallOptions): Promise<readonly Role[]> {
    return this.#call.answer({ method: 'GET', path: '/group_roles', isRead: true }, input, options);
  }
  /** Project roles. A fixed list, the strongest first. (contract 5.2) */
  listCollaboratorRoles(input: NoInput = {}, options?: CallOptions): Promise<readonly Role[]> {
    return this.#call.answer(
      { method: 'GET', path: '/collaborator_roles', isRead: true },
      input,
      options,
    );
  }
  /**
   * Invite users; the inviter hands the one-time tokens over. Nothing is mailed: each token
   * is shown once and is good for 7 days. (contract 5.2)
   */
  invite(input: InviteUsers, options?: CallOptions): Promise<InviteUsersResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/invite_users', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Issue another one-time token to a user, such as one who lost the password. It replaces
   * any token before, is good for 7 days and sets a password, which ends the logins of the
   * user. (contract 5.2)
   */
  issueInvitation(
    input: { readonly user_id: string },
    options?: CallOptions,
  ): Promise<IssueInvitationResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/users/{user_id}/invitation', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Accept an invitation with its one-time token, choose a password and log in. A used or
   * unknown token is a 401. (contract 5.2)
   */
  acceptInvitation(input: AcceptInvitation, options?: CallOptions): Promise<AccessToken> {
    return this.#call.answer(
      { method: 'POST', path: '/invitations/accept', schemes: '' },
      input,
      options,
    );
  }
}
