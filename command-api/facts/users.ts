import type { UserBlock } from '../../contract/people.js';
import type { OrganizationRole } from '../../contract/roles.js';
import type { UserEvent } from '../../events/users.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import { type EventReader, type StreamName, streamNameOf } from '../../kernel/ports.js';
import { uniqueName } from '../../kernel/name-reservation.js';
import type { FamilyId, Instant, OrganizationId, UserId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { reservationStream, type IdDeriver } from './reservations.js';

export const userStream = (id: string): StreamName => streamNameOf('user', id);

/** State of a user; null before creation or invitation. */
export type User = {
  readonly id: UserId;
  readonly organizationId: OrganizationId;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: OrganizationRole;
  readonly authMethod: string;
  readonly emailIsVerified: boolean;
  readonly createdAt: Instant;
  /** Argon2id under a pepper; null: the user has no password. */
  readonly passwordHash: string | null;
  readonly passwordChanges: number;
  /** The one login that survived the last password change. */
  readonly keptFamily: FamilyId | null;
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[];
  /** Set while the invitation is not accepted; the user cannot log in yet. */
  readonly invitation: {
    readonly tokenHash: string | null;
    readonly authMethod: string;
    readonly expiresAt: Instant;
  } | null;
  /**
   * One-time token with which a user who can log in, or could, sets a password; a change of the
   * password ends it.
   */
  readonly passwordInvitation: {
    readonly tokenHash: string;
    readonly expiresAt: Instant;
  } | null;
  /** False once removed: the user's credentials and roles no longer count. */
  readonly live: boolean;
};

export const users: Fold<User | null, UserEvent> = {
  initial: null,
  evolve: (user, { type, data }) => {
    switch (type) {
      case 'UserCreated':
        return {
          ...userOf(data),
          firstName: data.first_name,
          lastName: data.last_name,
          invitation: null,
        };
      case 'UserInvited':
        return {
          ...userOf({ ...data, auth_method: 'invite' }),
          invitation: {
            tokenHash: data.token_hash,
            authMethod: data.auth_method,
            expiresAt: data.expires_at,
          },
        };
      case 'InvitationIssued':
        return user && withInvitation(user, data.token_hash, data.expires_at);
      case 'InvitationAccepted':
        return (
          user && {
            ...user,
            firstName: data.first_name ?? user.firstName,
            lastName: data.last_name ?? user.lastName,
            authMethod: data.auth_method,
            invitation: null,
          }
        );
      case 'UserDetailsChanged':
        return user && { ...user, firstName: data.first_name, lastName: data.last_name };
      case 'UserRoleChanged':
        return user && { ...user, role: data.role };
      case 'PasswordChanged':
        return (
          user && {
            ...user,
            passwordHash: data.password_hash,
            passwordChanges: user.passwordChanges + 1,
            keptFamily: data.kept_family_id,
            passwordInvitation: null,
          }
        );
      case 'IdentityLinked': {
        const { issuer, subject } = data;
        const identities = [...(user?.identities ?? []), { issuer, subject }];
        return user && { ...user, identities, emailIsVerified: true };
      }
      case 'UserRemoved':
        return user && { ...user, invitation: null, passwordInvitation: null, live: false };
      default:
        return unreachable(type);
    }
  },
};

const userOf = (data: {
  readonly user_id: UserId;
  readonly organization_id: OrganizationId;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly auth_method: string;
  readonly created_at: Instant;
}): User => ({
  id: data.user_id,
  organizationId: data.organization_id,
  email: data.email,
  firstName: '',
  lastName: '',
  role: data.role,
  authMethod: data.auth_method,
  emailIsVerified: false,
  passwordHash: null,
  passwordChanges: 0,
  keptFamily: null,
  identities: [],
  createdAt: data.created_at,
  invitation: null,
  passwordInvitation: null,
  live: true,
});

const withInvitation = (user: User, tokenHash: string, expiresAt: Instant): User =>
  user.invitation === null
    ? { ...user, passwordInvitation: { tokenHash, expiresAt } }
    : { ...user, invitation: { tokenHash, authMethod: 'email', expiresAt } };

/** The live user; null when unknown or removed. */
export const liveUser = async (log: EventReader, id: string): Promise<User | null> => {
  const { state } = await loadStreamState(log, userStream(id), users);
  return state?.live === true ? state : null;
};

/** `created_by_user` of a write's answer, from the log (contract 3.10). */
export const loadUserBlock = async (log: EventReader, id: string): Promise<UserBlock> => {
  const user = await liveUser(log, id);
  return (
    user && {
      id: user.id,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
    }
  );
};

/** User block of a user removed meanwhile. */
export const removedUserBlock = (id: UserId): NonNullable<UserBlock> => ({
  id,
  email: '',
  first_name: '',
  last_name: '',
});

/**
 * Throws Fault `not-found` unless all are live users of the organisation. Reads the log, since a
 * user removed a moment ago may still be in the rights cache and would stay listed for good.
 */
export const checkUsersExist = async (
  log: EventReader,
  users: readonly UserId[],
  organization: OrganizationId,
): Promise<void> => {
  for (const user of new Set(users)) {
    const found = await liveUser(log, user);
    if (found?.organizationId !== organization) throw new Fault('not-found', 'User not found');
  }
};

/**
 * Folds the case of ASCII letters only: Unicode folding would give `K` (U+212A) the mail of `k`.
 */
const lowerAsciiCase = (email: string): string =>
  email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** E-mails, unique on the whole installation, ignoring ASCII case. */
export const userEmails = uniqueName({
  stream: ({ ids }: IdDeriver, email: string) =>
    reservationStream('email', ids.derive('Reservation', lowerAsciiCase(email))),
  holder: userStream,
  fold: users,
  isLive: ({ live }) => live,
  has: (user, email) => lowerAsciiCase(user.email) === lowerAsciiCase(email),
});
