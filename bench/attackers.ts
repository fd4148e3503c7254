import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf, type Client } from '../test/support/client.js';
import { newRun } from './bench-context.js';

/** A tenant with ordinary rights: an editor's key, bound to its one project. */
export type AttackTenant = {
  readonly url: string;
  readonly apiKey: string;
  /** Key of a user who may make scorers. */
  readonly personalKey: string;
  readonly root: string;
};
export type AttackContext = AttackTenant & {
  readonly client: Client;
  readonly run: string;
  /** Counts the responses to the attack, for the row. */
  readonly count: (answer: string) => void;
};

/**
 * One way to take more than one's share. `strike` goes on until the signal; whatever it is answered
 * is well, as long as others are served.
 */
export type Attack = {
  readonly name: string;
  readonly prepare: (stage: AttackContext) => Promise<unknown>;
  readonly strike: (stage: AttackContext, prepared: never, signal: AbortSignal) => Promise<void>;
};

export const attack = <P>(
  name: string,
  prepare: (stage: AttackContext) => Promise<P>,
  strike: (stage: AttackContext, prepared: P, signal: AbortSignal) => Promise<void>,
): Attack => ({ name, prepare, strike });

export const openAttackContext = async (stage: AttackTenant): Promise<AttackContext> => {
  const client = clientOf({ ...stage, connections: 1_000 });
  const run = await newRun(client, stage.root, 'attack');
  return { ...stage, client, run, count: () => undefined };
};

/** Runs `count` loops of `work`; each starts over after its response, whatever it is. */
export const runLoops = async (
  count: number,
  signal: AbortSignal,
  work: (n: number) => Promise<unknown>,
): Promise<void> => {
  let n = 0;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const answered = work(n++).catch(() => pause(20));
      await Promise.race([answered, pause(60_000, null, { signal }).catch(() => null)]);
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
};

const words = (bytes: number): string => 'lorem ipsum dolor sit amet '.repeat(bytes / 27 + 1);
export const loremText = (bytes: number): string => words(bytes).slice(0, bytes);

export const logTraces = async (
  { client, root, run }: AttackContext,
  traces: readonly object[],
): Promise<readonly string[]> => {
  const body = { log_stream_id: run, include_trace_ids: true, traces };
  const reply = await client.send<{ trace_ids?: string[] }>('POST', `${root}/traces`, { body });
  return reply.body.trace_ids ?? [];
};
export const logTrace = async (stage: AttackContext, trace: object = {}): Promise<string> => {
  const [id] = await logTraces(stage, [{ input: 'a', ...trace }]);
  if (id === undefined) throw new Error('no trace to attack with');
  return id;
};

export const addSpans = (
  { client, root }: AttackContext,
  trace: string,
  spans: readonly object[],
): Promise<unknown> =>
  client.send('POST', `${root}/spans`, { body: { trace_id: trace, parent_id: trace, spans } });

/** Logs traces with an input of the given bytes and ending. */
export const logLongTraces = async (
  stage: AttackContext,
  count: number,
  bytes: number,
  end = '',
): Promise<void> => {
  const perRequest = Math.max(1, Math.min(1_000, Math.floor(9_000_000 / bytes)));
  for (let left = count; left > 0; left -= perRequest) {
    const traces = Array.from({ length: Math.min(left, perRequest) }, () => ({
      input: loremText(bytes) + end,
      output: 'done',
    }));
    await logTraces(stage, traces);
  }
};

export const headOf = (stage: AttackTenant, request: string, headers: readonly string[]): string =>
  [
    `${request} HTTP/1.1`,
    'Host: localhost',
    `Service-API-Key: ${stage.apiKey}`,
    'X-Forwarded-For: 10.66.66.66',
    ...headers,
    '',
    '',
  ].join('\r\n');

/**
 * Keeps `count` sockets open, each with `bytes` sent, and opens another one for each that it sees
 * closed. `from`: an address of this machine. Only those that read see it at once.
 */
export const holdSockets = async (
  stage: AttackContext,
  asked: {
    readonly count: number;
    readonly bytes: string;
    readonly from?: string;
    readonly reads?: true;
  },
  signal: AbortSignal,
): Promise<void> => {
  const { count, bytes, from = '127.0.0.1', reads = false } = asked;
  const { hostname, port } = new URL(stage.url);
  const open = new Set<Socket>();
  while (!signal.aborted) {
    while (open.size < count) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from });
      open.add(socket);
      socket.on('error', () => null);
      socket.on('close', () => {
        open.delete(socket);
        if (!signal.aborted) stage.count('by a cut');
      });
      if (reads) socket.resume();
      else socket.pause();
      socket.write(bytes);
    }
    await pause(100, null, { signal }).catch(() => null);
  }
  for (const socket of open) socket.destroy();
};

/** Asks for something and goes away after so many milliseconds. */
export const abandonRequests = async (
  stage: AttackContext,
  path: string,
  body: object,
  afterMs: number,
): Promise<void> => {
  const { hostname, port } = new URL(stage.url);
  const text = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => null);
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  const head = headOf(stage, `POST ${path}`, ['Content-Type: application/json', length]);
  socket.write(head + text);
  await pause(afterMs);
  socket.destroy();
  stage.count('abandoned');
};
