import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.js';
import { healthcheck } from '../../contract/service.js';
import { jsonOf, type JsonPieces } from '../../kernel/json-pieces.js';
import { Fault } from '../../kernel/fault.js';
import { cookieLines, noCookie } from './cookie.js';
import { delivered, withCutLine } from './cut-line.js';
import type { Held } from './budget.js';
import type { Dispatched } from './dispatch.js';
import { exchange } from './exchange.js';
import { isProtobuf, protobufMedia, statusJsonOf, type BoundMessages } from './messages.js';
import type { Seat } from './load.js';
import { mayGainMembers, openNotes, withMembers, type AnswerNotes } from './notes.js';
import type { Exchanged } from './outcome.js';
import { internalProblem, problemOf } from './problem.js';
import { bytesOf, type Trail, type WrittenAnswer } from './respond.js';
import type { Services } from './services.js';
import type { Bound } from './table.js';
import { onceEach } from '../../kernel/once-each.js';

/** One request from its address to the text of its answer, in its place among those at work. */
export const perform = async (
  ctx: Context,
  find: (ctx: Context) => Dispatched,
  services: Services,
  trail: Trail,
): Promise<WrittenAnswer> => {
  const { bound, sent } = find(ctx);
  const { requestId, say } = trail;
  const { operation, messages } = bound;
  if (messages !== null) trail.refusal = refusalIn(messages, ctx);
  trail.operation = operation.operationId;
  const { address, isSecure } = services.peerOf(ctx.req);
  if (operation.requires === 'cookie') trail.refusedCookie = cookieLines(noCookie, isSecure);
  const isOutside = operation.operationId === healthcheck.operationId;
  const seat = isOutside ? outside : services.load.enter(address);
  try {
    const notes = openNotes(say);
    const whole = { ...sent, requestId, seat, say, note: notes.add };
    const { outcome, told } = await exchange(bound, whole, services);
    try {
      if (outcome.lines !== undefined) {
        const { lines, media = operation.media } = outcome;
        const whyCut = (error: unknown) =>
          error instanceof Fault ? problemOf(error, requestId) : internalProblem(requestId);
        const file = withCutLine(lines, media, whyCut, () => delivered(ctx.res));
        return flowing(outcome, file, media, told);
      }
      const { content, media } = written(bound, noted(bound, outcome, notes), ctx);
      const bytes = bytesOf(content);
      checked(services, bound, outcome, bytes, requestId);
      // What was written is told, however much there is to tell: a refusal would be a lie.
      if (operation.kind === 'w') told.add(bytes);
      else told.settle(bytes);
      return { ...outcome, content, bytes, media, release: told.release };
    } catch (error) {
      told.release();
      throw error;
    }
  } finally {
    seat.leave();
  }
};

/** What the handler took room for is what is in memory of it at a time. */
const flowing = (
  { status, headers }: Exchanged,
  content: AsyncIterable<string | Uint8Array>,
  media: string,
  { release }: Held,
): WrittenAnswer => ({ status, headers, content, bytes: null, media, release });

/** Whoever asks whether the service lives is answered however full it is. */
const outside: Seat = {
  callerIs: () => undefined,
  whileSending: (work) => work(),
  whileBehind: (work) => work(),
  leave: () => undefined,
};

/** Texts of what strangers read, such as the description: asking again costs no second making. */
const publicText = onceEach((body: object) => JSON.stringify(body));

const textOf = ({ kind, requires }: Operation, body: unknown): string => {
  if (kind === 'w' || requires !== 'public' || typeof body !== 'object' || body === null) {
    return JSON.stringify(body) ?? '';
  }
  return publicText(body);
};

/** In the encoding of the request, whatever the refusal is (contract 5.12). */
const refusalIn =
  (messages: BoundMessages, ctx: Context): NonNullable<Trail['refusal']> =>
  (problem) =>
    isProtobuf(ctx.req)
      ? { content: [messages.refusal(problem)], media: protobufMedia }
      : { content: JSON.stringify(statusJsonOf(problem)), media: 'application/json' };

/** The answer with what it did not do of its request, where it may have further members. */
const noted = (
  { operation }: Bound,
  outcome: Exchanged,
  { members: tellMembers }: AnswerNotes,
): Exchanged => {
  const members = tellMembers();
  if (members === null || outcome.status !== operation.status || !mayGainMembers(operation)) {
    return outcome;
  }
  const { body, json } = outcome;
  if (json !== undefined) return { ...outcome, json: withMembers(json, members) };
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? { ...outcome, body: { ...body, ...members } } : outcome;
};

const written = (
  { operation, messages }: Bound,
  { status, body, json }: Exchanged,
  ctx: Context,
): { readonly content: string | JsonPieces; readonly media: string } => {
  if (messages !== null && status !== operation.status) {
    return refusalIn(messages, ctx)({ status, body, retryAfter: null });
  }
  if (messages !== null && isProtobuf(ctx.req)) {
    return { content: [messages.answer(body as object)], media: protobufMedia };
  }
  if (json !== undefined) return { content: json, media: 'application/json' };
  // A stored problem is JSON whatever the operation answers.
  const isPlain = typeof body === 'string' && status === operation.status;
  const media = isPlain ? operation.media : 'application/json';
  const content = media === 'application/json' ? textOf(operation, body) : String(body);
  return { content, media };
};

const checked = (
  { watch }: Services,
  bound: Bound,
  { status, body, json }: Exchanged,
  bytes: number,
  requestId: string,
): void => {
  // A stored problem has the shape of problems, and 204 has none.
  if (status === bound.operation.status && status !== 204) {
    const given = () => (json === undefined ? body : jsonOf(json));
    watch.answer(bound, { bytes, body: given }, requestId);
  }
};
