import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Json } from '../../kernel/schema-types.js';
import { Fault } from '../../kernel/fault.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { readBody, type BodyBudget } from './decode-body.js';
import { openOpsAccess, type OpsAccess } from './ops-access.js';
import { notReadyStatus, problemOf } from './problem.js';
import { closeServer, listenOn, type RunningServer } from './server.js';

export type OpsOptions = {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Token that commands require; null: they are accepted without one, from this machine only. */
  readonly token: string | null;
  /**
   * `status` is `ready` when the service can do its work; with any other status, readiness is red.
   */
  readonly ready: () => Promise<{ readonly status: string }>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /**
   * Commands of the operator, by name: POST `/operate/<name>` with a JSON body. Null for an unknown
   * command. Lines are sent as they are made, and end with a problem when making them fails.
   */
  readonly operate?: (
    command: string,
    request: unknown,
  ) => Promise<Json | AsyncIterable<Json> | null>;
};

type OpsReply = {
  readonly status: number;
  readonly type: string;
  readonly text: string | AsyncIterable<string>;
};
const jsonReply = (status: number, body: unknown): OpsReply => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});

/** Time limit of the close, which comes last: a later request would reach closed engines. */
const closeWithinMs = 1_000;

/**
 * Operators' listener: `/healthz`, `/readyz`, `/metrics` for every client that reaches it, and
 * commands for operators.
 */
export const startOpsServer = async (options: OpsOptions): Promise<RunningServer> => {
  const access = openOpsAccess(options.host, options.token);
  const server = createServer((request, response) => {
    void replyTo(request, options, access)
      .catch((error: unknown) => errorReply(error, options.logger))
      .then((reply) => sendReply(response, reply, request.method === 'HEAD'))
      // The client disconnected.
      .catch(() => response.destroy());
  });
  const port = await listenOn(server, options.host, options.port, 'ASSAY_OPS');
  return { port, close: () => closeServer(server, closeWithinMs) };
};

const sendReply = async (
  response: ServerResponse,
  { status, type, text }: OpsReply,
  isHead: boolean,
): Promise<void> => {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-store' };
  if (typeof text === 'string') {
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    response.end(isHead ? '' : text);
    return;
  }
  response.writeHead(status, headers);
  await pipeline(Readable.from(text), response);
};

const replyTo = async (
  request: IncomingMessage,
  options: OpsOptions,
  access: OpsAccess,
): Promise<OpsReply> => {
  const [path = ''] = (request.url ?? '').split('?', 1);
  access.checkHost(request);
  if (request.method === 'POST') access.checkCommandRights(request);
  if (request.method === 'POST') return runCommand(request, path, options);
  switch (path) {
    case '/healthz':
      return jsonReply(200, { status: 'ok' });
    case '/readyz': {
      const state = await options.ready();
      return jsonReply(state.status === 'ready' ? 200 : notReadyStatus, state);
    }
    case '/metrics':
      return { status: 200, type: options.metrics.contentType, text: await options.metrics.text() };
    default:
      throw new Fault('not-found', 'No such route');
  }
};

/** Operators' commands have no body budget. */
const unlimitedBodyBudget: BodyBudget = {
  reserve: () => undefined,
  acquireLargeSlot: async () => undefined,
  recordParseTime: () => undefined,
  release: () => undefined,
};

const runCommand = async (
  request: IncomingMessage,
  path: string,
  { operate, logger }: OpsOptions,
): Promise<OpsReply> => {
  // A page in a browser on this machine can post a form, but no JSON: so it cannot command the
  // service.
  if (request.headers['content-type'] !== 'application/json') {
    throw new Fault('unsupported-media-type', 'Commands are sent as application/json');
  }
  const [, folder, command = ''] = path.split('/');
  const body = await readBody(request, { size: 'json', encoding: 'json' }, unlimitedBodyBudget);
  if ('complaint' in body) throw new Fault('malformed', body.complaint.msg);
  const answer = folder === 'operate' ? await operate?.(command, body.value) : null;
  if (answer === null || answer === undefined) throw new Fault('not-found', 'No such command');
  return isStream(answer) ? streamedReply(answer, logger) : jsonReply(200, answer);
};

const isStream = (answer: Json | AsyncIterable<Json>): answer is AsyncIterable<Json> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

/** Streams lines; an error before the first line is a response of its own. */
const streamedReply = async (lines: AsyncIterable<Json>, logger: Logger): Promise<OpsReply> => {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* texts(): AsyncIterable<string> {
    try {
      for (let line = first; line.done !== true; line = await iterator.next()) {
        yield `${JSON.stringify(line.value)}\n`;
      }
    } catch (error) {
      yield `${errorReply(error, logger).text as string}\n`;
    } finally {
      await iterator.return?.();
    }
  }
  return { status: 200, type: 'application/x-ndjson; charset=utf-8', text: texts() };
};

const errorReply = (error: unknown, logger: Logger): OpsReply => {
  if (error instanceof Fault) {
    const { status, body } = problemOf(error, '');
    return jsonReply(status, body);
  }
  logger.error({ cause: String(error) }, 'defect on the operators listener');
  // The cause may have paths or data in it. Without a `detail` the response would look like another
  // program's.
  const detail = 'it failed, and the cause is in the log of the service';
  return jsonReply(notReadyStatus, { status: 'failed', detail });
};
