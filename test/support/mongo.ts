import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startChild, type TestChild } from './child-process.js';
import { temporaryFolder } from './folder.js';
import { freePort } from './free-port.js';
import { repository } from './test-environment.js';

export type MongoServer = {
  /** Address of a database of that name, by default a new one each time. */
  readonly url: (database?: string) => string;
  /** SIGKILL; `restart` brings it back on the same port and data. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly signal: TestChild['signal'];
  /** Ends it and removes its data. A foreign server keeps running. */
  readonly stop: () => Promise<void>;
  /** False for a foreign server, which is not killed. */
  readonly isOurs: boolean;
};

const engines = join(repository, '.engines');
const loader = join(engines, 'glibc/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2');
const modules = join(engines, 'mongo/node_modules');
const foreign = process.env['ASSAY_TEST_MONGODB_URL'] ?? '';

/** True if a MongoDB is available to tests: a server of their own, or the configured one. */
export const hasMongo = foreign !== '' || (existsSync(loader) && existsSync(modules));

export const howToHaveMongo =
  'skipped, MongoDB is not here: run test/support/install-mongo.sh or set ASSAY_TEST_MONGODB_URL';

/**
 * A MongoDB for tests: the server of `ASSAY_TEST_MONGODB_URL`, else a process of its own on an
 * empty folder. It ends with the process that started it.
 */
export const startMongo = async (): Promise<MongoServer> => {
  if (foreign !== '') return foreignServer(foreign);
  if (!hasMongo) throw new Error(howToHaveMongo);
  const { dir, remove } = await temporaryFolder();
  const data = join(dir, 'data');
  await mkdir(data);
  const port = await freePort();
  const program = join(repository, 'test/support/mongo-server.cjs');
  const { child } = await startChild({
    what: 'MongoDB',
    command: loader,
    args: ['--library-path', dirname(loader), process.execPath, program, data, String(port)],
    env: { NODE_PATH: modules, TMPDIR: dir },
    ready: /^\d+$/,
    withinMs: 60_000,
  });
  return {
    url: (database = newName()) => `mongodb://127.0.0.1:${port}/${database}?directConnection=true`,
    kill: child.kill,
    restart: child.restart,
    signal: child.signal,
    stop: async () => {
      await child.kill();
      await remove();
    },
    isOurs: true,
  };
};

/** True for a collection that has the rows of a read model. */
export const isOfRows = (name: unknown): boolean => /^\w+_v\d+_[0-9a-f]{12}$/.test(String(name));

const newName = (): string => `assay-${randomUUID().slice(0, 8)}`;

const foreignServer = (url: string): MongoServer => {
  const [, server = '', options = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*(\?.*)?$/.exec(url) ?? [];
  const refuse = () => Promise.reject(new Error('this MongoDB is not ours to kill'));
  return {
    url: (database = newName()) => `${server}/${database}${options}`,
    kill: refuse,
    restart: refuse,
    signal: () => undefined,
    stop: () => Promise.resolve(),
    isOurs: false,
  };
};
