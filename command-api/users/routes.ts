import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { changeUser, removeUser, userAnswer, type UserFacts } from '../../contract/users.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, StoredEvent } from '../../kernel/ports.js';
import { claimName, releaseName } from '../../kernel/name-reservation.js';
import type { Ids } from '../../kernel/ports.js';
import type { Instant, OrganizationId, UserId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import type { KeyedMutex } from '../../kernel/concurrency.js';
import { users, type User, liveUser, userEmails, userStream } from '../facts/users.js';
import { reservationStream } from '../facts/reservations.js';
import { change, remove } from './users.js';

type UserNeeds = {
  readonly log: EventLog;
  readonly ids: Ids;
  readonly keyedMutex: KeyedMutex;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleUser'>;
  /** Candidate admins from a read model; the log decides who is one. */
  readonly adminsOf: (organization: OrganizationId) => Promise<readonly UserId[]>;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
};

export const userWrites = (needs: UserNeeds): readonly Route[] => [
  changeUserRoute(needs),
  removeUserRoute(needs),
];

const changeUserRoute = (needs: UserNeeds): Route =>
  writeRoute(changeUser, async ({ body, params, principal, cause }) => {
    const { log } = needs;
    const id = params.user_id;
    const before = requireUser(await liveUser(log, id));
    const permit = ({ role }: User): void => {
      if (body.role != null && body.role !== role && principal.organizationRole !== 'admin') {
        throw forbidden();
      }
    };
    permit(before);
    const changed = async (last: boolean) =>
      transact(log, userStream(id), users, change(id, body, last), cause);
    // The role is checked again under the mutex: a concurrent request may have changed it.
    const roleChanged = async () => {
      const now = requireUser(await liveUser(log, id));
      permit(now);
      return changed(await isLastAdmin(needs, now));
    };
    const { state, position } =
      body.role == null
        ? await changed(true)
        : await serializeAdminChanges(needs, before, cause, roleChanged);
    return { position, body: await userAnswerOf(needs, requireUser(state), principal) };
  });

const removeUserRoute = (needs: UserNeeds): Route =>
  writeRoute(removeUser, async ({ params, principal, cause }) => {
    const { log, authorizer } = needs;
    const id = params.user_id;
    if ((await authorizer.visibleUser(principal, id)) === null) throw userNotFound();
    const user = requireUser(await liveUser(log, id));
    if (user.role === 'admin' && principal.organizationRole !== 'admin') throw forbidden();
    const removed = async (last: boolean) =>
      transact(log, userStream(id), users, remove(id, last), cause);
    const { position } =
      user.role === 'admin'
        ? await serializeAdminChanges(needs, user, cause, async () =>
            removed(await isLastAdmin(needs, user)),
          )
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
/**
 * Mutex for changes of admins: two who give up their role concurrently do so one after the other.
 */
const serializeAdminChanges = <T>(
  { log, keyedMutex }: UserNeeds,
  { organizationId }: User,
  cause: Authorship,
  work: () => Promise<T>,
): Promise<T> => {
  const mutex = reservationStream('last-admin', organizationId);
  return keyedMutex([mutex], async () => {
    if (!(await claimName(log, mutex, cause.requestId, async () => 'pending', cause))) {
      throw new Fault('conflict', 'Another admin is being changed; try again');
    }
    try {
      return await work();
    } finally {
      await releaseName(log, mutex, cause.requestId, cause);
    }
  });
};
const userAnswerOf = async (
  { log, organizationName }: UserNeeds,
  user: User,
  principal: Principal,
) => {
  const events = (await log.read(userStream(user.id))) as readonly StoredEvent[];
  const name = await organizationName(user.organizationId);
  return userAnswer(factsOf(user, changedAt(events) ?? user.createdAt), name, principal);
};

const userNotFound = (): Fault => new Fault('not-found', 'User not found');
const forbidden = (): Fault =>
  new Fault('forbidden', 'Only an admin of the organisation may do this');

const requireUser = (user: User | null): User => {
  if (user === null) throw userNotFound();
  return user;
};

/** Time of the last event that changed a shown member. */
const changedAt = (events: readonly StoredEvent[]): Instant | null =>
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
