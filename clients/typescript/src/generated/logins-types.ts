// Written by npm run generate from the contract: change that.
import type { Permission } from './projects-types.js';

export type ChangePassword = {
  /** Present password; a wrong one counts as a failed login. */
  readonly current_password: string;
  /** Next password, 12 to 128 characters. */
  readonly new_password: string;
};

export type Credential = {
  /** Key or token made from one, token of a login, or password (HTTP Basic). */
  readonly type: 'api_key' | 'login' | 'password';
  /** Id of the key, or of the login; null for a password. */
  readonly id: string | null;
  /** Project that the key is bound to; null: none, or not a key. */
  readonly project_id: string | null;
  /** Highest project role that the key acts with; null: no limit, or not a key. */
  readonly project_role: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type CurrentUser = {
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
  /** Credential that the request was sent with. */
  readonly credential: Credential;
};

export type Login = {
  /** E-mail address of the user. */
  readonly username: string;
  /** Password of the user. */
  readonly password: string;
  /** Kind of OAuth 2.0 grant: `password`. */
  readonly grant_type?: string;
};

export type LoginWithApiKey = {
  /** API key, 53 characters that begin with `asy_` when the service made it. */
  readonly api_key: string;
};

export type SocialLogin = {
  /** Token of the identity provider; required unless `access_token` is given. */
  readonly id_token?: string;
  /** Identity provider that issued the token. */
  readonly provider: 'google' | 'github' | 'okta' | 'azure-ad' | 'custom' | 'saml';
  /** Access token of the provider; proves nothing without `id_token`. */
  readonly access_token?: string | null;
};
