import type { Credential, RequestAuthorizer } from '../../contract/request-ports.js';
import { type Principal, organizationRoles, weakerRole, type Login } from '../../contract/roles.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { AccessTokens, PasswordHasher } from '../../kernel/credentials.js';
import { unreachable } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { Clock, EventReader, Ids } from '../../kernel/ports.js';
import { nameReservationFold } from '../../kernel/name-reservation.js';
import type { ApiKeyId, FamilyId, Instant } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import {
  refreshTokenFamilies,
  isAlive,
  type RefreshTokenFamily,
  refreshFamilyStream,
} from '../facts/refresh-families.js';
import { apiKeys, type ApiKey, apiKeyStream, apiKeyValues } from '../facts/api-keys.js';
import { type User, liveUser, userEmails } from '../facts/users.js';
import type { RightsCache } from './rights-cache.js';
import type { CredentialRateLimit } from './credential-rate-limit.js';

type CredentialReader = {
  /**
   * Keyed hash of a key value; null when its form rules it out without a lookup (contract 2.4, rule
   * 1).
   */
  readonly hashKey: (value: string) => string | null;
  readonly truncate: (value: string) => string;
};
export type AuthenticationNeeds = {
  readonly log: EventReader;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly secrets: CredentialReader;
  readonly passwords: PasswordHasher;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly rateLimit: CredentialRateLimit;
  readonly rightsCache: RightsCache;
};

/** `last_used` is stamped at most once a minute (contract 2.4, rule 6). */
const stampEveryMs = 60_000;
const stampsMax = 10_000;

type KeyCaller = { readonly user: User; readonly key: ApiKey };

/** Authenticates callers against the log. Keys and logins are cached for half a second at most. */
export const openAuthentication = (
  needs: AuthenticationNeeds,
): Pick<RequestAuthorizer, 'authenticate' | 'lastUsed'> => {
  const { clock, secrets, rateLimit } = needs;
  const stamps = openLastUsedStamps(clock);
  const keys = keyCallers(needs);
  const bySession = tokenCallers(needs, keys.byId);
  const byPassword = passwordCallers(needs);

  const enter = (caller: KeyCaller): Principal => {
    const { expiresAt } = caller.key;
    if (expiresAt !== null && expiresAt <= clock.now()) {
      throw new Fault('token-expired', 'The API key has expired');
    }
    stamps.note(caller.key.id);
    return principalOfKey(caller.user, caller.key);
  };

  return {
    lastUsed: stamps.last,
    authenticate: async (credential: Credential, address: string): Promise<Principal> => {
      switch (credential.scheme) {
        case 'K': {
          // A valid key is accepted however many attempts failed: 256 bits cannot be guessed.
          const caller = await keys.byValue(credential.key);
          if (caller !== null) return enter(caller);
          rateLimit.recordFailure(secrets.truncate(credential.key), address);
          throw unknownCredential();
        }
        case 'P':
          return byPassword(credential, address);
        case 'B': {
          const caller = await bySession(credential.token);
          return 'user' in caller ? enter(caller) : caller;
        }
        default:
          return unreachable(credential);
      }
    },
  };
};

const unknownCredential = (): Fault =>
  new Fault('invalid-credentials', 'The credential is not valid');

const keyCallers = ({ log, secrets, rightsCache }: AuthenticationNeeds) => {
  const callers = rightsCache.cachedLoader<KeyCaller | null>();
  const holders = rightsCache.cachedLoader<string | null>();

  const byId = (id: string): Promise<KeyCaller | null> =>
    callers(id, async () => {
      const { state: key } = await loadStreamState(log, apiKeyStream(id), apiKeys);
      if (key === null || key.revoked) return null;
      for (const ancestor of key.ancestors) {
        const { state: elder } = await loadStreamState(log, apiKeyStream(ancestor), apiKeys);
        if (elder === null || elder.revoked) return null;
      }
      const user = await liveUser(log, key.createdBy);
      return user === null ? null : { user, key };
    });
  const holderOf = (hash: string): Promise<string | null> =>
    holders(hash, async () => {
      const values = apiKeyValues.stream({}, hash);
      return (await loadStreamState(log, values, nameReservationFold)).state.holder;
    });
  return {
    byId,
    byValue: async (value: string): Promise<KeyCaller | null> => {
      const hash = secrets.hashKey(value);
      const holder = hash === null ? null : await holderOf(hash);
      const caller = holder === null ? null : await byId(holder);
      return caller?.key.valueHash === hash ? caller : null;
    },
  };
};

