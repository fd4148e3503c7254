import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Fault } from '../../kernel/fault.js';
import type { Ids } from '../../kernel/ports.js';
import type { JsonChunks } from '../../kernel/json-chunks.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { acceptsCoding } from './http-syntax.js';
import { compressedFrom, gzipParts, gzipWhole } from './compress-answer.js';
import { flushResponse } from './error-trailer.js';
import { protobufMedia } from './protobuf-codec.js';
import type { HandledResponse } from './stored-response.js';
import { challengeOf, failureOf, isClosed, isUnauthenticated, type Problem } from './problem.js';

const requestIdForm = /^[A-Za-z0-9_-]{8,64}$/;

/** Headers of every response (contract 1.1, rule 5). */
export const constantHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'",
};

type ResponderNeeds = {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
};
/** Facts about the request that `work` adds, for the log line and the response headers. */
export type ResponseMeta = {
  readonly requestId: string;
  operation: string;
  /** Sets a header of the response, whatever its status. */
  readonly setHeader: (header: string, value: string) => void;
  /** `Set-Cookie` of a 401 that rejected a cookie (contract 4.3, rule 1). */
  clearedCookie: readonly string[] | null;
  /** Encodes a problem in the operation's own format; null: as in contract 1.5. */
  encodeProblem: ((problem: Problem) => EncodedProblem) | null;
};
type EncodedProblem = { readonly content: string | JsonChunks; readonly media: string };
type AnswerContent = string | JsonChunks | AsyncIterable<string | Uint8Array>;
export type EncodedAnswer = Omit<HandledResponse, 'body' | 'json' | 'lines' | 'media'> & {
  readonly content: AnswerContent;
  /** Size of `content` in UTF-8; null when unknown. */
  readonly bytes: number | null;
  /** Default: JSON. */
  readonly media?: string;
  /** Called when the client has received the response, or disconnected. */
  readonly release: () => void;
};

/**
 * Frame of every request: its id, headers, problems, the log line, the metrics. Never throws.
 * Returns a function to call when the client has received the response, or disconnected.
 */
export const respond = async (
  ctx: Context,
  { ids, logger, metrics }: ResponderNeeds,
  work: (meta: ResponseMeta) => Promise<EncodedAnswer>,
): Promise<() => void> => {
  const began = performance.now();
  const sentId = ctx.get('X-Request-Id');
  const requestId = requestIdForm.test(sentId) ? sentId : ids.next('RequestId');
  const setHeader = (header: string, value: string): void => ctx.set(header, value);
  const meta: ResponseMeta = {
    requestId,
    operation: 'none',
    clearedCookie: null,
    encodeProblem: null,
    setHeader,
  };
  ctx.set(constantHeaders);
  ctx.set('X-Request-Id', requestId);
  let release = (): void => undefined;
  try {
    const answer = await work(meta);
    ({ release } = answer);
    await writeAnswer(ctx, answer, (error) => {
      const fields = { request_id: requestId, operation: meta.operation };
      if (ctx.req.socket.destroyed) logger.info(fields, 'client closed request');
      else logger.warn({ ...fields, cause: errorSummary(error) }, 'response cut short');
    });
  } catch (error) {
    const problem = failureOf(error, ctx.req, requestId);
    logCause(error, problem, meta, logger);
    await writeProblem(ctx, problem, meta);
  }
  const seconds = (performance.now() - began) / 1_000;
  metrics.request(meta.operation, ctx.status, seconds);
  const { operation } = meta;
  const ms = Math.round(seconds * 1e6) / 1e3;
  logger.info(
    { request_id: requestId, operation, method: ctx.method, status: ctx.status, ms },
    'request',
  );
  return release;
};

/**
 * A longer response is sent in chunks, so that a client that stops receiving is detected; a chunk
 * is received within the longest silence at the lowest rate (contract 1.11).
 */
const unchunkedBytesMax = 65_536;
const chunkBytes = 16_384;

const isStreamed = (content: AnswerContent): content is AsyncIterable<string | Uint8Array> =>
  typeof content !== 'string' && Symbol.asyncIterator in content;

