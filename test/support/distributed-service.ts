import type { Suite } from 'mocha';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, type TestChild } from './child-process.js';
import { freePort } from './free-port.js';
import { interpolate, readCompose, type Compose } from './compose.js';
import { temporaryFolder } from './folder.js';
import { hasMongo, howToHaveMongo, startMongo } from './mongo.js';
import { startNatsServer } from './nats-server.js';
import { repository } from './test-environment.js';
import { describeWithTool, natsServer } from './required-tools.js';
import { spawnService, testKey, type ServiceProcess } from './service-process.js';

/** An engine of the service: killed, and started again at the same address with what it had. */
type EngineProcess = {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly signal: TestChild['signal'];
};
export type EngineProcesses = {
  readonly eventstore: EngineProcess;
  readonly mongo: EngineProcess;
  readonly nats: EngineProcess;
  readonly stop: () => Promise<void>;
};

/** The EventStoreDB test server on an embedded log, the real MongoDB engine, and nats-server. */
export const startEngineProcesses = async (dir: string): Promise<EngineProcesses> => {
  const [eventstore, mongo, nats] = await Promise.all([
    startEventStore(join(dir, 'eventstore')),
    startMongo(),
    startNatsServer(),
  ]);
  return {
    eventstore,
    mongo: { ...mongo, url: mongo.url('assay') },
    nats: { ...nats, restart: nats.start },
    stop: async () => {
      await Promise.all([eventstore.kill(), nats.kill()]);
      await mongo.stop();
    },
  };
};

const engineOf = (url: string, child: TestChild): EngineProcess => ({
  url,
  kill: () => child.kill(),
  restart: () => child.restart(),
  signal: child.signal,
});

/** The EventStoreDB test server in a process of its own, on a log in that folder. */
export const startEventStore = async (
  dir: string,
): Promise<EngineProcess & Pick<TestChild, 'pid'>> => {
  await mkdir(dir, { recursive: true });
  const port = await freePort();
  const server = join(repository, 'dist/test/support/eventstore-server/main.js');
  const { child } = await startChild({
    what: 'the EventStoreDB test server',
    command: process.execPath,
    args: [server, '--port', String(port), '--dir', dir],
    ready: /\d+/,
  });
  return { ...engineOf(`esdb://127.0.0.1:${port}?tls=false`, child), pid: child.pid };
};

export type ProcessRole = 'command' | 'query' | 'projections' | 'standby' | 'worker';

/** The service as the compose file puts it together, as plain processes on this machine. */
export type DistributedService = {
  readonly engines: EngineProcesses;
  readonly of: (role: ProcessRole) => ServiceProcess;
  /** SIGKILL. */
  readonly kill: (role: ProcessRole) => Promise<void>;
  /** Restarts at the previous address, as a container keeps its name. */
  readonly restart: (role: ProcessRole) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const secrets = {
  MONGO_PASSWORD: 'not-asked-for-on-this-machine',
  NATS_PASSWORD: 'not-asked-for-on-this-machine',
  ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ASSAY_BOOTSTRAP_API_KEY: testKey,
};

/** `describe` if all engines are available; otherwise skipped with a message, in CI a failure. */
export const describeDistributed = (
  title: string,
  describeIt: (title: string, tests: (this: Suite) => void) => void,
  tests: (this: Suite) => void,
): void => {
  const mongo = { tryIt: [hasMongo ? 'true' : 'false'], enable: howToHaveMongo };
  if (!hasMongo) describeWithTool(mongo, title, tests);
  else describeWithTool(natsServer, 'nats-server is here, so', () => describeIt(title, tests));
};

/**
 * Two processes with the role projections, as the compose file asks for, or one without
 * `hasStandby`, and one of each other.
 */
export const startDistributedService = async ({
  env = {},
  hasStandby = true,
}: {
  readonly env?: Readonly<Record<string, string>>;
  readonly hasStandby?: boolean;
} = {}): Promise<DistributedService> => {
  const { dir, remove } = await temporaryFolder();
  const compose = await readCompose();
  const engines = await startEngineProcesses(dir);
  const running = new Map<ProcessRole, ServiceProcess>();
  const ports = new Map<ProcessRole, readonly [string, string]>();
  const start = async (role: ProcessRole): Promise<void> => {
    const [port, opsPort] = ports.get(role) ?? [String(await freePort()), String(await freePort())];
    ports.set(role, [port, opsPort]);
    const { args, environment } = serviceOf(compose, role === 'standby' ? 'projections' : role);
    const folder = join(dir, role);
    await mkdir(folder, { recursive: true });
    const { ready } = spawnService({
      dir: folder,
      args,
      env: {
        ...environment,
        ASSAY_EVENTSTORE_URL: engines.eventstore.url,
        ASSAY_MONGODB_URL: engines.mongo.url,
        ASSAY_NATS_URL: engines.nats.url,
        ASSAY_HOST: '127.0.0.1',
        ASSAY_PORT: port,
        ASSAY_OPS_PORT: opsPort,
        ...env,
      },
    });
    running.set(role, await ready);
  };
  const of = (role: ProcessRole): ServiceProcess => {
    const found = running.get(role);
    if (found === undefined) throw new RangeError(`no process plays ${role}`);
    return found;
  };
  const kill = async (role: ProcessRole): Promise<void> => {
    await of(role).kill();
  };
  await Promise.all((['command', 'query', 'projections', 'worker'] as const).map(start));
  if (hasStandby) await start('standby');
  return {
    engines,
    of,
    kill,
    restart: async (role) => {
      await kill(role);
      await start(role);
    },
    stop: async () => {
      await Promise.all([...running.values()].map((one) => one.kill()));
      await engines.stop();
      await remove();
    },
  };
};

/** Arguments and environment of the program under this name in the compose file. */
const serviceOf = (compose: Compose, name: string) => {
  const { command = [], environment = {} } = compose.services[name] ?? {};
  return {
    args: command,
    environment: Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, interpolate(value, secrets)]),
    ),
  };
};
