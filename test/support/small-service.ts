import { Writable } from 'node:stream';
import { Type } from 'typebox';
import { openIdempotency } from '../../command-api/idempotency/idempotent-execution.js';
import type { Freshness, RequestAuthorizer } from '../../contract/request-ports.js';
import type { Route } from '../../contract/operation.js';
import type { Principal, Visibility } from '../../contract/roles.js';
import { decode } from '../../events/codec.js';
import { startServer, type ServerOptions } from '../../engines/koa/server.js';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { randomIds } from '../../engines/node/ids.js';
import { openLogger } from '../../engines/pino/logger.js';
import { openMetrics, type Metrics } from '../../engines/prometheus/metrics.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { ApiKeyId, OrganizationId, ProjectId, UserId } from '../../kernel/schema-types.js';
import { clientOf, type Client } from './client.js';
import { temporaryFolder } from './folder.js';

export const project = '11111111-1111-4111-8111-111111111111' as ProjectId;
export const foreignProject = '22222222-2222-4222-8222-222222222222' as ProjectId;
export const colleague = '33333333-3333-4333-8333-333333333333' as UserId;

const keyOf = (digit: number) => ({
  id: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd'.replaceAll('d', String(digit)) as ApiKeyId,
  projectId: null,
  projectRole: null,
  expiresAt: null,
  lineage: [],
});
const personal: Principal = {
  userId: '44444444-4444-4444-8444-444444444444' as UserId,
  organizationId: '55555555-5555-4555-8555-555555555555' as OrganizationId,
  organizationRole: 'user',
  key: keyOf(6),
};
const bound: Principal = { ...personal, key: { ...keyOf(7), projectId: project } };
/** Principal of each key, and its role in `project`. */
const callers: Readonly<Record<string, readonly [Principal, 'viewer' | 'editor' | 'owner']>> = {
  editor: [personal, 'editor'],
  viewer: [personal, 'viewer'],
  bound: [bound, 'owner'],
  admin: [{ ...personal, organizationRole: 'admin', key: keyOf(8) }, 'owner'],
  /** Another person than all of those. */
  other: [{ ...personal, userId: colleague, key: keyOf(9) }, 'editor'],
};

/** Authorizer that knows only the keys above; bearer tokens and passwords are always refused. */
const stubAuthorizer: RequestAuthorizer = {
  lastUsed: () => null,
  authenticate: async (credential) => {
    const caller = credential.scheme === 'K' ? callers[credential.key] : undefined;
    if (credential.scheme === 'K' && credential.key === 'expired') {
      throw new Fault('token-expired', 'The API key has expired');
    }
    if (caller === undefined) throw new Fault('invalid-credentials', 'The credential is not valid');
    return { ...caller[0], organizationRole: caller[0].organizationRole, caller } as Principal;
  },
  visibleProject: async (principal, id) => {
    const [, role] = (principal as Principal & { caller: (typeof callers)[string] }).caller;
    return id === project ? { id: project, name: 'airline', role } : null;
  },
  visibleUser: async (_principal, user) => (user === colleague ? { id: user, role: 'user' } : null),
  visibility: async (_requirement, _principal, object) => visibilityOf[object] ?? 'unseen',
};
/** Visibility of an object by its id, whatever the requirement. */
const visibilityOf: Readonly<Record<string, Visibility>> = {
  [project]: 'allowed',
  [colleague]: 'forbidden',
};

export type SmallService = {
  readonly url: string;
  readonly port: number;
  readonly log: EventLog;
  readonly metrics: Metrics;
  /** Log lines. */
  readonly lines: readonly string[];
  readonly as: (key: keyof typeof callers | null) => Client;
  readonly close: () => Promise<void>;
};

/**
 * The real HTTP engine over a real log, with these routes, or those made with that log, on a free
 * port. `reached` replaces the freshness wait of reads.
 */
export const smallService = async (
  given: readonly Route[] | ((log: EventLog) => readonly Route[]),
  options: Partial<ServerOptions> & { readonly reached?: Freshness['waitUntilApplied'] } = {},
): Promise<SmallService> => {
  const { dir, remove } = await temporaryFolder();
  const bus = openBus(dir);
  const log = await openEventLog({ dir, bus, decode });
  const metrics = openMetrics();
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const logger = openLogger({ level: 'debug', secrets: ['api_key'], destination });
  const closeLog = async () => {
    await log.close();
    await bus.close();
    await remove();
  };
  const server = await startServer({
    routes: typeof given === 'function' ? given(log) : given,
    authorizer: stubAuthorizer,
    idempotency: openIdempotency({ log, ids: randomIds }),
    freshness: {
      head: async () => '00000000000000aa' as Position,
      waitUntilApplied: options.reached ?? (async () => '00000000000000aa' as Position),
    },
    clock: systemClock,
    ids: randomIds,
    logger,
    metrics,
    host: '127.0.0.1',
    port: 0,
    strict: true,
    ...options,
  }).catch(async (error: unknown) => {
    await closeLog();
    throw error;
  });
  const url = `http://127.0.0.1:${server.port}`;
  const clients: Client[] = [];
  return {
    url,
    port: server.port,
    log,
    metrics,
    lines,
    as: (apiKey) => {
      const client = clientOf({ url, apiKey });
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.close();
      await server.close();
      await closeLog();
    },
  };
};

/** Defaults of made-up operations. */
export const operationDefaults = {
  summary: 'Made up for a test',
  section: '1',
  schemes: ['K', 'B'],
  requires: 'signed-in',
  params: Type.Object({}),
  query: Type.Object({}),
} as const;
