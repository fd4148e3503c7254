import { randomUUID } from 'node:crypto';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets, secretKeyOf } from '../../engines/node/secrets.js';
import { openEngines, secretKeyFile } from '../../engines/open.js';
import { reservationStream } from '../../command-api/facts/reservations.js';
import { apiKeyStream } from '../../command-api/facts/api-keys.js';
import { userStream, userEmails } from '../../command-api/facts/users.js';
import { organizationStream } from '../../command-api/facts/organizations.js';
import { organizationRoles, type OrganizationRole } from '../../contract/roles.js';
import type { Event, StreamName } from '../../kernel/ports.js';
import type { OrganizationId, UserId } from '../../kernel/shapes.js';
import { startApp, type App } from './app.js';
import { clientOf, type Client } from './client.js';
import { authorAt } from './log.js';
import { append } from '../../kernel/transact.js';

export type Actor = {
  readonly id: UserId;
  readonly email: string;
  readonly organizationId: OrganizationId;
  /** The value of a personal key. */
  readonly key: string;
  readonly as: Client;
};
/** A service with one user of each role in two organisations that know nothing of each other. */
export type Cast = {
  readonly app: App;
  readonly ours: Readonly<Record<OrganizationRole, Actor>>;
  readonly theirs: Readonly<Record<OrganizationRole, Actor>>;
  readonly close: () => Promise<void>;
};

type Written = { readonly events: readonly (readonly [StreamName, readonly Event[]])[] };
type Part = Omit<Actor, 'as'> & Written;

/** Ours is the organisation of the first start; its admin is another than the one of that start. */
export const startCast = async (): Promise<Cast> => {
  const bootstrapped = randomIds.derive('OrganizationId', 'bootstrap');
  const other = randomUUID() as OrganizationId;
  let parts: readonly (readonly [OrganizationRole, boolean, Part])[] = [];
  const app = await startApp(async (dir) => {
    const secrets = openSecrets(await secretKeyOf(diskFiles, secretKeyFile(dir)));
    parts = organizationRoles.flatMap((role) =>
      [true, false].map(
        (isOurs) => [role, isOurs, partOf(role, isOurs ? bootstrapped : other, secrets)] as const,
      ),
    );
    const founded: Written = {
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
    await written(dir, [founded, ...parts.map(([, , part]) => part)]);
  });
  const side = (isOurs: boolean) =>
    Object.fromEntries(
      parts
        .filter(([, ours]) => ours === isOurs)
        .map(([role, , { id, email, organizationId, key }]) => [
          role,
          { id, email, organizationId, key, as: clientOf({ url: app.url, apiKey: key }) },
        ]),
    ) as Record<OrganizationRole, Actor>;
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

const partOf = (
  role: OrganizationRole,
  organizationId: OrganizationId,
  secrets: ReturnType<typeof openSecrets>,
): Part => {
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

const written = async (dir: string, parts: readonly Written[]): Promise<void> => {
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
  const results = await append(log, additions, authorAt());
  await log.close();
  await bus.close();
  if (results.includes('conflict')) throw new Error('the folder was not empty');
};
