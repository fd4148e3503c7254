// Written by npm run client:typescript from the contract: change that.

export type ChangePassword = { readonly current_password: string; readonly new_password: string };

export type Login = {
  readonly username: string;
  readonly password: string;
  readonly grant_type?: string;
};

export type LoginWithApiKey = { readonly api_key: string };

export type SocialLogin = {
  readonly id_token?: string;
  readonly provider: 'google' | 'github' | 'okta' | 'azure-ad' | 'custom' | 'saml';
  readonly access_token?: string | null;
};
