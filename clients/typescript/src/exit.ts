import { spawnSync } from 'node:child_process';
import type { ExitFlush } from './runtime.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const exitFlushes = new Set<ExitFlush>();
/** Each flush gets its time limit once, however the program goes on to end. */
const flushed = new WeakSet<ExitFlush>();

/**
 * Flushes when the program ends: with an empty event loop, by a signal without other listeners, by
 * `process.exit` or by an uncaught error. Not by SIGKILL.
 */
export const flushBeforeExit = (leaving: ExitFlush): (() => void) => {
  if (exitFlushes.size === 0) watch();
  exitFlushes.add(leaving);
  return () => {
    exitFlushes.delete(leaving);
    if (exitFlushes.size === 0) unwatch();
  };
};

const watch = (): void => {
  process.on('beforeExit', onIdle);
  process.on('exit', onExit);
  for (const signal of signals) process.on(signal, onSignal);
};
const unwatch = (): void => {
  process.off('beforeExit', onIdle);
  process.off('exit', onExit);
  for (const signal of signals) process.off(signal, onSignal);
};

const flushAll = async (): Promise<void> => {
  const left = [...exitFlushes].filter((one) => !flushed.has(one));
  await Promise.all(
    left.map(async (one) => {
      one.close();
      if (one.isEmpty() || (await one.flush(one.withinMs))) return;
      flushed.add(one);
      one.acknowledge(0);
    }),
  );
};

const onIdle = (): void => {
  // Its timers keep the program running until it is over.
  void flushAll();
};

/** Leaves the signal to other listeners; if they end the program, `exit` follows. */
const onSignal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  void flushAll().then(() => {
    unwatch();
    process.kill(process.pid, signal);
  });
};

/** Sends synchronously in a child process: nothing asynchronous runs any more. */
const onExit = (): void => {
  for (const one of exitFlushes) {
    if (flushed.has(one)) continue;
    flushed.add(one);
    one.close();
    if (!one.isEmpty()) one.acknowledge(sendInChildProcess(one));
  }
};

/** Number of accepted requests, from the first on. */
const sendInChildProcess = (leaving: ExitFlush): number => {
  const input = JSON.stringify(leaving.pending());
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    input,
    env,
    timeout: leaving.withinMs,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return (child.stdout ?? '').length;
};

/**
 * Program of the child: prints a dot for each accepted request. Retries each until it is killed.
 */
const program = `
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
const ask = async (url, method, headers, body) => {
  for (;;) {
    const answer = await fetch(url, { method, headers, body }).catch(() => null);
    if (answer?.ok) return answer;
    if (answer && answer.status < 500 && answer.status !== 429) process.exit();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const found = async ({ url, name, headers }) => {
  const listed = await (await ask(url, 'GET', headers)).json();
  const same = listed.find((one) => one.name === name);
  if (same) return same.id;
  const made = await ask(url.split('?')[0], 'POST', headers, JSON.stringify({ name }));
  return (await made.json()).id;
};
let rest = JSON.parse(text);
for (const at of rest.names.keys()) {
  const id = await found(rest.names[at]);
  rest = JSON.parse(JSON.stringify(rest).replaceAll(rest.names[at].standIn, id));
}
for (const { url, method, headers, body } of rest.requests) {
  await ask(url, method, headers, body);
  process.stdout.write('.');
}
`;
