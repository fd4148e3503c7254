// Written by npm run client:typescript from the contract: change that.

export type ChangePassword = {
  /** Present password; a wrong one counts as a failed login. */
  readonly current_password: string;
  /** Next password, 12 to 128 characters. */
  readonly new_password: string;
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
