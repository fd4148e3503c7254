import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { atProcessExit } from './exit-work.js';
import { clientOf, type Client } from './client.js';
import { bareEnvironment, nodeFlags, program } from './test-environment.js';

export type ProcessExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type ServiceProcess = {
  readonly pid: number;
  readonly url: string;
  readonly opsUrl: string;
  readonly apiKey: string;
  readonly client: Client;
  /** Time from spawn to the line `ready`. */
  readonly startMs: number;
  /** The newest lines of stdout and stderr, for the message of a failing test. */
  readonly output: () => string;
  readonly exited: Promise<ProcessExit>;
  /** SIGKILL; resolves when the process is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves with the exit, forced by SIGKILL after 15 s. */
  readonly stop: () => Promise<ProcessExit>;
};

export type ServiceStartOptions = {
  readonly dir: string;
  /** Another copy of the built program. */
  readonly program?: string;
  readonly apiKey?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of the program: `['serve', '--roles', 'command']`; default `['serve']`. */
  readonly args?: readonly string[];
  /**
   * Command in front of the program: `['unshare', '-Urm', 'sh', '-c', 'mount … && exec "$@"',
   * 'sh']`.
   */
  readonly prefix?: readonly string[];
  /** Lines kept in `output`. */
  readonly linesMax?: number;
};

/** The key that the tests bootstrap an empty folder with: a pre-generated form of contract 4.4. */
export const testKey = 'outside-test-key-0123456789abcdefghij';
const usualLinesMax = 200;

/**
 * Spawns a service on this folder without waiting, for tests that kill it while it starts. `ready`
 * resolves with the running service, or throws with its output when it ends or exceeds the time
 * limit.
 */
export const spawnService = (
  start: ServiceStartOptions,
): { readonly child: ChildProcess; readonly ready: Promise<ServiceProcess> } => {
  const apiKey = start.apiKey ?? testKey;
  const [command = '', ...args] = [
    ...(start.prefix ?? []),
    process.execPath,
    ...nodeFlags,
    start.program ?? program,
    ...(start.args ?? ['serve']),
  ];
  const spawned = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...bareEnvironment(),
      ASSAY_DATA_DIR: start.dir,
      ASSAY_HOST: '127.0.0.1',
      ASSAY_PORT: '0',
      ASSAY_OPS_PORT: '0',
      ASSAY_BOOTSTRAP_API_KEY: apiKey,
      ASSAY_SANDBOX: 'off',
      // With a console the first start would invite the admin: one more event, one more line.
      ASSAY_CONSOLE: 'off',
      ...start.env,
    },
  });
  const lines: string[] = [];
  child.once(
    'exit',
    atProcessExit(() => child.kill('SIGKILL')),
  );
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      lines.push(String(error));
      resolve({ code: -1, signal: null });
    });
  });
  const output = (): string => lines.join('\n');
  const ports = new Promise<BoundPorts>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > (start.linesMax ?? usualLinesMax)) lines.shift();
        const said = portsOf(line);
        if (said !== null) resolve(said);
      });
  });
  return { child, ready: whenReady({ child, exited, output, ports, apiKey, spawned }) };
};

export const startService = (start: ServiceStartOptions): Promise<ServiceProcess> =>
  spawnService(start).ready;

type Spawned = {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
  readonly output: () => string;
  readonly ports: Promise<BoundPorts>;
  readonly apiKey: string;
  readonly spawned: number;
};

/** Less than a test may take, so that the error has the output of the service. */
const readyWithinMs = 100_000;

const whenReady = async (service: Spawned): Promise<ServiceProcess> => {
  const { child, exited, output, apiKey } = service;
  const patience = new AbortController();
  const said = await Promise.race([
    service.ports,
    exited.then((exit) => `ended with ${exit.code ?? exit.signal} before it was ready`),
    pause(readyWithinMs, `was not ready within ${readyWithinMs} ms`, {
      signal: patience.signal,
      ref: false,
    }),
  ]);
  const startMs = performance.now() - service.spawned;
  patience.abort();
  if (typeof said === 'string') {
    child.kill('SIGKILL');
    throw new Error(`The service ${said}. Its output:\n${output()}`);
  }
  const url = `http://127.0.0.1:${said.port}`;
  const client = clientOf({ url, apiKey });
  const end = async (signal: NodeJS.Signals, withinMs: number): Promise<ProcessExit> => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    const exit = await exited;
    clearTimeout(timer);
    client.close();
    return exit;
  };
  return {
    pid: child.pid ?? 0,
    url,
    opsUrl: `http://127.0.0.1:${said.ops_port}`,
    apiKey,
    client,
    startMs,
    output,
    exited,
    kill: async () => {
      await end('SIGKILL', 1_000);
    },
    stop: () => end('SIGTERM', 15_000),
  };
};

type BoundPorts = { readonly port: number; readonly ops_port: number };
const portsOf = (line: string): BoundPorts | null => {
  if (!line.startsWith('{') || !line.includes('"ready"')) return null;
  const said = JSON.parse(line) as { readonly msg?: unknown } & BoundPorts;
  return said.msg === 'ready' ? said : null;
};

/** Runs one subcommand of the built program on a folder to its end. */
export const runAssay = async (
  dir: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> =>
  runAssayWith({ ASSAY_DATA_DIR: dir }, ...args);

/** Like runAssay, with further environment variables. */
export const runAssayWith = async (
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
};
