import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { Fault } from '../../kernel/fault.js';
import type { Ids } from '../../kernel/ports.js';
import type { JsonPieces } from '../../kernel/json-pieces.js';
import type { Logger } from '../pino/logger.js';
import type { Metrics } from '../prometheus/metrics.js';
import { protobufMedia } from './messages.js';
import type { Exchanged } from './outcome.js';
import {
  challengeOf,
  internalProblem,
  isUnauthenticated,
  problemOf,
  type Problem,
} from './problem.js';

const requestIdForm = /^[A-Za-z0-9_-]{8,64}$/;

/** Contract 1.1, rule 5. */
export const constantHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'",
};

export type Surroundings = {
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
};
/** What `work` finds out on the way, for the log line and the head of the answer. */
export type Trail = {
  readonly requestId: string;
  operation: string;
  /** Sets a header of the answer, whatever the answer will be. */
  readonly say: (header: string, value: string) => void;
  /** `Set-Cookie` of a 401, where a cookie was refused (contract 4.3, rule 1). */
  refusedCookie: readonly string[] | null;
  /** Where the operation says in a form of its own why not; null: as contract 1.5 has it. */
  refusal: ((problem: Problem) => Refusal) | null;
};
type Refusal = { readonly content: string | JsonPieces; readonly media: string };
type Content = string | JsonPieces | AsyncIterable<string | Uint8Array>;
export type WrittenAnswer = Omit<Exchanged, 'body' | 'json' | 'lines' | 'media'> & {
  readonly content: Content;
  /** Of `content`, in UTF-8; null while nobody knows. */
  readonly bytes: number | null;
  /** Default: JSON. */
  readonly media?: string;
  /** To be called when the client has taken the answer, or is gone. */
  readonly release: () => void;
};

/**
 * What is the same around every request: its id, headers, problems, the log line, the figures.
 * Never throws. Answers what to call when the client has taken the answer, or is gone.
 */
export const respond = async (
  ctx: Context,
  { ids, logger, metrics }: Surroundings,
  work: (trail: Trail) => Promise<WrittenAnswer>,
): Promise<() => void> => {
  const began = performance.now();
  const given = ctx.get('X-Request-Id');
  const requestId = requestIdForm.test(given) ? given : ids.next('RequestId');
  const say = (header: string, value: string): void => ctx.set(header, value);
  const trail: Trail = { requestId, operation: 'none', refusedCookie: null, refusal: null, say };
  ctx.set(constantHeaders);
  ctx.set('X-Request-Id', requestId);
  let release = (): void => undefined;
  try {
    const written = await work(trail);
    ({ release } = written);
    write(ctx, written, (error) => {
      const fields = { request_id: requestId, operation: trail.operation };
      logger.warn({ ...fields, cause: told(error) }, 'an answer was cut short');
    });
  } catch (error) {
    refuse(ctx, problemFor(error, trail, logger), trail);
  }
  const seconds = (performance.now() - began) / 1_000;
  metrics.request(trail.operation, ctx.status, seconds);
  const { operation } = trail;
  const ms = Math.round(seconds * 1e6) / 1e3;
  logger.info(
    { request_id: requestId, operation, method: ctx.method, status: ctx.status, ms },
    'request',
  );
  return release;
};

/**
 * What is longer goes out in portions, so that it is seen whether the client takes it; one of them
 * is taken within the longest silence at the lowest rate (contract 1.11).
 */
const wholeBytesMax = 65_536;
const portionBytes = 16_384;

const isFlowing = (content: Content): content is AsyncIterable<string | Uint8Array> =>
  typeof content !== 'string' && Symbol.asyncIterator in content;

/** A portion is made once the client took the one before. */
async function* flow(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of content) yield* portionsOf(typeof part === 'string' ? part : [part]);
}

function* portionsOf(content: string | JsonPieces): Generator<Uint8Array> {
  for (const bytes of typeof content === 'string' ? [Buffer.from(content)] : content) {
    for (let at = 0; at < bytes.length; at += portionBytes) {
      yield bytes.subarray(at, at + portionBytes);
    }
  }
}

const write = (
  ctx: Context,
  { status, content, bytes, headers, media = 'application/json' }: Omit<WrittenAnswer, 'release'>,
  broke: (error: unknown) => void = () => undefined,
): void => {
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) {
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  }
  if (status === 204) return;
  ctx.set('Content-Type', media === protobufMedia ? media : `${media}; charset=utf-8`);
  if (isFlowing(content)) {
    const sent = Readable.from(flow(content), { objectMode: false, highWaterMark: portionBytes });
    // koa cuts the connection then, before the last chunk: nobody takes for whole what is not.
    sent.once('error', broke);
    ctx.body = sent;
    return;
  }
  if (bytes === null) return;
  if (bytes > wholeBytesMax) ctx.body = Readable.from(portionsOf(content));
  else ctx.body = typeof content === 'string' ? content : Buffer.concat(content);
  ctx.length = bytes;
};

const refuse = (ctx: Context, problem: Problem, { refusedCookie, refusal }: Trail): void => {
  const { status, body, retryAfter } = problem;
  if (retryAfter !== null) ctx.set('Retry-After', String(retryAfter));
  if (isUnauthenticated(status)) {
    ctx.set('WWW-Authenticate', challengeOf(ctx.req.headers.authorization));
    if (refusedCookie !== null) ctx.set('Set-Cookie', [...refusedCookie]);
  }
  const told: Refusal =
    refusal === null
      ? { content: JSON.stringify(body), media: 'application/json' }
      : refusal(problem);
  write(ctx, { status, ...told, bytes: bytesOf(told.content), headers: {} });
};

/** In UTF-8. */
export const bytesOf = (content: string | JsonPieces): number =>
  typeof content === 'string'
    ? Buffer.byteLength(content)
    : content.reduce((sum, { byteLength }) => sum + byteLength, 0);

const problemFor = (error: unknown, { requestId, operation }: Trail, logger: Logger): Problem => {
  const fields = { request_id: requestId, operation };
  if (!(error instanceof Fault)) {
    logger.error({ ...fields, cause: told(error) }, 'defect');
    return internalProblem(requestId);
  }
  if (error.cause !== undefined) logger.warn({ ...fields, cause: told(error.cause) }, error.code);
  return problemOf(error, requestId);
};

/** A message may quote what a client sent, so only its beginning goes to the log. */
const messageCharactersMax = 300;
const told = (cause: unknown): unknown =>
  cause instanceof Error
    ? {
        name: cause.name,
        message: cause.message.slice(0, messageCharactersMax),
        frames: cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
      }
    : String(cause).slice(0, messageCharactersMax);
