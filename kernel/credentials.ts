import type { ApiKeyId, FamilyId, Instant, OrganizationId, UserId } from './schema-types.js';

/** Password hashing (contract 2.5). */
export interface PasswordHasher {
  /** Argon2id in its own text form, under a pepper that is kept outside the log. */
  hash(password: string): Promise<string>;
  /**
   * True if the hash is the password's. Null, for a user who does not exist or has no password,
   * takes as long. Throws Fault `unavailable` when the queue is full. `network` is the source of
   * the password.
   */
  verify(hash: string | null, password: string, network: string): Promise<boolean>;
  /**
   * True if `verify` succeeded for the same network within the last minute and fewer than 20 other
   * passwords were tried here for this hash and network since; costs nothing.
   */
  wasVerifiedRecently(hash: string | null, password: string, network: string): boolean;
}

/** Claims of an access token (contract 2.2). `session` is `sid`: the session that must be alive. */
export type AccessClaims = {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly session:
    | { readonly familyId: FamilyId; readonly keyId: null }
    | { readonly familyId: null; readonly keyId: ApiKeyId };
};

/**
 * The service's own access tokens; they prove who logged in, never that the session is still valid.
 */
export interface AccessTokens {
  /** Valid for 24 h, but no longer than until `until`. */
  issue(claims: AccessClaims, now: Instant, until: Instant | null): Promise<string>;
  /** Null for a token of another issuer. */
  read(token: string, now: Instant): Promise<AccessClaims | 'expired' | null>;
}

/** Values of refresh tokens (contract 2.3), of which only the hash is stored. */
export type RefreshTokens = {
  readonly first: (family: FamilyId) => string;
  /** Deterministic per token, and not computable without the service's key. */
  readonly successor: (token: string) => string;
  /** HMAC-SHA-256 in hex under a pepper outside the log. */
  readonly hash: (token: string) => string;
  /** Null for a value that this service did not issue. */
  readonly familyOf: (token: string) => FamilyId | null;
};

/** Identity that an identity provider vouches for (contract 4.2). */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider verified it and may vouch for its domain. */
  readonly email: string | null;
  /** Digests that may be used once: of the token, in any spelling, and of its nonce. */
  readonly singleUseDigests: readonly string[];
};

/**
 * The check that failed, for the service's own log and never for the caller; without any secret.
 */
export type TokenRejection = { readonly refused: string };

export interface IdentityTokens {
  /** Rejects a token that is invalid, or whose provider or keys are. */
  verify(provider: string, idToken: string, now: Instant): Promise<Identity | TokenRejection>;
}

/** One-time tokens of invitations: the id of the user and 256 random bits, in base64url. */
export type InvitationTokens = {
  readonly mint: (user: UserId) => string;
  /** HMAC-SHA-256 in hex: useless to a reader of the log. */
  readonly hash: (token: string) => string;
  /** Id of the user that the token names; null for a malformed token. */
  readonly userOf: (token: string) => UserId | null;
};

/** Encryption of texts that only this service can read back, each bound to its place. */
export type TextSealer = {
  readonly seal: (text: string, place: string) => string;
  /**
   * Null for a text that was sealed with another key or for another place, or was changed since.
   */
  readonly open: (sealed: string, place: string) => string | null;
};
