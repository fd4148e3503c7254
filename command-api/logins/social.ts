import { loginFailed, socialLogin, tokenComplaints } from '../../contract/logins.js';
import { route, type Route } from '../../contract/operation.js';
import type { Identity, IdentityTokens } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import type { Ids } from '../../kernel/ports.js';
import { claim, reservation, type Standing } from '../../kernel/reservation.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { users, type User } from '../access/folds.js';
import { asUser, startLogin, type LoginNeeds } from '../access/login.js';
import { liveUser, userByEmail } from '../access/people.js';
import { reservationStream, userStream } from '../access/streams.js';
import type { Throttle } from '../access/throttle.js';
import { isLinked, linkIdentity } from './identities.js';

export type SocialLoginNeeds = LoginNeeds & {
  readonly ids: Ids;
  readonly identityTokens: IdentityTokens;
  readonly throttle: Throttle;
};

/** Logins with the id_token of a configured provider (contract 4.2). */
export const socialLoginWrites = (needs: SocialLoginNeeds): readonly Route[] => {
  const { identityTokens, throttle } = needs;
  return [
    route(
      socialLogin,
      async ({ body, sender, cause, mint }) => {
        const { provider, id_token: token } = body;
        const identity =
          token == null ? null : await identityTokens.verify(provider, token, cause.at);
        const user = identity === null ? null : await userOf(identity, provider, needs, cause);
        const isFirst =
          identity !== null && user !== null && (await usedUp(identity, needs, cause));
        if (user === null || !isFirst) {
          // For the address alone: a token names a stranger as easily as its owner.
          throttle.failed(null, sender.address);
          throw new Fault('invalid-credentials', loginFailed);
        }
        return startLogin(needs, user, provider, { cause, mint });
      },
      ({ body }) => tokenComplaints(body),
    ),
  ];
};

/** Whose identity it is; at its first login that of the user with its e-mail. */
const userOf = async (
  identity: Identity,
  provider: string,
  { log, ids }: SocialLoginNeeds,
  cause: Authorship,
): Promise<User | null> => {
  const { issuer, subject, email } = identity;
  const names = reservationStream('identity', ids.derive('Identity', issuer, subject));
  const { holder } = (await load(log, names, reservation)).state;
  const known = holder === null ? null : await liveUser(log, holder);
  if (known !== null && isLinked(known, identity)) return known;
  const user = email === null ? null : await userByEmail(log, ids, email);
  if (user === null) return null;
  const standingOf = async (id: string): Promise<Standing> => {
    const { state } = await load(log, userStream(id), users);
    if (state !== null && !state.live) return 'gone';
    return state !== null && isLinked(state, identity) ? 'has it' : 'may come';
  };
  if (!(await claim(log, names, user.id, standingOf, cause))) return null;
  const linked = await transact(
    log,
    userStream(user.id),
    users,
    linkIdentity(identity, provider, cause.at),
    asUser(cause, user),
  );
  return linked.state;
};

/** Whether nobody has used the token before; from now on somebody has (contract 4.2, rule 2). */
const usedUp = async (
  { once }: Identity,
  { log, ids }: SocialLoginNeeds,
  cause: Authorship,
): Promise<boolean> => {
  const use = ids.next('Use');
  for (const digest of once) {
    const isOurs = await claim(
      log,
      reservationStream('id-token', digest),
      use,
      async () => 'has it',
      cause,
    );
    if (!isOurs) return false;
  }
  return true;
};
