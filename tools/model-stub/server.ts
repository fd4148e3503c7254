import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256 } from '../../engines/node/digest.js';
import { parseJsonText } from '../../kernel/json-text.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { stubFormats, type StubFormat, type StubReply, type StubRequest } from './formats.js';
import { sampleOf } from './schema-sample.js';
import type { StubAnswer, StubRule, StubScript } from './script.js';

/** A request that the stub got; `headers` with the key, so that tests can check it. */
type StubCall = {
  readonly at: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly status: number;
};
export type ModelStub = {
  readonly url: string;
  /** Number of calls since the start or the last `clear`. */
  readonly count: () => number;
  /** The newest calls, oldest first, 10,000 at most. */
  readonly calls: () => readonly StubCall[];
  readonly clear: () => void;
  /** Ends connections too, also those that wait for their answer. */
  readonly close: () => Promise<void>;
};

/** Calls that are kept, of some kilobytes each. */
const callsMax = 10_000;
/** Size of a request; prompts of 128,000 tokens are a twentieth of it. */
const bodyBytesMax = 16 * 1_024 * 1_024;

/** Starts a provider of models on 127.0.0.1: OpenAI's and Anthropic's format, by a script. */
export const startModelStub = async (
  script: StubScript = { rules: [] },
  port = 0,
): Promise<ModelStub> => {
  const stopped = new AbortController();
  const kept: StubCall[] = [];
  let count = 0;
  const clear = (): void => {
    kept.length = 0;
    count = 0;
  };
  const answerOf = openScript(script);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path } = new URL(request.url ?? '', 'http://stub');
    if (path === '/calls') {
      if (request.method === 'DELETE') clear();
      return send(response, 200, { count, calls: kept });
    }
    const text = await readText(request);
    const at = new Date().toISOString();
    const format = stubFormats.find((known) => known.path.test(path));
    const body = jsonObject(text);
    if (request.method !== 'POST' || format === undefined || body === null) {
      const error = { message: 'The stub has POST …/chat/completions and POST …/messages' };
      return send(response, 404, { error });
    }
    const headers = headersOf(request);
    const id = String((count += 1));
    const answer = answerOf(format.read(body), headers);
    const { status, content } = contentOf(format, answer, id);
    kept.push({ at, path, headers, body, status });
    if (kept.length > callsMax) kept.shift();
    await wait(answer.delayMs, undefined, { signal: stopped.signal });
    return send(response, status, content, answer.headers);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    calls: () => kept,
    clear,
    close: async () => {
      stopped.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

type Planned = {
  readonly status: number;
  readonly delayMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reply: Omit<StubReply, 'id'>;
};

/** Answers by the rules of a script, which count their own requests. */
const openScript = ({ rules }: StubScript) => {
  const used = new Map<StubRule, number>();
  return (request: StubRequest, headers: StubCall['headers']): Planned => {
    const rule = rules.find(
      ({ when, model = request.model }) =>
        model === request.model &&
        (when === undefined || request.texts.some((text) => text.includes(when))),
    );
    const turn = rule === undefined ? 0 : (used.get(rule) ?? 0);
    if (rule !== undefined) used.set(rule, turn + 1);
    const last = rule === undefined ? 0 : rule.answers.length - 1;
    return plannedOf(request, rule?.answers[Math.min(turn, last)] ?? {}, keyOf(headers));
  };
};

/** Answer of the script, with the default's members where it has none. */
const plannedOf = (request: StubRequest, scripted: StubAnswer, key: string): Planned => {
  if (request.stream) return plannedOf({ ...request, stream: false }, unstreamed, key);
  const { status = 200, finish = 'stop', delay_ms: delayMs = 0, headers = {} } = scripted;
  const json = scripted.json ?? (scripted.text === undefined ? sampled(request) : undefined);
  const echo = request.texts.at(-1) ?? '';
  const text = scripted.text ?? (json === undefined ? echo : JSON.stringify(json));
  const usage = {
    input: tokensOf(request.texts.join('\n')),
    output: tokensOf(text),
    cache_read: 0,
    cache_write: 0,
    reasoning: 0,
    ...scripted.usage,
  };
  const tool =
    request.tool === null || json === undefined ? null : { name: request.tool, input: json };
  const reply = {
    model: request.model,
    text: text.replaceAll('{{key}}', key),
    tool,
    finish,
    usage,
  };
  return { status, delayMs, headers, reply };
};
const unstreamed: StubAnswer = { status: 400, text: 'The stub does not stream' };

/** Value that fits the schema of the request, the same for the same texts. */
const sampled = ({ schema, texts }: StubRequest): Json | undefined => {
  if (schema === null) return undefined;
  const fraction = (sha256(texts.join('\n'))[0] ?? 0) / 256;
  return sampleOf(schema, fraction, 'Answered by the stub without reading.');
};

/** Four characters a token, about what English has. */
const tokensOf = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

const contentOf = (
  format: StubFormat,
  { status, reply }: Planned,
  id: string,
): { readonly status: number; readonly content: Json } => ({
  status,
  content: status < 300 ? format.answer({ id, ...reply }) : format.error(status, reply.text),
});

/** Key of a request, wherever its format has it. */
const keyOf = (headers: StubCall['headers']): string =>
  headers['authorization']?.replace(/^Bearer /i, '') ??
  headers['x-api-key'] ??
  headers['api-key'] ??
  '';

const headersOf = ({ headers }: IncomingMessage): StubCall['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const jsonObject = (text: string): JsonObject | null => {
  try {
    const value = parseJsonText(text) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
};

const send = (
  response: ServerResponse,
  status: number,
  content: Json | object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(content));
};
