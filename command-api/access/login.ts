import type { TokenAnswer } from '../../contract/logins.js';
import type { Answer, RefreshCookie, Request } from '../../contract/operation.js';
import type { AccessTokens, RefreshTokens } from '../../kernel/credentials.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import {
  beginFamily,
  refreshTokenFamilies,
  familyMaxSeconds,
  idleSeconds,
  secondsBetween,
  type RefreshTokenFamily,
  refreshFamilyStream,
} from '../facts/refresh-families.js';
import type { User } from '../facts/users.js';

export type LoginNeeds = {
  readonly log: EventLog;
  readonly tokens: Pick<AccessTokens, 'issue'>;
  readonly secrets: { readonly refreshTokens: RefreshTokens };
};

/**
 * Starts a refresh token family for a user authenticated by `authMethod`; the answer has its first
 * tokens (contract 2.3).
 */
export const startLogin = async (
  { log, tokens, secrets: { refreshTokens } }: LoginNeeds,
  user: User,
  authMethod: string,
  { cause, mint }: Pick<Request<unknown, unknown, unknown>, 'cause' | 'mint'>,
): Promise<Answer<TokenAnswer>> => {
  const id = mint('FamilyId');
  const value = refreshTokens.first(id);
  const { state: family, position } = await transact(
    log,
    refreshFamilyStream(id),
    refreshTokenFamilies,
    beginFamily({
      family_id: id,
      user_id: user.id,
      organization_id: user.organizationId,
      auth_method: authMethod,
      password_changes: user.passwordChanges,
      token_hash: refreshTokens.hash(value),
      started_at: cause.at,
      expires_at: addSeconds(cause.at, familyMaxSeconds),
    }),
    authorshipOfUser(cause, user),
  );
  if (family === null) throw new Error('The recorded login is missing from its stream');
  return loginAnswer({ tokens, family, value, position, now: cause.at });
};

/** The answer to a login or its renewal, with the refresh cookie. */
export const loginAnswer = async ({
  tokens,
  family,
  value,
  position,
  now,
}: {
  readonly tokens: Pick<AccessTokens, 'issue'>;
  readonly family: RefreshTokenFamily;
  readonly value: string;
  readonly position: Position;
  readonly now: Instant;
}): Promise<Answer<TokenAnswer>> => {
  const { userId, organizationId } = family;
  const session = { familyId: family.id, keyId: null };
  const access = await tokens.issue({ userId, organizationId, session }, now, family.expiresAt);
  return {
    body: { access_token: access, token_type: 'bearer' },
    cookie: cookieOf(value, family, now),
    position,
  };
};

/** The cookie never outlives the family (contract 2.3, rule 3). */
const cookieOf = (
  value: string,
  { expiresAt }: RefreshTokenFamily,
  now: Instant,
): RefreshCookie => ({
  value,
  maxAgeSeconds: Math.max(0, Math.floor(Math.min(idleSeconds, secondsBetween(now, expiresAt)))),
});

/** Authorship for a request without credential whose user has just been authenticated. */
export const authorshipOfUser = (
  cause: Authorship,
  { id, role, organizationId }: User,
): Authorship => ({
  ...cause,
  actor: { type: 'user', id, role },
  organizationId,
});

const addSeconds = (at: Instant, seconds: number): Instant =>
  new Date(Date.parse(at) + seconds * 1_000).toISOString().replace('Z', '000Z') as Instant;
