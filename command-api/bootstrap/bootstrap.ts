import { keyValueForm } from '../../contract/api-keys.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { Fault } from '../../kernel/fault.js';
import type { InvitationTokens, PasswordHasher } from '../../kernel/credentials.js';
import type { Instant, OrganizationId, UserId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import type { OrganizationEvent } from '../../events/organizations.js';
import type { UserEvent } from '../../events/users.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import { apiKeys, type ApiKey, apiKeyStream, apiKeyValues } from '../facts/api-keys.js';
import { mintInvitation } from '../access/invitation.js';
import { users, liveUser, type User, userEmails, userStream } from '../facts/users.js';
import { organizationStream } from '../facts/organizations.js';
import { serviceActor } from '../work/service-authorship.js';

type Needs = {
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly log: EventLog;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly secrets: {
    readonly mintKey: () => string;
    readonly hashKey: (value: string) => string | null;
    readonly truncate: (value: string) => string;
    readonly invitationTokens: InvitationTokens;
  };
};
type BootstrapSettings = {
  readonly organization: string;
  readonly email: string;
  /** Key value from the environment; null = mint one. */
  readonly apiKey: string | null;
  /** Password for an admin without one; null = they log in by other means. */
  readonly password: string | null;
};
export type BootstrapResult = {
  readonly email: string;
  /** The key value that was just minted: show it, then call `finish`. */
  readonly minted: string | null;
  /**
   * Creates the admin, which activates the key. Until then each start mints another key, so a kill
   * between the minting and the showing locks no user out.
   */
  readonly finish: () => Promise<void>;
  /**
   * Mints an invitation for the admin once they exist, while they have neither a password nor a
   * linked identity. Null: they have one. `token` is null while an invitation is pending: it cannot
   * be shown again, as only its hash is kept.
   */
  readonly inviteAdmin: () => Promise<AdminInvitation | null>;
};
type AdminInvitation = {
  readonly email: string;
  readonly token: string | null;
  readonly expiresAt: Instant;
};

/**
 * Creates what an empty log needs before the first call: an organisation, its admin, and a personal
 * key of that admin. Idempotent, also after a kill half-way: existing facts stay, and a key that
 * was minted but never shown is replaced (see `finish`). A supplied key is registered unless it is
 * known; one is minted only while there is no admin. A supplied password counts while the admin has
 * none. Throws Fault `invalid` for a malformed key.
 */
export const bootstrap = async (
  needs: Needs,
  wanted: BootstrapSettings,
): Promise<BootstrapResult> => {
  const { log, ids, clock, secrets } = needs;
  // Derived ids: the same on every installation, so a restart finds them.
  const organization = ids.derive('OrganizationId', 'bootstrap');
  const user = ids.derive('UserId', 'bootstrap');
  const authorship: Authorship = {
    actor: serviceActor,
    requestId: 'bootstrap',
    correlationId: 'bootstrap',
    causationId: null,
    at: clock.now(),
    organizationId: organization,
    eventId: () => ids.next('EventId'),
  };
  const context: BootstrapContext = { ...needs, wanted, organization, user, authorship };
  const { state: known } = await loadStreamState(log, userStream(user), users);
  const value = wanted.apiKey ?? (known === null ? secrets.mintKey() : null);
  await createOrganization(context);
  if (value !== null) await registerKey(context, value);
  if (known !== null) await claimAdminEmail(context, known.email);
  return {
    email: known?.email ?? wanted.email,
    minted: wanted.apiKey === null ? value : null,
    finish: async () => {
      await createAdmin(context);
      await claimAdminEmail(context, wanted.email);
    },
    inviteAdmin: () => inviteAdmin(context),
  };
};

const inviteAdmin = async (context: BootstrapContext): Promise<AdminInvitation | null> => {
  const { log, user, authorship, clock } = context;
  const now = clock.now();
  if ((await liveUser(log, user)) === null) return null;
  const minted = await mintInvitation(context, user, { ...authorship, at: now }, (admin) =>
    hasNoLogin(admin) && pendingInvitation(admin, now) === null ? null : [],
  );
  const admin = await liveUser(log, user);
  if (admin === null || !hasNoLogin(admin)) return null;
  const token = minted?.token ?? null;
  const expiresAt = minted?.expiresAt ?? pendingInvitation(admin, now)?.expiresAt;
  return expiresAt === undefined ? null : { email: admin.email, token, expiresAt };
};

/** True for an admin who can log in neither with a password nor by an identity provider. */
const hasNoLogin = ({ role, passwordHash, identities }: User): boolean =>
  role === 'admin' && passwordHash === null && identities.length === 0;

const pendingInvitation = (
  { invitation, passwordInvitation }: User,
  now: Instant,
): { readonly expiresAt: Instant } | null => {
  const open = invitation ?? passwordInvitation;
  return open !== null && open.expiresAt > now ? open : null;
};

type BootstrapContext = Needs & {
  readonly wanted: BootstrapSettings;
  readonly organization: OrganizationId;
  readonly user: UserId;
  readonly authorship: Authorship;
};

const createOrganization = async ({ log, organization, wanted, authorship }: BootstrapContext) => {
  const made: OrganizationEvent = {
    type: 'OrganizationCreated',
    data: {
      organization_id: organization,
      name: wanted.organization,
      created_at: authorship.at,
    },
  };
  await transact<boolean, OrganizationEvent>(
    log,
    organizationStream(organization),
    { initial: false, evolve: () => true },
    (exists) => (exists ? [] : [made]),
    authorship,
  );
};

const createAdmin = async (context: BootstrapContext): Promise<void> => {
  const { log, organization, user: id, wanted, authorship } = context;
  const stream = userStream(id);
  const { state } = await loadStreamState(log, stream, users);
  const password = await adminPassword(context, state);
  const made: UserEvent = {
    type: 'UserCreated',
    data: {
      user_id: id,
      organization_id: organization,
      email: wanted.email,
      first_name: '',
      last_name: '',
      role: 'admin',
      auth_method: 'email',
      created_at: authorship.at,
    },
  };
  const decide: Decide<User | null, UserEvent> = (user) => {
    if (user === null) return [made, ...password];
    return user.passwordHash === null ? password : [];
  };
  await transact(log, stream, users, decide, authorship);
};

/** Events that set the wanted password; empty when the admin has one. */
const adminPassword = async (
  { passwords, user, wanted: { password } }: BootstrapContext,
  known: User | null,
): Promise<readonly UserEvent[]> => {
  if (password === null || (known?.passwordHash ?? null) !== null) return [];
  const data = {
    user_id: user,
    password_hash: await passwords.hash(password),
    kept_family_id: null,
  };
  return [{ type: 'PasswordChanged', data }];
};

/** Reserves the admin's e-mail for logins, also for an admin made before logins existed. */
const claimAdminEmail = async (context: BootstrapContext, email: string): Promise<void> => {
  await userEmails.claim(context, email, context.user, context.authorship);
};

const registerKey = async (context: BootstrapContext, text: string): Promise<void> => {
  const { log, ids, secrets, organization, user, authorship } = context;
  const hash = secrets.hashKey(text);
  if (hash === null || !keyValueForm.test(text)) {
    throw new Fault(
      'invalid',
      'ASSAY_BOOTSTRAP_API_KEY must have 32 to 255 characters from ! to ~, ' +
        'with asy_ also its checksum',
    );
  }
  const keyId = ids.derive('ApiKeyId', 'bootstrap', hash);
  const isOurs = await apiKeyValues.claim(context, hash, keyId, authorship);
  // The value was registered as a key by a call already and works as that key.
  if (!isOurs) return;
  const made: ApiKeyEvent = {
    type: 'ApiKeyCreated',
    data: {
      api_key_id: keyId,
      organization_id: organization,
      created_by: user,
      value_hash: hash,
      truncated: secrets.truncate(text),
      description: 'bootstrap',
      project_id: null,
      project_role: null,
      expires_at: null,
      ancestors: [],
      created_at: authorship.at,
    },
  };
  const decide: Decide<ApiKey | null, ApiKeyEvent> = (key) => (key === null ? [made] : []);
  await transact(log, apiKeyStream(keyId), apiKeys, decide, authorship);
};
