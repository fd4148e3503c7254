import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { getPriority, hostname } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './folder.js';

/**
 * Targets outside that a sandboxed process must not reach, and that report access. Their files are
 * open to every account, so that only the sandbox protects them.
 */
export type Tripwires = {
  readonly canary: string;
  /** Addresses of the targets, for the code inside. */
  readonly traps: Readonly<Record<string, string | number>>;
  /** Names of the targets that were reached. */
  readonly triggered: () => Promise<readonly string[]>;
  readonly remove: () => Promise<void>;
};

export const layTripwires = async (app: string): Promise<Tripwires> => {
  const { dir, remove } = await temporaryFolder();
  const canary = `canary-${process.pid}-in-a-coal-mine`;
  process.env['ASSAY_TEST_CANARY'] = canary;
  const [file, json, script] = ['canary', 'canary.json', 'script.mjs'].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  await writeFile(file, canary);
  await writeFile(json, JSON.stringify({ canary }));
  await writeFile(script, `require('node:fs').writeFileSync('${dir}/imported', 'x')`);
  for (const path of [dir, file, json, script]) await chmod(path, 0o777);
  const sibling = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
    env: { ASSAY_TEST_CANARY: canary },
    stdio: 'ignore',
    ...(process.getuid?.() === 0 && { uid: 61_183, gid: 61_183 }),
  });
  const reached: string[] = [];
  const listen = async (what: string, where: object): Promise<Server> => {
    const server = createServer((socket) => {
      reached.push(what);
      socket.destroy();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => resolve());
    });
    return server;
  };
  const tcp = await listen('tcp', { port: 0, host: '127.0.0.1' });
  const { port } = tcp.address() as { port: number };
  const six = await listen('tcp over IPv6', { port, host: '::1' }).catch(() => null);
  const socket = join(dir, 'socket');
  const unix = await listen('unix socket', { path: socket, readableAll: true, writableAll: true });
  const name = `assay-tripwire-${process.pid}`;
  const hidden = await listen('abstract socket', { path: `\0${name}` });
  const datagrams = createSocket('udp4', () => reached.push('udp'));
  await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
  const before = await readdir(dir);
  const { mode } = await stat(dir);

  return {
    canary,
    traps: {
      folder: dir,
      file,
      json,
      script,
      app,
      socket,
      abstract: name,
      port,
      datagrams: datagrams.address().port,
      service: process.pid,
      sibling: sibling.pid ?? 0,
      hostname: hostname(),
    },
    triggered: async () => [
      ...reached,
      ...(await readdir(dir)).filter((one) => !before.includes(one)),
      ...((await readFile(file, 'utf8')) === canary ? [] : ['a file was changed']),
      ...((await stat(dir)).mode === mode ? [] : ['the mode of a folder was changed']),
      ...harmsTo(sibling),
    ],
    remove: async () => {
      delete process.env['ASSAY_TEST_CANARY'];
      sibling.kill('SIGKILL');
      for (const server of [tcp, six, unix, hidden]) {
        await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
      }
      await new Promise<void>((resolve) => datagrams.close(() => resolve()));
      await remove();
    },
  };
};

const harmsTo = (sibling: ChildProcess): readonly string[] => {
  if (sibling.exitCode !== null || sibling.signalCode !== null) return ['a sibling died'];
  return getPriority(sibling.pid) === getPriority() ? [] : ['a sibling was slowed down'];
};
