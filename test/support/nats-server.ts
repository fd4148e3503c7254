import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-port.js';
import { pollUntil } from './poll-until.js';

export type NatsServer = {
  readonly port: number;
  readonly url: string;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Starts it again on the same port, without earlier state. */
  readonly start: () => Promise<void>;
  /** SIGSTOP: alive without answering, until SIGCONT. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
};

const host = '127.0.0.1';
const startWithinMs = 5_000;

/**
 * A `nats-server` on a free port of the loopback interface; it accepts connections when this
 * resolves. `words`: further arguments.
 */
export const startNatsServer = async (words: readonly string[] = []): Promise<NatsServer> => {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const command = ['-a', host, '-p', String(port), ...words];
    child = spawn('nats-server', command, { stdio: 'ignore' });
    await pollUntil('nats-server accepts', startWithinMs, () => accepts(port));
  };
  await start();
  return {
    port,
    url: `nats://${host}:${port}`,
    start,
    signal: (signal) => void child?.kill(signal),
    kill: async () => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
