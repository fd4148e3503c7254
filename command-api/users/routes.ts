import type { Gate } from '../../contract/gate.js';
import { route, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { changeUser, removeUser, userAnswer, type UserFacts } from '../../contract/users.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Recorded } from '../../kernel/ports.js';
import { claim, release } from '../../kernel/reservation.js';
import type { Ids } from '../../kernel/ports.js';
import type { Instant, OrganizationId, UserId } from '../../kernel/shapes.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import type { InTurn } from '../../kernel/turns.js';
import { users, type User, liveUser, userEmails, userStream } from '../facts/users.js';
import { reservationStream } from '../facts/reservations.js';
import { change, remove } from './users.js';

type UserNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly inTurn: InTurn;
  readonly gate: Pick<Gate, 'userInSight'>;
  /** Where to look for admins; the log says who of them is one. */
  readonly adminsOf: (organization: OrganizationId) => Promise<readonly UserId[]>;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
};

export const userWrites = (needs: UserNeeds): readonly Route[] => [
  changing(needs),
  removing(needs),
];

const changing = (needs: UserNeeds): Route =>
  route(changeUser, async ({ body, params, principal, cause }) => {
    const { log } = needs;
    const id = params.user_id;
    const before = present(await liveUser(log, id));
    const permit = ({ role }: User): void => {
      if (body.role != null && body.role !== role && principal.organizationRole !== 'admin') {
        throw forbidden();
      }
    };
    permit(before);
    const changed = async (last: boolean) =>
      transact(log, userStream(id), users, change(id, body, last), cause);
    // The role is looked at again in turn: others may have changed it meanwhile.
    const roleChanged = async () => {
      const now = present(await liveUser(log, id));
      permit(now);
      return changed(await isLastAdmin(needs, now));
    };
    const { state, position } =
      body.role == null ? await changed(true) : await oneAtATime(needs, before, cause, roleChanged);
    return { position, body: await answered(needs, present(state), principal) };
  });

const removing = (needs: UserNeeds): Route =>
  route(removeUser, async ({ params, principal, cause }) => {
    const { log, gate } = needs;
    const id = params.user_id;
    if ((await gate.userInSight(principal, id)) === null) throw missing();
    const user = present(await liveUser(log, id));
    if (user.role === 'admin' && principal.organizationRole !== 'admin') throw forbidden();
    const removed = async (last: boolean) =>
      transact(log, userStream(id), users, remove(id, last), cause);
    const { position } =
      user.role === 'admin'
        ? await oneAtATime(needs, user, cause, async () => removed(await isLastAdmin(needs, user)))
        : await removed(true);
    await userEmails.release(needs, user.email, id, cause);
    return {
      position,
      body: { message: 'The user is removed; their keys, logins and memberships end.' },
    };
  });

const isLastAdmin = async (
  { log, adminsOf }: UserNeeds,
  { id, organizationId }: User,
): Promise<boolean> => {
  for (const other of await adminsOf(organizationId)) {
    const user = other === id ? null : await liveUser(log, other);
    if (user?.role === 'admin' && user.invitation === null) return false;
  }
  return true;
};
/** Two admins who part with their roles at once do so one after the other. */
const oneAtATime = <T>(
  { log, inTurn }: UserNeeds,
  { organizationId }: User,
  cause: Authorship,
  work: () => Promise<T>,
): Promise<T> => {
  const turn = reservationStream('last-admin', organizationId);
  return inTurn([turn], async () => {
    if (!(await claim(log, turn, cause.requestId, async () => 'may come', cause))) {
      throw new Fault('conflict', 'Another admin is being changed; try again');
    }
    try {
      return await work();
    } finally {
      await release(log, turn, cause.requestId, cause);
    }
  });
};
const answered = async ({ log, organizationName }: UserNeeds, user: User, principal: Principal) => {
  const events = (await log.read(userStream(user.id))) as readonly Recorded[];
  const name = await organizationName(user.organizationId);
  return userAnswer(factsOf(user, changedAt(events) ?? user.createdAt), name, principal);
};

const missing = (): Fault => new Fault('not-found', 'User not found');
const forbidden = (): Fault =>
  new Fault('forbidden', 'Only an admin of the organisation may do this');

const present = (user: User | null): User => {
  if (user === null) throw missing();
  return user;
};

/** The last event that changed what is shown of a user. */
const changedAt = (events: readonly Recorded[]): Instant | null =>
  events.findLast(({ type }) => shownTypes.has(type))?.metadata.at ?? null;
const shownTypes: ReadonlySet<string> = new Set([
  'InvitationAccepted',
  'UserDetailsChanged',
  'UserRoleChanged',
  'IdentityLinked',
]);

const factsOf = (user: User, updatedAt: Instant): UserFacts => ({
  id: user.id,
  email: user.email,
  first_name: user.firstName,
  last_name: user.lastName,
  role: user.role,
  auth_method: user.authMethod,
  email_is_verified: user.emailIsVerified,
  organization_id: user.organizationId,
  created_at: user.createdAt,
  updated_at: updatedAt,
});