/** Produces a chunk once the client has received the one before (backpressure). */
async function* streamChunks(
  content: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const part of content) yield* chunksOf(typeof part === 'string' ? part : [part]);
}

function* chunksOf(content: string | JsonChunks): Generator<Uint8Array> {
  for (const bytes of typeof content === 'string' ? [Buffer.from(content)] : content) {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield bytes.subarray(at, at + chunkBytes);
    }
  }
}

const writeAnswer = async (
  ctx: Context,
  { status, content, bytes, headers, media = 'application/json' }: Omit<EncodedAnswer, 'release'>,
  broke: (error: unknown) => void = () => undefined,
): Promise<void> => {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) {
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  }
  if (status === 204) return;
  ctx.set('Content-Type', media === protobufMedia ? media : `${media}; charset=utf-8`);
  const mayCompress = !ctx.res.hasHeader('Content-Encoding');
  const isLong = isStreamed(content) || (bytes ?? 0) > compressedFrom;
  if (isLong && mayCompress) ctx.vary('Accept-Encoding');
  const isCompressed = isLong && mayCompress && acceptsCoding(ctx.get('Accept-Encoding'), 'gzip');
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  if (isStreamed(content)) {
    const parts = isCompressed ? gzipParts(content, () => flushResponse(ctx.res)) : content;
    const sent = Readable.from(streamChunks(parts), {
      objectMode: false,
      highWaterMark: chunkBytes,
    });
    // koa then cuts the connection before the last chunk, so that the client detects the incomplete
    // response.
    sent.once('error', broke);
    ctx.body = sent;
    return;
  }
  if (bytes === null) return;
  if (!isCompressed) return writeBytes(ctx, content, bytes);
  const compressed = await gzipWhole(
    typeof content === 'string' ? [Buffer.from(content)] : content,
  );
  writeBytes(ctx, compressed, byteLengthOf(compressed));
};

const writeBytes = (ctx: Context, content: string | JsonChunks, bytes: number): void => {
  if (bytes > unchunkedBytesMax) ctx.body = Readable.from(chunksOf(content));
  else ctx.body = typeof content === 'string' ? content : Buffer.concat(content);
  ctx.length = bytes;
};

const writeProblem = async (
  ctx: Context,
  problem: Problem,
  { clearedCookie, encodeProblem }: ResponseMeta,
): Promise<void> => {
  const { status, body, retryAfter } = problem;
  if (retryAfter !== null) ctx.set('Retry-After', String(retryAfter));
  if (isUnauthenticated(status)) {
    ctx.set('WWW-Authenticate', challengeOf(ctx.req.headers.authorization));
    if (clearedCookie !== null) ctx.set('Set-Cookie', [...clearedCookie]);
  }
  const encoded: EncodedProblem =
    encodeProblem === null
      ? { content: JSON.stringify(body), media: 'application/json' }
      : encodeProblem(problem);
  await writeAnswer(ctx, { status, ...encoded, bytes: byteLengthOf(encoded.content), headers: {} });
};

/** Size in UTF-8. */
export const byteLengthOf = (content: string | JsonChunks): number =>
  typeof content === 'string'
    ? Buffer.byteLength(content)
    : content.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Logs why a request failed; that its client closed it is in its status alone. */
const logCause = (
  error: unknown,
  { status }: Problem,
  { requestId, operation }: ResponseMeta,
  logger: Logger,
): void => {
  const fields = { request_id: requestId, operation };
  if (!(error instanceof Fault)) {
    logger.error({ ...fields, cause: errorSummary(error) }, 'defect');
  } else if (error.cause !== undefined && !isClosed(status)) {
    logger.warn({ ...fields, cause: errorSummary(error.cause) }, error.code);
  }
};

/** A message may quote client data, so only its beginning is logged. */
const messageCharactersMax = 300;
const errorSummary = (cause: unknown): unknown =>
  cause instanceof Error
    ? {
        name: cause.name,
        message: cause.message.slice(0, messageCharactersMax),
        frames: cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
      }
    : String(cause).slice(0, messageCharactersMax);
