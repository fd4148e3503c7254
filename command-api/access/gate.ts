import type { Credential, Gate, Sights } from '../../contract/gate.js';
import {
  roleInProject,
  strongest,
  type Principal,
  type ProjectRole,
} from '../../contract/roles.js';
import { Fault } from '../../kernel/fault.js';
import type { Clock, EventReader } from '../../kernel/ports.js';
import type { ApiKeyId, Instant, UserId } from '../../kernel/shapes.js';
import { reservation } from '../../kernel/reservation.js';
import { load } from '../../kernel/transact.js';
import { apiKeys, projects, type ApiKey, type Project, type User } from './folds.js';
import { groups, isIn, type Group } from './groups.js';
import { liveUser } from './people.js';
import { principalOfKey } from './rights.js';
import { apiKeyStream, groupStream, projectStream, reservationStream } from './streams.js';

export type KeyReading = {
  /**
   * Keyed hash of a value; null when its form rules it out without a look-up (contract 2.4, rule
   * 1).
   */
  readonly hashKey: (value: string) => string | null;
};
type Needs = {
  readonly log: EventReader;
  readonly clock: Clock;
  readonly secrets: KeyReading;
  readonly sights?: Sights;
};

/** Half of the second in which a revocation must hold everywhere (contract 2.4, rule 6). */
const rememberedMs = 500;
const rememberedMax = 10_000;
/** `last_used` is stamped at most once a minute (contract 2.4, rule 6). */
const stampEveryMs = 60_000;

/**
 * Who may come in and what they see, answered from the log; nothing is older than half a second.
 */
export const openGate = ({ log, clock, secrets, sights = {} }: Needs): Gate => {
  const callers = remembering<{ user: User; key: ApiKey } | null>(clock);
  const people = remembering<User | null>(clock);

  const userNow = (id: string): Promise<User | null> => people(id, async () => liveUser(log, id));
  const memberships = remembering<Group | null>(clock);
  /** Roles given to the user and to the groups that they are in (contract 2.6, rule 1). */
  const grantedIn = async (project: Project, user: UserId): Promise<ProjectRole | null> => {
    const own = project.users.get(user);
    const through = await Promise.all(
      [...project.groups].map(async ([id, { role }]) => {
        const ask = async () => (await load(log, groupStream(id), groups)).state;
        const group = await memberships(id, ask);
        return group?.live === true && isIn(group.members.get(user)?.role) ? [role] : [];
      }),
    );
    return strongest([...(own === undefined ? [] : [own.role]), ...through.flat()]);
  };
  const callerNow = (hash: string) =>
    callers(hash, async () => {
      const { state } = await load(log, reservationStream('api-key-value', hash), reservation);
      if (state.holder === null) return null;
      const { state: key } = await load(log, apiKeyStream(state.holder), apiKeys);
      if (key === null || key.valueHash !== hash || key.revoked) return null;
      for (const ancestor of key.ancestors) {
        const { state: elder } = await load(log, apiKeyStream(ancestor), apiKeys);
        if (elder === null || elder.revoked) return null;
      }
      const user = await liveUser(log, key.createdBy);
      return user === null ? null : { user, key };
    });

  const used = new Map<ApiKeyId, { readonly at: Instant; readonly noted: number }>();
  const stamp = (key: ApiKeyId): void => {
    const noted = clock.milliseconds();
    const before = used.get(key);
    if (before !== undefined && noted - before.noted < stampEveryMs) return;
    used.delete(key);
    used.set(key, { at: clock.now(), noted });
    const oldest = used.keys().next();
    if (used.size > rememberedMax && oldest.done !== true) used.delete(oldest.value);
  };

  return {
    lastUsed: (key) => used.get(key)?.at ?? null,
    authenticate: async (credential: Credential): Promise<Principal> => {
      // Logins are not served yet (contract 5.1, 4.2): there is no token or password that could be
      // right.
      if (credential.scheme !== 'K') throw unknownCredential();
      const hash = secrets.hashKey(credential.key);
      const caller = hash === null ? null : await callerNow(hash);
      if (caller === null) throw unknownCredential();
      const { expiresAt } = caller.key;
      if (expiresAt !== null && expiresAt <= clock.now()) {
        throw new Fault('token-expired', 'The API key has expired');
      }
      stamp(caller.key.id);
      return principalOfKey(caller.user, caller.key);
    },
    projectInSight: async (principal, id) => {
      // Not remembered: a deleted project answers 404 at once (contract 5.4).
      const { state: project } = await load(log, projectStream(id), projects);
      if (project === null || !project.live) return null;
      if (project.organizationId !== principal.organizationId) return null;
      // Not the principal's role: a key caps what its creator may do in the organisation, not where
      // they are an owner.
      const user = await userNow(principal.userId);
      const granted = user === null ? null : await grantedIn(project, user.id);
      const role = user === null ? null : roleInProject(user.role, principal.key, id, granted);
      return role === null ? null : { id, name: project.name, role };
    },
    userInSight: async (principal, id) => {
      const user = await userNow(id);
      return user === null || user.organizationId !== principal.organizationId
        ? null
        : { id: user.id, role: user.role };
    },
    sight: async (requirement, principal, object) =>
      (await sights[requirement]?.(principal, object)) ?? 'unseen',
  };
};

const unknownCredential = (): Fault =>
  new Fault('invalid-credentials', 'The credential is not valid');

/**
 * Asks once per key and half second; what was asked longest ago goes first when it gets crowded.
 * That there is none is not remembered: what was just made is there at once.
 */
const remembering = <T>(clock: Clock) => {
  const known = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  return (key: string, ask: () => Promise<T>): Promise<T> => {
    const now = clock.milliseconds();
    const found = known.get(key);
    if (found !== undefined && now - found.at < rememberedMs) return found.value;
    const value = ask();
    known.delete(key);
    known.set(key, { at: now, value });
    value.then(
      (answer) => answer === null && known.delete(key),
      () => known.delete(key),
    );
    const oldest = known.keys().next();
    if (known.size > rememberedMax && oldest.done !== true) known.delete(oldest.value);
    return value;
  };
};
