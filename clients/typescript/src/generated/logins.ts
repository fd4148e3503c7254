// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput } from '../call.js';
import type {
  ChangePassword,
  CurrentUser,
  Login,
  LoginWithApiKey,
  SocialLogin,
} from './logins-types.js';
import type { Message } from './projects-types.js';
import type { AccessToken } from './users-types.js';

/** Access tokens for people: by password, provider, key or refresh cookie. */
export class Logins {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Log in with the id_token of an identity provider. Each `id_token` works once. Every
   * failure is the same 401; users are never created by a login alone. (contract 4.2)
   */
  withProvider(input: SocialLogin, options?: CallOptions): Promise<AccessToken> {
    return this.#call.answer(
      { method: 'POST', path: '/login/social', schemes: '' },
      input,
      options,
    );
  }
  /**
   * Renew the access token with the refresh cookie. Answers a new access token and the
   * successor of the cookie. Using an old cookie again ends the login. (contract 4.3)
   */
  refreshToken(input: NoInput = {}, options?: CallOptions): Promise<AccessToken> {
    return this.#call.answer(
      { method: 'POST', path: '/refresh_token', schemes: 'C' },
      input,
      options,
    );
  }
  /**
   * Log in with an e-mail and a password. Every failure is the same 401. The refresh cookie
   * comes beside the token. (contract 5.1)
   */
  withPassword(input: Login, options?: CallOptions): Promise<AccessToken> {
    return this.#call.answer(
      { method: 'POST', path: '/login', schemes: '', sends: 'urlencoded' },
      input,
      options,
    );
  }
  /**
   * Exchange an API key for an access token with its rights. The token has the rights of the
   * key and comes without a cookie. (contract 5.1)
   */
  withApiKey(input: LoginWithApiKey, options?: CallOptions): Promise<AccessToken> {
    return this.#call.answer(
      { method: 'POST', path: '/login/api_key', schemes: '' },
      input,
      options,
    );
  }
  /**
   * End the login of the refresh cookie or of the bearer token. Access tokens of that login
   * end as well. A token of an API key is left as it is. (contract 5.1)
   */
  logout(input: NoInput = {}, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'POST', path: '/logout', schemes: 'CB' }, input, options);
  }
  /**
   * The caller; for a key, its creator. With an API key: the user who created the key.
   * `credential` says what the caller sent. (contract 5.1)
   */
  currentUser(input: NoInput = {}, options?: CallOptions): Promise<CurrentUser> {
    return this.#call.answer(
      { method: 'GET', path: '/current_user', isRead: true },
      input,
      options,
    );
  }
  /**
   * Change one’s own password; other logins end. For logins by password or HTTP Basic only; a
   * wrong current password is a validation error. (contract 5.1)
   */
  changePassword(input: ChangePassword, options?: CallOptions): Promise<Message> {
    return this.#call.answer(
      { method: 'PUT', path: '/current_user/password', schemes: 'BP' },
      input,
      options,
    );
  }
}
