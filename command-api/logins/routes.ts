import type { RequestAuthorizer } from '../../contract/request-ports.js';
import {
  changePassword as changePasswordOperation,
  login,
  loginFailed,
  loginWithApiKey,
  logout,
  refreshToken,
} from '../../contract/logins.js';
import { writeRoute, type RefreshCookie, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import type { AccessTokens, PasswordHasher } from '../../kernel/credentials.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { FamilyId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import {
  endFamily,
  refreshTokenFamilies,
  isAlive,
  rotateRefreshToken,
  type RefreshTokenFamily,
  refreshFamilyStream,
} from '../facts/refresh-families.js';
import { users, type User, liveUser, userStream } from '../facts/users.js';
import { authorshipOfUser, loginAnswer, startLogin, type LoginNeeds } from '../access/login.js';
import { changePassword } from './passwords.js';

type LoginWriteNeeds = LoginNeeds & {
  readonly authorizer: Pick<RequestAuthorizer, 'authenticate'>;
  readonly tokens: AccessTokens;
  readonly passwords: PasswordHasher;
};

/** Write routes of logins (contract 4.3, 5.1); social logins are in social.ts. */
export const loginWrites = (needs: LoginWriteNeeds): readonly Route[] => [
  loginRoute(needs),
  apiKeyLoginRoute(needs),
  writeRoute(refreshToken, ({ sender, cause }) =>
    renewLogin(needs, sender.refreshToken ?? '', cause),
  ),
  logoutRoute(needs),
  changePasswordRoute(needs),
];

const loginRoute = (needs: LoginWriteNeeds): Route =>
  writeRoute(login, async ({ body, sender, cause, mint }) => {
    const credential = { scheme: 'P', email: body.username, password: body.password } as const;
    const { userId } = await needs.authorizer
      .authenticate(credential, sender.address)
      .catch(throwLoginFailed);
    return startLogin(needs, await requireUser(needs, userId), 'email', { cause, mint });
  });

const apiKeyLoginRoute = ({ authorizer, log, tokens }: LoginWriteNeeds): Route =>
  writeRoute(loginWithApiKey, async ({ body, sender, cause }) => {
    const credential = { scheme: 'K', key: body.api_key } as const;
    const { key, userId, organizationId } = await authorizer
      .authenticate(credential, sender.address)
      .catch(throwLoginFailed);
    if (key === null) throw invalidCredential();
    const session = { familyId: null, keyId: key.id };
    const claims = { userId, organizationId, session };
    const token = await tokens.issue(claims, cause.at, key.expiresAt);
    // No event was written: the head of the log is at or after all that was read.
    const position = await log.head();
    return { body: { access_token: token, token_type: 'bearer' as const }, position };
  });

const logoutRoute = (needs: LoginWriteNeeds): Route =>
  writeRoute(logout, async ({ sender, cause }) => {
    const byCookie = await findFamily(needs, sender.refreshToken);
    const families = [byCookie, sender.bearer?.login?.familyId ?? null];
    if (byCookie === null && sender.bearer === null) throw invalidCredential();
    let position: Position = await needs.log.head();
    for (const id of new Set(families)) {
      if (id !== null) position = await endLogin(needs, id, cause);
    }
    return {
      body: { message: 'You are logged out.' },
      cookie: noCookie,
      position,
    };
  });

const changePasswordRoute = (needs: LoginWriteNeeds): Route =>
  writeRoute(changePasswordOperation, async ({ body, principal, sender, cause }) => {
    if (!hasPasswordLogin(principal)) {
      throw new Fault('forbidden', 'Only a login with the password may change it');
    }
    const { email } = await requireUser(needs, principal.userId);
    const credential = { scheme: 'P', email, password: body.current_password } as const;
    await needs.authorizer.authenticate(credential, sender.address).catch(throwWrongPassword);
    const decide = changePassword(
      await needs.passwords.hash(body.new_password),
      principal.login?.familyId ?? null,
    );
    const stream = userStream(principal.userId);
    const { position } = await transact(needs.log, stream, users, decide, cause);
    return { body: { message: 'The password is changed; other logins have ended.' }, position };
  });

const noCookie: RefreshCookie = { value: '', maxAgeSeconds: 0 };

const invalidCredential = (): Fault =>
  new Fault('invalid-credentials', 'The credential is not valid');

/** The same message for every reason of a failed login (contract 5.1). */
const throwLoginFailed = (error: unknown): never => {
  throw error instanceof Fault && error.code === 'invalid-credentials'
    ? new Fault('invalid-credentials', loginFailed)
    : error;
};

const throwWrongPassword = (error: unknown): never => {
  throw error instanceof Fault && error.code === 'invalid-credentials'
    ? valueFault(['body', 'current_password'], 'this is not the current password')
    : error;
};

const hasPasswordLogin = ({ key, login }: Principal): boolean =>
  key === null && login?.authMethod === 'email';

const requireUser = async ({ log }: LoginNeeds, id: string): Promise<User> => {
  const user = await liveUser(log, id);
  if (user === null) throw invalidCredential();
  return user;
};

/** Refreshes a login: the next tokens of the family for one of its tokens (contract 4.3). */
const renewLogin = async (needs: LoginNeeds, presented: string, cause: Authorship) => {
  const { log, tokens, secrets } = needs;
  const { refreshTokens } = secrets;
  const id = refreshTokens.familyOf(presented);
  if (id === null) throw invalidCredential();
  const { state: before } = await loadStreamState(
    log,
    refreshFamilyStream(id),
    refreshTokenFamilies,
  );
  const user = before === null ? null : await liveUser(log, before.userId);
  // The login of a removed user is not renewed.
  if (before === null || user === null || !isAlive(before, user, cause.at))
    throw invalidCredential();
  const value = refreshTokens.successor(presented);
  const successor = refreshTokens.hash(value);
  const decide = rotateRefreshToken(
    { presented: refreshTokens.hash(presented), successor },
    cause.at,
  );
  const stream = refreshFamilyStream(id);
  const { state: family, position } = await transact(
    log,
    stream,
    refreshTokenFamilies,
    decide,
    authorshipOfUser(cause, user),
  );
  if (family === null || !isAlive(family, user, cause.at) || family.current !== successor) {
    throw invalidCredential();
  }
  return loginAnswer({ tokens, family, value, position, now: cause.at });
};

/** The live family that a refresh token belongs to, even if the token has a successor. */
const findFamily = async (
  { log, secrets: { refreshTokens } }: LoginNeeds,
  token: string | null,
): Promise<FamilyId | null> => {
  const id = token === null ? null : refreshTokens.familyOf(token);
  if (token === null || id === null) return null;
  const { state: family } = await loadStreamState(
    log,
    refreshFamilyStream(id),
    refreshTokenFamilies,
  );
  return family !== null && !family.revoked && isTokenOf(family, refreshTokens.hash(token))
    ? id
    : null;
};
const isTokenOf = ({ current, used }: RefreshTokenFamily, hash: string): boolean =>
  current === hash || used.includes(hash);

const endLogin = async (
  { log }: LoginNeeds,
  id: FamilyId,
  cause: Authorship,
): Promise<Position> => {
  const { state: family } = await loadStreamState(
    log,
    refreshFamilyStream(id),
    refreshTokenFamilies,
  );
  const user = family === null ? null : await liveUser(log, family.userId);
  const authorship = user === null ? cause : authorshipOfUser(cause, user);
  return (await transact(log, refreshFamilyStream(id), refreshTokenFamilies, endFamily, authorship))
    .position;
};
