import { loginFailed, socialLogin, tokenComplaints } from '../../contract/logins.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Identity, IdentityTokens, TokenRejection } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import type { Ids } from '../../kernel/ports.js';
import { claimName } from '../../kernel/name-reservation.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { users, type User, userEmails, userStream } from '../facts/users.js';
import { authorshipOfUser, startLogin, type LoginNeeds } from '../access/login.js';
import { reservationStream } from '../facts/reservations.js';
import type { CredentialRateLimit } from '../access/credential-rate-limit.js';
import { isInvitationExpired, linkedIdentities, linkIdentity } from './identities.js';

type SocialLoginNeeds = LoginNeeds & {
  readonly ids: Ids;
  readonly identityTokens: IdentityTokens;
  readonly rateLimit: CredentialRateLimit;
};

/** Write route for logins with the id_token of a configured provider (contract 4.2). */
export const socialLoginWrites = (needs: SocialLoginNeeds): readonly Route[] => {
  const { identityTokens, rateLimit } = needs;
  const enter = async (
    provider: string,
    token: string | null,
    cause: Authorship,
  ): Promise<User | TokenRejection> => {
    if (token === null) return { refused: 'the id_token is missing' };
    const identity = await identityTokens.verify(provider, token, cause.at);
    if ('refused' in identity) return identity;
    const user = await findOrLinkUser(identity, provider, needs, cause);
    if ('refused' in user) return user;
    const isFirst = await claimIdToken(identity, needs, cause);
    return isFirst ? user : { refused: 'the token or its nonce was used before' };
  };
  return [
    writeRoute(
      socialLogin,
      async ({ body, sender, cause, mint }) => {
        const { provider, id_token: token } = body;
        const user = await enter(provider, token ?? null, cause);
        if ('refused' in user) {
          // Counted for the address alone: a token names a stranger as easily as its owner.
          rateLimit.recordFailure(null, sender.address);
          throw new Fault('invalid-credentials', loginFailed, {
            cause: `login with ${provider}: ${user.refused}`,
          });
        }
        return startLogin(needs, user, provider, { cause, mint });
      },
      ({ body }) => tokenComplaints(body),
    ),
  ];
};

/** The user of the identity; at its first login the user with its e-mail, who is then linked. */
const findOrLinkUser = async (
  identity: Identity,
  provider: string,
  { log, ids }: SocialLoginNeeds,
  cause: Authorship,
): Promise<User | TokenRejection> => {
  const { email } = identity;
  const known = await linkedIdentities.find({ log, ids }, identity);
  if (known !== null) return known;
  if (email === null) {
    return {
      refused: 'the identity is not linked, and has no verified e-mail of an allowed domain',
    };
  }
  const user = await userEmails.find({ log, ids }, email);
  if (user === null) return { refused: 'the e-mail belongs to no user or invitation' };
  if (isInvitationExpired(user, cause.at)) return { refused: 'the invitation has expired' };
  if (!(await linkedIdentities.claim({ log, ids }, identity, user.id, cause))) {
    return { refused: 'the identity belongs to another user' };
  }
  const decide = linkIdentity(identity, provider, cause.at);
  const linked = await transact(
    log,
    userStream(user.id),
    users,
    decide,
    authorshipOfUser(cause, user),
  );
  return linked.state ?? { refused: 'the user was removed' };
};

/**
 * Single use: claims the token and its nonce; false if either was used before (contract 4.2, rule
 * 2).
 */
const claimIdToken = async (
  { singleUseDigests }: Identity,
  { log, ids }: SocialLoginNeeds,
  cause: Authorship,
): Promise<boolean> => {
  const use = ids.next('Use');
  for (const digest of singleUseDigests) {
    const isOurs = await claimName(
      log,
      reservationStream('id-token', digest),
      use,
      async () => 'held',
      cause,
    );
    if (!isOurs) return false;
  }
  return true;
};
