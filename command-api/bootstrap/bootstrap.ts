import type { Decision } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { claim } from '../../kernel/reservation.js';
import type { OrganizationEvent } from '../../events/organizations.js';
import type { UserEvent } from '../../events/users.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import { apiKeys, users, type User } from '../access/folds.js';
import {
  apiKeyStream,
  organizationStream,
  reservationStream,
  userStream,
} from '../access/streams.js';

type Needs = {
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
};
/** `minted`: a key value that was made just now and is shown nowhere else again. */
export type Bootstrapped = { readonly email: string; readonly minted: string | null };

/** The ids of the first organisation and user are the same on every installation's first start, so a restart finds them. */
const first = (ids: Ids) => ({
  organization: ids.derive('OrganizationId', 'bootstrap'),
  user: ids.derive('UserId', 'bootstrap'),
});

/**
 * Makes what an empty log needs before anybody can call: an organisation, its admin, and a personal key of that admin
 * (design 9). Safe to repeat, also after a kill half-way: whatever is there stays, a key that was minted but never shown
 * is followed by another one. A given key is registered whenever it is not known yet; one is minted only when the admin
 * has no key at all.
 */
export const bootstrap = async (
  { log, ids, clock, secrets }: Needs,
  wanted: Wanted,
): Promise<Bootstrapped> => {
  const id = first(ids);
  const at = clock.now();
  const authorship: Authorship = {
    actor: { type: 'service', id: 'assay', role: 'service' },
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
  // The key comes before the user: as long as there is no user, the next start mints again and shows it.
  if (value !== null) await registerKey(value);
  await transact<User | null, UserEvent>(
    log,
    userStream(id.user),
    users,
    (user): Decision<UserEvent> =>
      user !== null
        ? []
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
          ],
    authorship,
  );
  return { email: known?.email ?? wanted.email, minted: wanted.apiKey === null ? value : null };

  async function registerKey(text: string): Promise<void> {
    const hash = secrets.hashKey(text);
    if (hash === null) throw new TypeError('ASSAY_BOOTSTRAP_API_KEY has a wrong checksum');
    const keyId = ids.derive('ApiKeyId', 'bootstrap', hash);
    const isKey = async (holder: string): Promise<boolean> =>
      (await load(log, apiKeyStream(holder), apiKeys)).state !== null;
    await claim(log, reservationStream('api-key-value', hash), keyId, isKey, authorship);
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
