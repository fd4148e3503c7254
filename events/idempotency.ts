// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { instant, nullable, type Json } from '../kernel/shapes.js';

/**
 * Stream `idempotency-<hash of scope and key>` (contract 1.8). Someone is at work on the request
 * from here on.
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
/** The members that operations mark as secret are `""` in it. */
export const idempotencyAnswered = Type.Object({
  status: Type.Integer(),
  body: Type.Unsafe<Json>(Type.Unknown()),
  position: nullable(Type.String()),
  /** Of answers that have one (contract 1.9). */
  etag: Type.Optional(Type.String()),
});
/** The work came to nothing that may be stored: the next request does it again. */
export const idempotencyReleased = Type.Object({});

export type IdempotencyEvent =
  | { readonly type: 'IdempotencyClaimed'; readonly data: Static<typeof idempotencyClaimed> }
  | { readonly type: 'IdempotencyAnswered'; readonly data: Static<typeof idempotencyAnswered> }
  | { readonly type: 'IdempotencyReleased'; readonly data: Static<typeof idempotencyReleased> };
