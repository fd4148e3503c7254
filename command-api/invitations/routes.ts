import {
  acceptInvitation,
  emailComplaints,
  inviteUsers,
  issueInvitation,
} from '../../contract/invitations.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import type { Principal } from '../../contract/roles.js';
import type { UserInvited } from '../../events/invitations.js';
import type { PasswordHasher, InvitationTokens } from '../../kernel/credentials.js';
import { reject } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventReader, Ids, Position } from '../../kernel/ports.js';
import type { GroupId, Instant, UserId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { users, type User, liveUser, userEmails, userStream } from '../facts/users.js';
import { liveGroup } from '../access/group-visibility.js';
import { admitMembers, groups, groupStream } from '../facts/groups.js';
import { invitationExpiry, mintInvitation } from '../access/invitation.js';
import { startLogin, type LoginNeeds } from '../access/login.js';
import type { CredentialRateLimit } from '../access/credential-rate-limit.js';
import { accept, invite, isOpenTo } from './invitations.js';

type InvitationNeeds = LoginNeeds & {
  readonly ids: Ids;
  readonly secrets: { readonly invitationTokens: InvitationTokens };
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly rateLimit: CredentialRateLimit;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleUser'>;
};

export const invitationWrites = (needs: InvitationNeeds): readonly Route[] => [
  inviteUsersRoute(needs),
  issueInvitationRoute(needs),
  acceptInvitationRoute(needs),
];

const inviteUsersRoute = (needs: InvitationNeeds): Route =>
  writeRoute(
    inviteUsers,
    async ({ body, principal, cause, mint }) => {
      const tokens = needs.secrets.invitationTokens;
      const role = body.role ?? 'user';
      if (role === 'admin' && principal.organizationRole !== 'admin') {
        throw new Fault('forbidden', 'Only an admin may invite an admin');
      }
      const groupIds = [...new Set(body.group_ids ?? [])];
      await checkGroups(needs.log, groupIds, principal);
      const method = body.auth_method ?? 'email';
      const people = distinctEmails(body.emails).map((email) => {
        const id = mint('UserId');
        return { id, email, token: method === 'email' ? tokens.mint(id) : null };
      });
      await claimEmails(needs, people, cause);
      const invitation = {
        organization_id: principal.organizationId,
        role,
        auth_method: method,
        invited_by: principal.userId,
        created_at: cause.at,
        expires_at: invitationExpiry(cause.at),
      };
      const invitations = [];
      for (const person of people) {
        invitations.push(await inviteOne(needs, person, invitation, cause));
      }
      const position = await addToGroups(needs, people, groupIds, cause);
      const count = people.length;
      const message = `${count} ${count === 1 ? 'user is' : 'users are'} invited.`;
      return { ...(position !== undefined && { position }), body: { message, invitations } };
    },
    ({ body }) => emailComplaints(body.emails),
  );

const issueInvitationRoute = (needs: InvitationNeeds): Route =>
  writeRoute(issueInvitation, async ({ params: { user_id: id }, principal, cause }) => {
    const visible = await needs.authorizer.visibleUser(principal, id);
    if (visible === null) throw new Fault('not-found', 'User not found');
    const issued = await mintInvitation(needs, id, cause, ({ role }) =>
      role === 'admin' && principal.organizationRole !== 'admin'
        ? reject('forbidden', 'Only an admin may invite an admin')
        : null,
    );
    if (issued === null) throw new Error('A minted token was already issued');
    const { token, expiresAt, position } = issued;
    return { position, body: { invitation_token: token, expires_at: expiresAt } };
  });

const acceptInvitationRoute = (needs: InvitationNeeds): Route =>
  writeRoute(acceptInvitation, async ({ body, sender, cause, mint }) => {
    // The token is checked first: a password is hashed for valid invitations only.
    const { id, organizationId } = await invitedUser(needs, body.token, sender.address, cause.at);
    const acceptance = {
      tokenHash: needs.secrets.invitationTokens.hash(body.token),
      passwordHash: await needs.passwords.hash(body.password),
      firstName: body.first_name ?? null,
      lastName: body.last_name ?? null,
    };
    const decide = accept(acceptance, cause.at);
    const { state: user } = await transact(needs.log, userStream(id), users, decide, {
      ...cause,
      organizationId,
    });
    if (user === null) throw invitationRefused();
    return startLogin(needs, user, 'email', { cause, mint });
  });

/** The user whose invitation the token opens; a failure counts for its address. */
const invitedUser = async (
  { log, secrets: { invitationTokens: tokens }, rateLimit }: InvitationNeeds,
  token: string,
  address: string,
  now: Instant,
): Promise<User> => {
  rateLimit.check(null, address);
  const id = tokens.userOf(token);
  const user = id === null ? null : await liveUser(log, id);
  if (isOpenTo(user, tokens.hash(token), now)) return user;
  rateLimit.recordFailure(null, address);
  throw invitationRefused();
};

const invitationRefused = (): Fault =>
  new Fault('invalid-credentials', 'The invitation cannot be accepted');

type Invitee = { readonly id: UserId; readonly email: string; readonly token: string | null };

/** Reserves all e-mails or none: at the first one in use the others are released. */
const claimEmails = async (
  needs: InvitationNeeds,
  wanted: readonly Invitee[],
  cause: Authorship,
): Promise<void> => {
  const taken: Invitee[] = [];
  for (const one of wanted) {
    if (await userEmails.claim(needs, one.email, one.id, cause)) taken.push(one);
    else {
      for (const { id, email } of taken) await userEmails.release(needs, email, id, cause);
      throw new Fault('already-exists', `The e-mail ${one.email} is in use`);
    }
  }
};

const checkGroups = async (
  log: EventReader,
  wanted: readonly GroupId[],
  principal: Principal,
): Promise<void> => {
  for (const id of wanted) {
    const group = await liveGroup(log, id);
    if (group?.organizationId !== principal.organizationId) {
      throw new Fault('not-found', 'Group not found');
    }
  }
};

/** Invites one user; returns the invitation for the answer. */
const inviteOne = async (
  { log, secrets }: InvitationNeeds,
  { id, email, token }: Invitee,
  invitation: Omit<UserInvited, 'user_id' | 'email' | 'token_hash'>,
  cause: Authorship,
) => {
  const hash = token === null ? null : secrets.invitationTokens.hash(token);
  const decide = invite({ ...invitation, user_id: id, email, token_hash: hash });
  const { state } = await transact(log, userStream(id), users, decide, cause);
  // A retry after a lost answer finds a token that was never shown; empty then.
  const isShown = state?.invitation?.tokenHash === hash;
  return {
    user_id: id,
    email,
    role: invitation.role,
    invitation_token: token === null ? null : isShown ? token : '',
    expires_at: state?.invitation?.expiresAt ?? invitation.expires_at,
  };
};

/** Adds the invited users to the groups; returns the position of the last event. */
const addToGroups = async (
  { log, ids }: InvitationNeeds,
  people: readonly Invitee[],
  into: readonly GroupId[],
  cause: Authorship,
): Promise<Position | undefined> => {
  let position = (await log.read(userStream(people[0]?.id ?? ''))).at(-1)?.position;
  for (const group of into) {
    const newcomers = people.map(({ id: userId }) => ({
      userId,
      role: 'member' as const,
      id: ids.derive('GroupMemberId', group, userId),
    }));
    const decide = admitMembers(group, newcomers);
    ({ position } = await transact(log, groupStream(group), groups, decide, cause));
  }
  return position;
};

/** Distinct e-mails ignoring case, in their first spelling. */
const distinctEmails = (emails: readonly string[]): readonly string[] =>
  [
    ...new Map(emails.toReversed().map((email) => [email.toLowerCase(), email])).values(),
  ].toReversed();