/** A login counts while its family, or the key it came from, and its user are alive. */
const tokenCallers = (
  { log, clock, tokens, rightsCache }: AuthenticationNeeds,
  keyById: (id: ApiKeyId) => Promise<KeyCaller | null>,
) => {
  const logins = rightsCache.cachedLoader<{
    readonly family: RefreshTokenFamily;
    readonly user: User;
  } | null>();
  const loginNow = (id: FamilyId) =>
    logins(id, async () => {
      const { state: family } = await loadStreamState(
        log,
        refreshFamilyStream(id),
        refreshTokenFamilies,
      );
      const user = family === null ? null : await liveUser(log, family.userId);
      return family === null || user === null ? null : { family, user };
    });
  return async (token: string): Promise<Principal | KeyCaller> => {
    const claims = await tokens.read(token, clock.now());
    if (claims === null) throw unknownCredential();
    if (claims === 'expired') throw new Fault('token-expired', 'The access token has expired');
    const { userId, organizationId, session } = claims;
    if (session.keyId !== null) {
      const caller = await keyById(session.keyId);
      if (caller?.user.id !== userId) throw unknownCredential();
      return caller;
    }
    const login = await loginNow(session.familyId);
    if (login === null || !isAlive(login.family, login.user, clock.now())) {
      throw unknownCredential();
    }
    const { family, user } = login;
    if (user.id !== userId || user.organizationId !== organizationId) throw unknownCredential();
    return principalOfPerson(user, { familyId: family.id, authMethod: family.authMethod });
  };
};

const passwordCallers = ({ log, ids, passwords, rateLimit }: AuthenticationNeeds) => {
  const keyedMutex = openKeyedMutex<string>();
  const entered = (user: User): Principal =>
    principalOfPerson(user, { familyId: null, authMethod: 'email' });
  return async (
    { email, password }: { readonly email: string; readonly password: string },
    address: string,
  ): Promise<Principal> => {
    const user = await userEmails.find({ log, ids }, email);
    const hash = user?.passwordHash ?? null;
    const network = networkPrefix(address);
    // A password verified recently from this network bypasses the rate limit, so that failures
    // elsewhere do not lock its user out. The exception ends after 20 wrong attempts, or it would
    // allow guessing.
    if (user !== null && passwords.wasVerifiedRecently(hash, password, network))
      return entered(user);
    // Serialised per e-mail and per address, so that a burst is counted like a sequence.
    const right = await keyedMutex([`s ${email.toLowerCase()}`], () =>
      keyedMutex([`a ${address}`], async () => {
        rateLimit.check(email, address);
        const matched = await passwords.verify(hash, password, network);
        if (!matched) rateLimit.recordFailure(email, address);
        return matched;
      }),
    );
    if (!right || user === null) throw unknownCredential();
    return entered(user);
  };
};

const openLastUsedStamps = (clock: Clock) => {
  const used = boundedMap<ApiKeyId, { readonly at: Instant; readonly noted: number }>(stampsMax);
  return {
    last: (key: ApiKeyId): Instant | null => used.get(key)?.at ?? null,
    note: (key: ApiKeyId): void => {
      const noted = clock.milliseconds();
      const before = used.get(key);
      if (before !== undefined && noted - before.noted < stampEveryMs) return;
      used.set(key, { at: clock.now(), noted });
    },
  };
};

/**
 * Principal of a key: its creator with current rights, within the key's bounds (contract 2.4, rule
 * 4). Pure.
 */
const principalOfKey = (user: User, key: ApiKey): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole:
    key.projectId === null && key.projectRole === null
      ? user.role
      : weakerRole(organizationRoles, user.role, 'user'),
  key: {
    id: key.id,
    projectId: key.projectId,
    projectRole: key.projectRole,
    expiresAt: key.expiresAt,
    lineage: [key.id, ...key.ancestors],
  },
});

/** Principal of a login or password: the user with current rights. Pure. */
const principalOfPerson = (user: User, login: Login): Principal => ({
  userId: user.id,
  organizationId: user.organizationId,
  organizationRole: user.role,
  key: null,
  login,
});
