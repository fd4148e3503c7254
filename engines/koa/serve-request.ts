import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.js';
import { healthcheck } from '../../contract/service.js';
import { parseJsonChunks, type JsonChunks } from '../../kernel/json-chunks.js';
import { Fault } from '../../kernel/fault.js';
import { setCookieHeaders, expiredCookie } from './refresh-cookie.js';
import { flushResponse, withErrorTrailer } from './error-trailer.js';
import type { ByteReservation } from './byte-budget.js';
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
import { internalProblem, problemOf } from './problem.js';
import { byteLengthOf, type ResponseMeta, type EncodedAnswer } from './respond.js';
import type { HttpServices } from './services.js';
import type { CompiledRoute } from './compiled-routes.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';

/** One request from its address to the text of its answer, in its place among those at work. */
export const serveRequest = async (
  ctx: Context,
  find: (ctx: Context) => RoutedRequest,
  services: HttpServices,
  trail: ResponseMeta,
): Promise<EncodedAnswer> => {
  const { bound, sent } = find(ctx);
  const { requestId, setHeader } = trail;
  const { operation, messages } = bound;
  if (messages !== null) trail.encodeProblem = problemEncoder(messages, ctx);
  trail.operation = operation.operationId;
  const { address, isSecure } = services.peerOf(ctx.req);
  if (operation.requires === 'cookie')
    trail.clearedCookie = setCookieHeaders(expiredCookie, isSecure);
  const isOutside = operation.operationId === healthcheck.operationId;
  const seat = isOutside ? unlimitedSlot : services.load.acquireSlot(address);
  try {
    const notes = openAnswerNotes(setHeader);
    const whole = { ...sent, requestId, seat, say: setHeader, note: notes.add };
    const { outcome, told } = await processRequest(bound, whole, services);
    try {
      if (outcome.lines !== undefined) {
        const { lines, media = operation.media } = outcome;
        const whyCut = (error: unknown) =>
          error instanceof Fault ? problemOf(error, requestId) : internalProblem(requestId);
        const file = withErrorTrailer(lines, media, whyCut, () => flushResponse(ctx.res));
        return streamedAnswer(outcome, file, media, told);
      }
      const { content, media } = encodeAnswer(bound, withNotes(bound, outcome, notes), ctx);
      const bytes = byteLengthOf(content);
      checkAnswer(services, bound, outcome, bytes, requestId);
      // What was written is told, however much there is to tell: a refusal would be a lie.
      if (operation.kind === 'w') told.forceReserve(bytes);
      else told.settle(bytes);
      return { ...outcome, content, bytes, media, release: told.release };
    } catch (error) {
      told.release();
      throw error;
    }
  } finally {
    seat.release();
  }
};

/** What the handler took room for is what is in memory of it at a time. */
const streamedAnswer = (
  { status, headers }: HandledResponse,
  content: AsyncIterable<string | Uint8Array>,
  media: string,
  { release }: ByteReservation,
): EncodedAnswer => ({ status, headers, content, bytes: null, media, release });

/** Whoever asks whether the service lives is answered however full it is. */
const unlimitedSlot: ConcurrencySlot = {
  assignCaller: () => undefined,
  yieldWhileReceiving: (work) => work(),
  yieldWhileBehind: (work) => work(),
  release: () => undefined,
};

/** Texts of what strangers read, such as the description: asking again costs no second making. */
const publicJsonText = memoizeByObject((body: object) => JSON.stringify(body));

const jsonTextOf = ({ kind, requires }: Operation, body: unknown): string => {
  if (kind === 'w' || requires !== 'public' || typeof body !== 'object' || body === null) {
    return JSON.stringify(body) ?? '';
  }
  return publicJsonText(body);
};

/** In the encoding of the request, whatever the refusal is (contract 5.12). */
const problemEncoder =
  (messages: ProtobufCodec, ctx: Context): NonNullable<ResponseMeta['encodeProblem']> =>
  (problem) =>
    isProtobufRequest(ctx.req)
      ? { content: [messages.encodeProblem(problem)], media: protobufMedia }
      : { content: JSON.stringify(rpcStatusJson(problem)), media: 'application/json' };

/** The answer with what it did not do of its request, where it may have further members. */
const withNotes = (
  { operation }: CompiledRoute,
  outcome: HandledResponse,
  { members: tellMembers }: AnswerNotes,
): HandledResponse => {
  const members = tellMembers();
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
  // A stored problem is JSON whatever the operation answers.
  const isPlain = typeof body === 'string' && status === operation.status;
  const media = isPlain ? operation.media : 'application/json';
  const content = media === 'application/json' ? jsonTextOf(operation, body) : String(body);
  return { content, media };
};

const checkAnswer = (
  { watch }: HttpServices,
  bound: CompiledRoute,
  { status, body, json }: HandledResponse,
  bytes: number,
  requestId: string,
): void => {
  // A stored problem has the shape of problems, and 204 has none.
  if (status === bound.operation.status && status !== 204) {
    const given = () => (json === undefined ? body : parseJsonChunks(json));
    watch.checkAnswer(bound, { bytes, body: given }, requestId);
  }
};
