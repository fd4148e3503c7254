import {
  acceptInvitation,
  emailComplaints,
  invitationDays,
  inviteUsers,
} from '../../contract/invitations.js';
import { route, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import type { Passwords, InvitationTokens } from '../../kernel/credentials.js';
import { Fault } from '../../kernel/fault.js';
import type { Ids } from '../../kernel/ports.js';
import type { GroupId, Instant, UserId } from '../../kernel/shapes.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { users, type User, liveUser, userEmails, userStream } from '../facts/users.js';
import { groupOf } from '../access/group-sight.js';
import { admit, groups, groupStream } from '../facts/groups.js';
import { startLogin, type LoginNeeds } from '../access/login.js';
import type { Throttle } from '../access/throttle.js';
import { accept, invite, isOpenTo } from './invitations.js';

export type InvitationNeeds = LoginNeeds & {
  readonly ids: Ids;
  readonly secrets: { readonly invitationTokens: InvitationTokens };
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly throttle: Throttle;
};

export const invitationWrites = (needs: InvitationNeeds): readonly Route[] => {
  const { log, ids, secrets, passwords, throttle } = needs;
  const { invitationTokens: tokens } = secrets;
  /** The user whose invitation the token opens now; a failure counts for its address. */
  const invitedBy = async (token: string, address: string, now: Instant): Promise<User> => {
    throttle.check(null, address);
    const id = tokens.userOf(token);
    const user = id === null ? null : await liveUser(log, id);
    if (isOpenTo(user, tokens.hash(token), now)) return user;
    throttle.failed(null, address);
    throw new Fault('invalid-credentials', 'The invitation cannot be accepted');
  };

  /** All e-mails or none: the first one that is in use gives back what was taken. */
  const takeAll = async (
    wanted: readonly { readonly id: UserId; readonly email: string }[],
    cause: Authorship,
  ): Promise<void> => {
    const taken: (typeof wanted)[number][] = [];
    for (const one of wanted) {
      if (await userEmails.claim({ log, ids }, one.email, one.id, cause)) taken.push(one);
      else {
        for (const { id, email } of taken) {
          await userEmails.release({ log, ids }, email, id, cause);
        }
        throw new Fault('already-exists', `The e-mail ${one.email} is in use`);
      }
    }
  };
  const knownGroups = async (wanted: readonly GroupId[], principal: Principal): Promise<void> => {
    for (const id of wanted) {
      const group = await groupOf(log, id);
      if (group?.organizationId !== principal.organizationId) {
        throw new Fault('not-found', 'Group not found');
      }
    }
  };

  return [
    route(
      inviteUsers,
      async ({ body, principal, cause, mint }) => {
        const role = body.role ?? 'user';
        if (role === 'admin' && principal.organizationRole !== 'admin') {
          throw new Fault('forbidden', 'Only an admin may invite an admin');
        }
        const groupIds = [...new Set(body.group_ids ?? [])];
        await knownGroups(groupIds, principal);
        const method = body.auth_method ?? 'email';
        const people = onceEach(body.emails).map((email) => {
          const id = mint('UserId');
          return { id, email, token: method === 'email' ? tokens.mint(id) : null };
        });
        await takeAll(people, cause);
        const expires = daysAfter(cause.at, invitationDays);
        const invitations = [];
        for (const { id, email, token } of people) {
          const hash = token === null ? null : tokens.hash(token);
          const { state } = await transact(
            log,
            userStream(id),
            users,
            invite({
              user_id: id,
              organization_id: principal.organizationId,
              email,
              role,
              auth_method: method,
              token_hash: hash,
              invited_by: principal.userId,
              created_at: cause.at,
              expires_at: expires,
            }),
            cause,
          );
          // A repeat of a request whose answer was lost finds a token that nobody ever saw.
          const isShown = state?.invitation?.tokenHash === hash;
          const shown = token === null ? null : isShown ? token : '';
          invitations.push({
            user_id: id,
            email,
            role,
            invitation_token: shown,
            expires_at: state?.invitation?.expiresAt ?? expires,
          });
        }
        let position = (await log.read(userStream(people[0]?.id ?? ''))).at(-1)?.position;
        for (const group of groupIds) {
          const newcomers = people.map(({ id: userId }) => ({
            userId,
            role: 'member' as const,
            id: ids.derive('GroupMemberId', group, userId),
          }));
          const joined = await transact(
            log,
            groupStream(group),
            groups,
            admit(group, newcomers),
            cause,
          );
          position = joined.position;
        }
        const count = people.length;
        return {
          ...(position !== undefined && { position }),
          body: {
            message: `${count} ${count === 1 ? 'user is' : 'users are'} invited.`,
            invitations,
          },
        };
      },
      ({ body }) => emailComplaints(body.emails),
    ),

    route(acceptInvitation, async ({ body, sender, cause, mint }) => {
      // The token first: a password is worth hashing for the invited only.
      const { id } = await invitedBy(body.token, sender.address, cause.at);
      const acceptance = {
        tokenHash: tokens.hash(body.token),
        passwordHash: await passwords.hash(body.password),
        firstName: body.first_name ?? null,
        lastName: body.last_name ?? null,
      };
      const { state: user } = await transact(
        log,
        userStream(id),
        users,
        accept(acceptance, cause.at),
        cause,
      );
      if (user === null)
        throw new Fault('invalid-credentials', 'The invitation cannot be accepted');
      return startLogin(needs, user, 'email', { cause, mint });
    }),
  ];
};

/** Case does not tell two e-mails apart; the first spelling stays. */
const onceEach = (emails: readonly string[]): readonly string[] =>
  [
    ...new Map(emails.toReversed().map((email) => [email.toLowerCase(), email])).values(),
  ].toReversed();

const dayMs = 86_400_000;
const daysAfter = (at: Instant, days: number): Instant =>
  new Date(Date.parse(at) + days * dayMs).toISOString().replace('Z', '000Z') as Instant;
