// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { instant, nullable, type Json } from '../kernel/shapes.js';

/**
 * Stream `idempotency-claim-<hash of scope and key>` (contract 1.8), before it was called so
 * `idempotency-<hash>`. Someone is at work on the request from here on.
 */
export const idempotencyClaimed = Type.Object({
  /** Hash of query and decoded body. */
  fingerprint: Type.String(),
  /** What the ids of the work are made from: the same when the work has to be done again. */
  seed: Type.String(),
  /** Of the first claim: the key is free again 24 h later. */
  since: instant,
  at: instant,
});
/** This stays for ever, so a body with more than ids, numbers and times is kept elsewhere. */
export const idempotencyAnswered = Type.Object({
  status: Type.Integer(),
  /** Null where `kept_in` is given. In streams of the old name it may hold anything. */
  body: Type.Unsafe<Json>(Type.Unknown()),
  /** The stream that has the body, and can be erased. */
  kept_in: Type.Optional(Type.String()),
  position: nullable(Type.String()),
  /** Of answers that have one (contract 1.9). */
  etag: Type.Optional(Type.String()),
});
/**
 * Stream `idempotency-answer-<project, or none>-<seed>`, erased 24 h after the request and with the
 * project. The members that operations mark as secret are `""` in it.
 */
export const idempotencyAnswerKept = Type.Object({ body: Type.Unsafe<Json>(Type.Unknown()) });
/** The work came to nothing that may be stored: the next request does it again. */
export const idempotencyReleased = Type.Object({});

export type IdempotencyEvent =
  | { readonly type: 'IdempotencyClaimed'; readonly data: Static<typeof idempotencyClaimed> }
  | { readonly type: 'IdempotencyAnswered'; readonly data: Static<typeof idempotencyAnswered> }
  | { readonly type: 'IdempotencyReleased'; readonly data: Static<typeof idempotencyReleased> };
export type IdempotencyAnswerEvent = {
  readonly type: 'IdempotencyAnswerKept';
  readonly data: Static<typeof idempotencyAnswerKept>;
};
