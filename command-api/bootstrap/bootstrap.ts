import { keyValueForm } from '../../contract/api-keys.js';
import type { Decision } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { Fault } from '../../kernel/fault.js';
import type { Passwords } from '../../kernel/credentials.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import type { OrganizationEvent } from '../../events/organizations.js';
import type { UserEvent } from '../../events/users.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import { apiKeys, apiKeyStream, apiKeyValues } from '../facts/api-keys.js';
import { users, type User, userEmails, userStream } from '../facts/users.js';
import { organizationStream } from '../facts/organizations.js';
import { serviceActor } from '../work/service-author.js';

type Needs = {
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly log: EventLog;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly secrets: {
    readonly mintKey: () => string;
    readonly hashKey: (value: string) => string | null;
    readonly truncate: (value: string) => string;
  };
};
type Wanted = {
  readonly organization: string;
  readonly email: string;
  /** A value from the environment; null = mint one. */
  readonly apiKey: string | null;
  /** Becomes the admin's while they have none; null = they log in by other means. */
  readonly password: string | null;
};
export type Bootstrapped = {
  readonly email: string;
  /** A key value that was made just now: show it, then `finish`. */
  readonly minted: string | null;
  /**
   * Makes the admin, and with them the key good. Until then each start mints another key, so a kill
   * between the minting and the showing locks nobody out.
   */
  readonly finish: () => Promise<void>;
};

/**
 * The ids of the first organisation and user are the same on every installation, so a restart finds
 * them.
 */
const first = (ids: Ids) => ({
  organization: ids.derive('OrganizationId', 'bootstrap'),
  user: ids.derive('UserId', 'bootstrap'),
});

/**
 * Makes what an empty log needs before anybody can call: an organisation, its admin, and a personal
 * key of that admin. Safe to repeat, also after a kill half-way: whatever is there
 * stays, a key that was minted but never shown is followed by another one (see `finish`). A given
 * key is registered whenever it is not known yet; one is minted only as long as there is no admin.
 * A given password counts while the admin has none. Throws Fault `invalid` for a given key out of
 * form.
 */
export const bootstrap = async (
  { log, ids, clock, secrets, passwords }: Needs,
  wanted: Wanted,
): Promise<Bootstrapped> => {
  const id = first(ids);
  const at = clock.now();
  const authorship: Authorship = {
    actor: serviceActor,
    requestId: 'bootstrap',
    correlationId: 'bootstrap',
    causationId: null,
    at,
    eventId: () => ids.next('EventId'),
  };
  const { state: known } = await load(log, userStream(id.user), users);
  const value = wanted.apiKey ?? (known === null ? secrets.mintKey() : null);
  await transact<boolean, OrganizationEvent>(
    log,
    organizationStream(id.organization),
    { initial: false, evolve: () => true },
    (exists): Decision<OrganizationEvent> =>
      exists
        ? []
        : [
            {
              type: 'OrganizationCreated',
              data: {
                organization_id: id.organization,
                name: wanted.organization,
                created_at: at,
              },
            },
          ],
    authorship,
  );
  if (value !== null) await registerKey(value);
  if (known !== null) await takeEmail(known.email);
  return {
    email: known?.email ?? wanted.email,
    minted: wanted.apiKey === null ? value : null,
    finish: makeAdmin,
  };

  async function makeAdmin(): Promise<void> {
    const { state } = await load(log, userStream(id.user), users);
    const isWanted = wanted.password !== null && (state?.passwordHash ?? null) === null;
    const hash = isWanted ? await passwords.hash(wanted.password) : null;
    const password: readonly UserEvent[] =
      hash === null
        ? []
        : [
            {
              type: 'PasswordChanged',
              data: { user_id: id.user, password_hash: hash, kept_family_id: null },
            },
          ];
    await transact<User | null, UserEvent>(
      log,
      userStream(id.user),
      users,
      (user): Decision<UserEvent> =>
        user !== null
          ? user.passwordHash === null
            ? password
            : []
          : [
              {
                type: 'UserCreated',
                data: {
                  user_id: id.user,
                  organization_id: id.organization,
                  email: wanted.email,
                  first_name: '',
                  last_name: '',
                  role: 'admin',
                  auth_method: 'email',
                  created_at: at,
                },
              },
              ...password,
            ],
      authorship,
    );
    await takeEmail(wanted.email);
  }

  /** Where e-mails are looked up; also of an admin who was made before anybody could log in. */
  async function takeEmail(email: string): Promise<void> {
    await userEmails.claim({ log, ids }, email, id.user, authorship);
  }

  async function registerKey(text: string): Promise<void> {
    const hash = secrets.hashKey(text);
    if (hash === null || !keyValueForm.test(text)) {
      throw new Fault(
        'invalid',
        'ASSAY_BOOTSTRAP_API_KEY must have 32 to 255 characters from ! to ~, ' +
          'with asy_ also its checksum',
      );
    }
    const keyId = ids.derive('ApiKeyId', 'bootstrap', hash);
    const isOurs = await apiKeyValues.claim({ log }, hash, keyId, authorship);
    // It was registered as a key already, by a call: it works, as what it was made for.
    if (!isOurs) return;
    await transact(
      log,
      apiKeyStream(keyId),
      apiKeys,
      (key): Decision<ApiKeyEvent> =>
        key !== null
          ? []
          : [
              {
                type: 'ApiKeyCreated',
                data: {
                  api_key_id: keyId,
                  organization_id: id.organization,
                  created_by: id.user,
                  value_hash: hash,
                  truncated: secrets.truncate(text),
                  description: 'bootstrap',
                  project_id: null,
                  project_role: null,
                  expires_at: null,
                  ancestors: [],
                  created_at: at,
                },
              },
            ],
      authorship,
    );
  }
};
