import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.js';
import { healthcheck } from '../../contract/service.js';
import { parseJsonChunks, type JsonChunks } from '../../kernel/json-chunks.js';
import { Fault } from '../../kernel/fault.js';
import type { ByteReservation } from '../../kernel/byte-budget.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import { exportMark, type Tracing } from '../../kernel/tracing.js';
import { setCookieHeaders, expiredCookie } from './refresh-cookie.js';
import { flushResponse, withErrorTrailer } from './error-trailer.js';
import type { RoutedRequest } from './routing.js';
import { processRequest } from './request-pipeline.js';
import {
  isProtobufRequest,
  protobufMedia,
  rpcStatusJson,
  type ProtobufCodec,
} from './protobuf-codec.js';
import type { ConcurrencySlot } from './load-shedding.js';
import {
  takesNoteMembers,
  openAnswerNotes,
  appendMembers,
  type AnswerNotes,
} from './answer-notes.js';
import type { HandledResponse } from './stored-response.js';
import { internalProblem, problemOf, failureOf } from './problem.js';
import { byteLengthOf, type ResponseMeta, type EncodedAnswer } from './respond.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';

/** Serves one request, from its URL to the text of its response, in a concurrency slot. */
export const serveRequest = async (
  ctx: Context,
  find: (ctx: Context) => RoutedRequest,
  services: HttpServices,
  meta: ResponseMeta,
): Promise<EncodedAnswer> => {
  const { compiledRoute, sent } = find(ctx);
  const { requestId, setHeader } = meta;
  const { operation, messages } = compiledRoute;
  if (messages !== null) meta.encodeProblem = problemEncoder(messages, ctx);
  meta.operation = operation.operationId;
  const { address, isSecure } = services.peerOf(ctx.req);
  if (operation.requires === 'cookie')
    meta.clearedCookie = setCookieHeaders(expiredCookie, isSecure);
  const isUnlimited = operation.operationId === healthcheck.operationId;
  const slot = isUnlimited ? unlimitedSlot : services.load.acquireSlot(address);
  try {
    const notes = openAnswerNotes(setHeader);
    const request = { ...sent, requestId, slot, setHeader, addNote: notes.add };
    const { outcome, answerBytes } = await processRequest(compiledRoute, request, services);
    try {
      if (outcome.lines !== undefined) {
        const { lines, media = operation.media } = outcome;
        const whyCut = (error: unknown) =>
          error instanceof Fault ? problemOf(error, requestId) : internalProblem(requestId);
        const file = withErrorTrailer(lines, media, whyCut, () => flushResponse(ctx.res));
        return streamedAnswer(outcome, file, media, answerBytes);
      }
      const { content, media } = encodeAnswer(
        compiledRoute,
        withNotes(compiledRoute, outcome, notes),
        ctx,
      );
      const bytes = byteLengthOf(content);
      checkAnswer(services, compiledRoute, outcome, bytes, requestId);
      // A completed write is always answered, however large the response: a refusal would deny it.
      if (operation.kind === 'w') answerBytes.forceReserve(bytes);
      else answerBytes.settle(bytes);
      return { ...outcome, content, bytes, media, release: answerBytes.release };
    } catch (error) {
      answerBytes.release();
      throw error;
    }
  } finally {
    slot.release();
  }
};

/**
 * Runs a request within its root span, named by method and operation. Requests that export spans of
 * a service are not traced: each export would cause another one.
 */
export const tracedRequest = (
  tracing: Tracing,
  ctx: Context,
  meta: ResponseMeta,
  work: () => Promise<EncodedAnswer>,
): Promise<EncodedAnswer> => {
  if (!tracing.isOn || ctx.get('tracestate').includes(exportMark)) return work();
  return tracing.request(meta.requestId, async ({ describe }) => {
    const end = (status: number): void =>
      describe(`${ctx.method} ${meta.operation}`, status, {
        'http.request.method': ctx.method,
        'assay.operation': meta.operation,
      });
    try {
      const answer = await work();
      end(answer.status);
      return answer;
    } catch (error) {
      end(failureOf(error, ctx.req, meta.requestId).status);
      throw error;
    }
  });
};

/** Streams lines; the handler reserved the memory for the part that is in memory at a time. */
const streamedAnswer = (
  { status, headers }: HandledResponse,
  content: AsyncIterable<string | Uint8Array>,
  media: string,
  { release }: ByteReservation,
): EncodedAnswer => ({ status, headers, content, bytes: null, media, release });

/** The liveness check is served at any load. */
const unlimitedSlot: ConcurrencySlot = {
  assignCaller: () => undefined,
  yieldWhileReceiving: (work) => work(),
  yieldWhileBehind: (work) => work(),
  release: () => undefined,
};

/** Memoized texts of public documents, such as the description: each is serialized once. */
const publicJsonText = memoizeByObject((body: object) => JSON.stringify(body));

const jsonTextOf = ({ kind, requires }: Operation, body: unknown): string => {
  if (kind === 'w' || requires !== 'public' || typeof body !== 'object' || body === null) {
    return JSON.stringify(body) ?? '';
  }
  return publicJsonText(body);
};

/** Encodes a problem in the format of the request, whatever the fault is (contract 5.12). */
const problemEncoder =
  (messages: ProtobufCodec, ctx: Context): NonNullable<ResponseMeta['encodeProblem']> =>
  (problem) =>
    isProtobufRequest(ctx.req)
      ? { content: [messages.encodeProblem(problem)], media: protobufMedia }
      : { content: JSON.stringify(rpcStatusJson(problem)), media: 'application/json' };

/** Adds notes to a response that may have further members. */
const withNotes = (
  { operation }: CompiledRoute,
  outcome: HandledResponse,
  { members: membersOfNotes }: AnswerNotes,
): HandledResponse => {
  const members = membersOfNotes();
  if (members === null || outcome.status !== operation.status || !takesNoteMembers(operation)) {
    return outcome;
  }
  const { body, json } = outcome;
  if (json !== undefined) return { ...outcome, json: appendMembers(json, members) };
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? { ...outcome, body: { ...body, ...members } } : outcome;
};

const encodeAnswer = (
  { operation, messages }: CompiledRoute,
  { status, body, json }: HandledResponse,
  ctx: Context,
): { readonly content: string | JsonChunks; readonly media: string } => {
  if (messages !== null && status !== operation.status) {
    return problemEncoder(messages, ctx)({ status, body, retryAfter: null });
  }
  if (messages !== null && isProtobufRequest(ctx.req)) {
    return { content: [messages.encodeAnswer(body as object)], media: protobufMedia };
  }
  if (json !== undefined) return { content: json, media: 'application/json' };
  // A stored problem is JSON whatever the operation's media type.
  const isPlain = typeof body === 'string' && status === operation.status;
  const media = isPlain ? operation.media : 'application/json';
  const content = media === 'application/json' ? jsonTextOf(operation, body) : String(body);
  return { content, media };
};

const checkAnswer = (
  { watch }: HttpServices,
  compiledRoute: CompiledRoute,
  { status, body, json }: HandledResponse,
  bytes: number,
  requestId: string,
): void => {
  // A stored problem has the shape of problems, and 204 has no body.
  if (status === compiledRoute.operation.status && status !== 204) {
    const parsed = () => (json === undefined ? body : parseJsonChunks(json));
    watch.checkAnswer(compiledRoute, { bytes, body: parsed }, requestId);
  }
};
