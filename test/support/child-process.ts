import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { atProcessExit } from './exit-work.js';
import { bareEnvironment } from './test-environment.js';

/** A server that a test starts beside the service, and kills and starts again at one address. */
export type TestChild = {
  readonly pid: () => number;
  /** SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: alive without answering, until SIGCONT. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** The same command once more, after a kill. Resolves when it says that it is ready. */
  readonly restart: () => Promise<void>;
};

type ChildCommand = {
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The first match in a line of its output means that it is ready. */
  readonly ready: RegExp;
  readonly withinMs?: number;
};

/**
 * Resolves when a line of the output matches `ready`, with its match; throws with the output when
 * the program ends before or takes too long. It dies with the test's process.
 */
export const startChild = async (
  command: ChildCommand,
): Promise<{ readonly child: TestChild; readonly match: RegExpMatchArray }> => {
  let current = await spawnUntilReady(command);
  return {
    match: current.match,
    child: {
      pid: () => current.process.pid ?? 0,
      kill: () => killChild(current.process),
      signal: (signal) => void current.process.kill(signal),
      restart: async () => {
        await killChild(current.process);
        current = await spawnUntilReady(command);
      },
    },
  };
};

const spawnUntilReady = async ({
  what,
  command,
  args,
  env = {},
  ready,
  withinMs = 20_000,
}: ChildCommand) => {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ...env },
  });
  child.once(
    'exit',
    atProcessExit(() => child.kill('SIGKILL')),
  );
  const lines: string[] = [];
  const match = await new Promise<RegExpMatchArray>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${what} ${why}:\n${lines.join('\n')}`));
    const late = setTimeout(() => fail(`was not ready within ${withinMs} ms`), withinMs);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        if (lines.length < 200) lines.push(line);
        const found = ready.exec(line);
        if (found === null) return;
        clearTimeout(late);
        resolve(found);
      });
    child.once('error', (error) => fail(String(error)));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
  });
  return { process: child, match };
};

const killChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};
