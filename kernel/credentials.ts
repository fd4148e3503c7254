import type { ApiKeyId, FamilyId, Instant, OrganizationId, UserId } from './schema-types.js';

/** Passwords of people (contract 2.5). */
export interface PasswordHasher {
  /** Argon2id in its own text form, under a pepper outside the log. */
  hash(password: string): Promise<string>;
  /**
   * Whether the hash is the password's. Null stands for a user who does not exist or has no
   * password, and takes as long. Throws Fault `unavailable` when too many wait for their turn.
   * `network` is where the password came from.
   */
  verify(hash: string | null, password: string, network: string): Promise<boolean>;
  /**
   * Whether `verify` said yes for the same network within the last minute, during which fewer than
   * 20 other passwords were asked about here for this hash and network; costs nothing.
   */
  wasVerifiedRecently(hash: string | null, password: string, network: string): boolean;
}

/** What an access token says (contract 2.2). `session` is `sid`: what has to be alive. */
export type AccessClaims = {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly session:
    | { readonly familyId: FamilyId; readonly keyId: null }
    | { readonly familyId: null; readonly keyId: ApiKeyId };
};

/** The service's own tokens; they say who logged in, never whether that still holds. */
export interface AccessTokens {
  /** Valid for 24 h, but no longer than until `until`. */
  issue(claims: AccessClaims, now: Instant, until: Instant | null): Promise<string>;
  /** Null: not one of ours. */
  read(token: string, now: Instant): Promise<AccessClaims | 'expired' | null>;
}

/** Values of refresh tokens (contract 2.3); what is kept of one is its hash. */
export type RefreshTokens = {
  readonly first: (family: FamilyId) => string;
  /** The same for the same token, and nobody without the service's key can compute it. */
  readonly successor: (token: string) => string;
  /** HMAC-SHA-256 in hex under a pepper outside the log. */
  readonly hash: (token: string) => string;
  /** Null for a value that is not one of ours. */
  readonly familyOf: (token: string) => FamilyId | null;
};

/** What an identity provider vouches for (contract 4.2). */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider verified it and may vouch for its domain. */
  readonly email: string | null;
  /** Digests of what may be used once: the token, however it is written, and its nonce. */
  readonly singleUseDigests: readonly string[];
};

/** Which check failed, for the service's own log and never for the caller; without any secret. */
export type TokenRejection = { readonly refused: string };

export interface IdentityTokens {
  /** Refused for whatever is wrong with the token, its provider, or the provider's keys. */
  verify(provider: string, idToken: string, now: Instant): Promise<Identity | TokenRejection>;
}

/** One-time tokens of invitations: the id of the user and 256 random bits, in base64url. */
export type InvitationTokens = {
  readonly mint: (user: UserId) => string;
  /** HMAC-SHA-256 in hex: of no use to a reader of the log. */
  readonly hash: (token: string) => string;
  /** Whose token it would be; null for a malformed one. */
  readonly userOf: (token: string) => UserId | null;
};

/** Texts that only this service can read again, each bound to the place that it belongs to. */
export type TextSealer = {
  readonly seal: (text: string, place: string) => string;
  /** Null for what was sealed with another key, for another place, or changed since. */
  readonly open: (sealed: string, place: string) => string | null;
};
