import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
/** Null: the connection is cut. `never`: no answer. */
export type Scripted =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | 'never'
  | null;

export type ScriptedServer = {
  readonly url: string;
  readonly received: readonly Received[];
  readonly close: () => Promise<void>;
};

/**
 * Answers by a script: one entry per request, the last one for all further ones; or by a function
 * of the request.
 */
export const scriptedServer = async (
  script: readonly Scripted[] | ((request: Received) => Scripted | Promise<Scripted>),
): Promise<ScriptedServer> => {
  const received: Received[] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await text(incoming) };
    received.push(request);
    const said =
      typeof script === 'function'
        ? await script(request)
        : (script[Math.min(received.length, script.length) - 1] ?? null);
    if (said === 'never') return;
    if (said === null) return void incoming.socket.destroy();
    const { status, body } = said;
    outgoing.writeHead(status, { 'Content-Type': 'application/json', ...said.headers });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => incoming.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
};

/** A refusal of contract 1.5. */
export const refusal = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Scripted => ({ status, headers, body: { status, code, detail: `This is ${code}.` } });
