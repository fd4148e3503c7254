import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from './folder.js';
import { bareEnvironment, repository } from './outside.js';

export type MongoServer = {
  /** Of a database of that name, by default a new one each time. */
  readonly url: (database?: string) => string;
  /** SIGKILL; `restart` brings it back on the same port and data. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Ends it and removes its data. A server that somebody else runs goes on. */
  readonly stop: () => Promise<void>;
  /** False for a server that is not ours: it is not killed. */
  readonly isOurs: boolean;
};

const engines = join(repository, '.engines');
const loader = join(engines, 'glibc/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2');
const modules = join(engines, 'mongo/node_modules');
const foreign = process.env['ASSAY_TEST_MONGODB_URL'] ?? '';

/** Whether tests can have a MongoDB here: a server of their own, or the one they are told of. */
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
  let running = await launch(dir, 0);
  const { port } = running;
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.ended;
  };
  return {
    url: (database = newName()) => `mongodb://127.0.0.1:${port}/${database}?directConnection=true`,
    kill,
    restart: async () => {
      running = await launch(dir, port);
    },
    stop: async () => {
      await kill();
      await remove();
    },
    isOurs: true,
  };
};

const newName = (): string => `assay-${randomUUID().slice(0, 8)}`;

const foreignServer = (url: string): MongoServer => {
  const [, server = '', options = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*(\?.*)?$/.exec(url) ?? [];
  const refuse = () => Promise.reject(new Error('this MongoDB is not ours to kill'));
  return {
    url: (database = newName()) => `${server}/${database}${options}`,
    kill: refuse,
    restart: refuse,
    stop: () => Promise.resolve(),
    isOurs: false,
  };
};

type Running = {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ended: Promise<unknown>;
};

const launch = async (dir: string, port: number): Promise<Running> => {
  await mkdir(join(dir, 'data'), { recursive: true });
  const program = join(repository, 'test/support/mongo-server.cjs');
  const libraries = join(loader, '..');
  const child = spawn(
    loader,
    ['--library-path', libraries, process.execPath, program, join(dir, 'data'), String(port)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...bareEnvironment(), NODE_PATH: [modules].join(delimiter), TMPDIR: dir },
    },
  );
  const takeAlong = (): void => void child.kill('SIGKILL');
  process.once('exit', takeAlong);
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const ended = once(child, 'exit').then(() => process.off('exit', takeAlong));
  const lines = createInterface({ input: child.stdout });
  const taken = await Promise.race([
    once(lines, 'line').then(([line]) => Number(line)),
    ended.then(() => null),
  ]);
  if (taken === null) throw new Error(`MongoDB ended before it listened: ${said.join('')}`);
  return { child, port: taken, ended };
};
