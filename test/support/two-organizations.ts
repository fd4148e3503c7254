import { randomUUID } from 'node:crypto';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets, ensureSecretKey } from '../../engines/node/secrets.js';
import { openEngines, secretKeyFile } from '../../engines/open.js';
import { reservationStream } from '../../command-api/facts/reservations.js';
import { apiKeyStream } from '../../command-api/facts/api-keys.js';
import { userStream, userEmails } from '../../command-api/facts/users.js';
import { organizationStream } from '../../command-api/facts/organizations.js';
import { organizationRoles, type OrganizationRole } from '../../contract/roles.js';
import type { Event, StreamName } from '../../kernel/ports.js';
import type { OrganizationId, UserId } from '../../kernel/schema-types.js';
import { startApp, type App } from './app.js';
import { clientOf, type Client } from './client.js';
import { authorAt } from './test-log.js';
import { appendEvents } from '../../kernel/transact.js';

export type RoleUser = {
  readonly id: UserId;
  readonly email: string;
  readonly organizationId: OrganizationId;
  /** The value of a personal key. */
  readonly key: string;
  readonly as: Client;
};
/** A service with one user of each role in two separate organisations. */
export type TwoOrganizations = {
  readonly app: App;
  readonly ours: Readonly<Record<OrganizationRole, RoleUser>>;
  readonly theirs: Readonly<Record<OrganizationRole, RoleUser>>;
  readonly close: () => Promise<void>;
};

type SeedEvents = { readonly events: readonly (readonly [StreamName, readonly Event[]])[] };
type SeedUser = Omit<RoleUser, 'as'> & SeedEvents;

/**
 * `ours` is the organisation of the first start; its admin is another than the one of that start.
 */
export const startTwoOrganizations = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<TwoOrganizations> => {
  const bootstrapped = randomIds.derive('OrganizationId', 'bootstrap');
  const other = randomUUID() as OrganizationId;
  let parts: readonly (readonly [OrganizationRole, boolean, SeedUser])[] = [];
  const app = await startApp(async (dir) => {
    const secrets = openSecrets(await ensureSecretKey(diskFiles, secretKeyFile(dir)));
    parts = organizationRoles.flatMap((role) =>
      [true, false].map(
        (isOurs) => [role, isOurs, seedUser(role, isOurs ? bootstrapped : other, secrets)] as const,
      ),
    );
    const founded: SeedEvents = {
      events: [
        [
          organizationStream(other),
          [
            {
              type: 'OrganizationCreated',
              data: { organization_id: other, name: 'other', created_at: authorAt().at },
            },
          ],
        ],
      ],
    };
    await writeSeed(dir, [founded, ...parts.map(([, , part]) => part)]);
  }, environment);
  const side = (isOurs: boolean) =>
    Object.fromEntries(
      parts
        .filter(([, ours]) => ours === isOurs)
        .map(([role, , { id, email, organizationId, key }]) => [
          role,
          { id, email, organizationId, key, as: clientOf({ url: app.url, apiKey: key }) },
        ]),
    ) as Record<OrganizationRole, RoleUser>;
  const [ours, theirs] = [side(true), side(false)];
  return {
    app,
    ours,
    theirs,
    close: async () => {
      for (const { as } of [...Object.values(ours), ...Object.values(theirs)]) as.close();
      await app.close();
    },
  };
};

const seedUser = (
  role: OrganizationRole,
  organizationId: OrganizationId,
  secrets: ReturnType<typeof openSecrets>,
): SeedUser => {
  const id = randomUUID() as UserId;
  const keyId = randomUUID();
  const email = `${role}-${id.slice(0, 8)}@example.org`;
  const key = secrets.mintKey();
  const hash = secrets.hashKey(key) ?? '';
  const { at } = authorAt();
  return {
    id,
    email,
    organizationId,
    key,
    events: [
      [
        userStream(id),
        [
          {
            type: 'UserCreated',
            data: {
              user_id: id,
              organization_id: organizationId,
              email,
              first_name: 'Ada',
              last_name: role,
              role,
              auth_method: 'email',
              created_at: at,
            },
          },
        ],
      ],
      [
        userEmails.stream({ ids: randomIds }, email),
        [{ type: 'NameClaimed', data: { holder: id } }],
      ],
      [
        reservationStream('api-key-value', hash),
        [{ type: 'NameClaimed', data: { holder: keyId } }],
      ],
      [
        apiKeyStream(keyId),
        [
          {
            type: 'ApiKeyCreated',
            data: {
              api_key_id: keyId,
              organization_id: organizationId,
              created_by: id,
              value_hash: hash,
              truncated: secrets.truncate(key),
              description: 'of a test',
              project_id: null,
              project_role: null,
              expires_at: null,
              ancestors: [],
              created_at: at,
            },
          },
        ],
      ],
    ],
  };
};

const writeSeed = async (dir: string, parts: readonly SeedEvents[]): Promise<void> => {
  const engines = await openEngines({
    dataDir: dir,
    eventStoreUrl: null,
    mongodbUrl: null,
    natsUrl: null,
  });
  const bus = await engines.bus(null);
  const log = await engines.log(bus);
  const additions = parts.flatMap(({ events }) =>
    events.map(([stream, list]) => ({ stream, events: list })),
  );
  const results = await appendEvents(log, additions, authorAt());
  await log.close();
  await bus.close();
  if (results.includes('conflict')) throw new Error('the folder was not empty');
};
