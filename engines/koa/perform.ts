import type { Context } from 'koa';
import type { Operation } from '../../contract/operation.js';
import { healthcheck } from '../../contract/service.js';
import { jsonOf, type JsonPieces } from '../../kernel/json-pieces.js';
import { cookieLines, noCookie } from './cookie.js';
import type { Held } from './budget.js';
import type { Dispatched } from './dispatch.js';
import { exchange } from './exchange.js';
import { isProtobuf, protobufMedia, statusJsonOf, type BoundMessages } from './messages.js';
import type { Seat } from './load.js';
import type { Exchanged } from './outcome.js';
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
    const { outcome, told } = await exchange(bound, { ...sent, requestId, seat, say }, services);
    try {
      if (outcome.lines !== undefined) return flowing(bound, outcome, outcome.lines, told);
      const { content, media } = written(bound, outcome, ctx);
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
  { operation }: Bound,
  { status, headers, media = operation.media }: Exchanged,
  content: AsyncIterable<string | Uint8Array>,
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
