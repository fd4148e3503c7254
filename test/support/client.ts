import { randomInt } from 'node:crypto';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export type Reply<T> = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: T;
  /** `X-Log-Position` of a write, `X-Projection-Position` of a read, else null. */
  readonly position: string | null;
};

export type Ask = {
  /** A string or bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * HTTP client of a running service with one key and an address of its own. `send` answers with any
 * status, and rejects only when the connection broke; `call` throws, with the answer in its
 * message, unless the status is 2xx.
 */
export type Client = {
  readonly send: <T = unknown>(method: string, path: string, ask?: Ask) => Promise<Reply<T>>;
  readonly call: <T = unknown>(method: string, path: string, ask?: Ask) => Promise<Reply<T>>;
  readonly close: () => void;
};

export const clientOf = ({
  url,
  apiKey,
  connections = 64,
}: {
  readonly url: string;
  readonly apiKey: string | null;
  readonly connections?: number;
}): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const { hostname, port } = new URL(url);
  const send = <T>(method: string, path: string, ask: Ask = {}): Promise<Reply<T>> => {
    const payload = payloadOf(ask.body);
    const headers: Record<string, string> = {
      'X-Forwarded-For': address,
      ...(apiKey !== null && { 'Service-API-Key': apiKey }),
      ...(payload !== null && {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(payload)),
      }),
      ...ask.headers,
    };
    return new Promise((resolve, reject) => {
      const outgoing = request({ agent, hostname, port, method, path, headers }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const position =
            incoming.headers['x-log-position'] ?? incoming.headers['x-projection-position'];
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: parsed(text, incoming.headers['content-type'] ?? '') as T,
            position: typeof position === 'string' ? position : null,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(payload ?? undefined);
    });
  };
  return {
    send,
    call: async <T>(method: string, path: string, ask?: Ask) => {
      const reply = await send<T>(method, path, ask);
      if (reply.status < 200 || reply.status > 299)
        throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply;
    },
    close: () => agent.destroy(),
  };
};

const payloadOf = (body: unknown): string | Buffer | null => {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
};
const parsed = (text: string, contentType: string): unknown => {
  if (text === '') return null;
  return /[/+]json\b/.test(contentType) ? JSON.parse(text) : text;
};
