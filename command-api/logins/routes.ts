import type { Gate } from '../../contract/gate.js';
import {
  changePassword as changePasswordOperation,
  login,
  loginFailed,
  loginWithApiKey,
  logout,
  refreshToken,
} from '../../contract/logins.js';
import { route, type RefreshCookie, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import type { AccessTokens, Passwords } from '../../kernel/credentials.js';
import { Fault, valueError } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { FamilyId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import {
  end,
  families,
  isAlive,
  rotate,
  type Family,
  familyStream,
} from '../facts/refresh-families.js';
import { users, type User, liveUser, userStream } from '../facts/users.js';
import { asUser, loggedIn, startLogin, type LoginNeeds } from '../access/login.js';
import { changePassword } from './passwords.js';

type LoginWriteNeeds = LoginNeeds & {
  readonly gate: Pick<Gate, 'authenticate'>;
  readonly tokens: AccessTokens;
  readonly passwords: Passwords;
};

/** Logins and what becomes of them (contract 4.3, 5.1); social ones are beside it. */
export const loginWrites = (needs: LoginWriteNeeds): readonly Route[] => [
  entering(needs),
  enteringWithKey(needs),
  route(refreshToken, ({ sender, cause }) => refreshed(needs, sender.refreshToken ?? '', cause)),
  leaving(needs),
  changingPassword(needs),
];

const entering = (needs: LoginWriteNeeds): Route =>
  route(login, async ({ body, sender, cause, mint }) => {
    const credential = { scheme: 'P', email: body.username, password: body.password } as const;
    const { userId } = await needs.gate
      .authenticate(credential, sender.address)
      .catch(loginRefused);
    return startLogin(needs, await present(needs, userId), 'email', { cause, mint });
  });

const enteringWithKey = ({ gate, log, tokens }: LoginWriteNeeds): Route =>
  route(loginWithApiKey, async ({ body, sender, cause }) => {
    const credential = { scheme: 'K', key: body.api_key } as const;
    const { key, userId, organizationId } = await gate
      .authenticate(credential, sender.address)
      .catch(loginRefused);
    if (key === null) throw refused();
    const session = { familyId: null, keyId: key.id };
    const claims = { userId, organizationId, session };
    const token = await tokens.issue(claims, cause.at, key.expiresAt);
    // Nothing happened: the head of the log is at or after what was looked at.
    const position = await log.head();
    return { body: { access_token: token, token_type: 'bearer' as const }, position };
  });

const leaving = (needs: LoginWriteNeeds): Route =>
  route(logout, async ({ sender, cause }) => {
    const byCookie = await familyOf(needs, sender.refreshToken);
    const families = [byCookie, sender.bearer?.login?.familyId ?? null];
    if (byCookie === null && sender.bearer === null) throw refused();
    let position: Position = await needs.log.head();
    for (const id of new Set(families)) {
      if (id !== null) position = await ended(needs, id, cause);
    }
    return {
      body: { message: 'You are logged out.' },
      cookie: noCookie,
      position,
    };
  });

const changingPassword = (needs: LoginWriteNeeds): Route =>
  route(changePasswordOperation, async ({ body, principal, sender, cause }) => {
    if (!hasPasswordLogin(principal)) {
      throw new Fault('forbidden', 'Only a login with the password may change it');
    }
    const { email } = await present(needs, principal.userId);
    const credential = { scheme: 'P', email, password: body.current_password } as const;
    await needs.gate.authenticate(credential, sender.address).catch(wrongPassword);
    const decide = changePassword(
      await needs.passwords.hash(body.new_password),
      principal.login?.familyId ?? null,
    );
    const stream = userStream(principal.userId);
    const { position } = await transact(needs.log, stream, users, decide, cause);
    return { body: { message: 'The password is changed; other logins have ended.' }, position };
  });

const noCookie: RefreshCookie = { value: '', maxAgeSeconds: 0 };

const refused = (): Fault => new Fault('invalid-credentials', 'The credential is not valid');

/** One sentence for whatever was wrong (contract 5.1). */
const loginRefused = (error: unknown): never => {
  throw error instanceof Fault && error.code === 'invalid-credentials'
    ? new Fault('invalid-credentials', loginFailed)
    : error;
};

const wrongPassword = (error: unknown): never => {
  throw error instanceof Fault && error.code === 'invalid-credentials'
    ? valueError(['body', 'current_password'], 'this is not the current password')
    : error;
};

const hasPasswordLogin = ({ key, login }: Principal): boolean =>
  key === null && login?.authMethod === 'email';

const present = async ({ log }: LoginNeeds, id: string): Promise<User> => {
  const user = await liveUser(log, id);
  if (user === null) throw refused();
  return user;
};

/** The next tokens of a family for one of its tokens (contract 4.3). */
const refreshed = async (needs: LoginNeeds, presented: string, cause: Authorship) => {
  const { log, tokens, secrets } = needs;
  const { refreshTokens } = secrets;
  const id = refreshTokens.familyOf(presented);
  if (id === null) throw refused();
  const { state: before } = await load(log, familyStream(id), families);
  const user = before === null ? null : await liveUser(log, before.userId);
  // The family of a user who is gone is not carried on.
  if (before === null || user === null || !isAlive(before, user, cause.at)) throw refused();
  const value = refreshTokens.successor(presented);
  const successor = refreshTokens.hash(value);
  const decide = rotate({ presented: refreshTokens.hash(presented), successor }, cause.at);
  const stream = familyStream(id);
  const { state: family, position } = await transact(
    log,
    stream,
    families,
    decide,
    asUser(cause, user),
  );
  if (family === null || !isAlive(family, user, cause.at) || family.current !== successor) {
    throw refused();
  }
  return loggedIn({ tokens, family, value, position, now: cause.at });
};

/** The living family that a refresh token belongs to, also when it has a successor by now. */
const familyOf = async (
  { log, secrets: { refreshTokens } }: LoginNeeds,
  token: string | null,
): Promise<FamilyId | null> => {
  const id = token === null ? null : refreshTokens.familyOf(token);
  if (token === null || id === null) return null;
  const { state: family } = await load(log, familyStream(id), families);
  return family !== null && !family.revoked && isOf(family, refreshTokens.hash(token)) ? id : null;
};
const isOf = ({ current, used }: Family, hash: string): boolean =>
  current === hash || used.includes(hash);

const ended = async ({ log }: LoginNeeds, id: FamilyId, cause: Authorship): Promise<Position> => {
  const { state: family } = await load(log, familyStream(id), families);
  const user = family === null ? null : await liveUser(log, family.userId);
  const authorship = user === null ? cause : asUser(cause, user);
  return (await transact(log, familyStream(id), families, end, authorship)).position;
};
