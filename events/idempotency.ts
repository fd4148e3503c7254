// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { instant, nullable, secret, type Json } from '../kernel/schema-types.js';
import type { EventOf } from './schemas.js';

export const idempotencyEvents = {
  /**
   * Stream `idempotency-claim-<hash of scope and key>` (contract 1.8), formerly
   * `idempotency-<hash>`. From here on someone is working on the request.
   */
  IdempotencyClaimed: Type.Object({
    /** Hash of query and decoded body, with the salt of `day`. */
    fingerprint: secret(),
    /** `yyyy-mm-dd`; absent from claims of before there were salts. */
    day: Type.Optional(Type.String()),
    /** What the ids of the work are made from: the same when the work has to be done again. */
    seed: Type.String(),
    /** Of the first claim: the key is free again 24 h later. */
    since: instant,
    at: instant,
  }),
  /** This stays for ever, so a body with more than ids, numbers and times is kept elsewhere. */
  IdempotencyAnswered: Type.Object({
    status: Type.Integer(),
    /** Null where `kept_in` is given. In streams of the old name it may hold anything. */
    body: Type.Unsafe<Json>(Type.Unknown()),
    /** The stream that has the body, and can be erased. */
    kept_in: Type.Optional(Type.String()),
    position: nullable(Type.String()),
    /** Of answers that have one (contract 1.9). */
    etag: Type.Optional(Type.String()),
  }),
  /** The work produced nothing that may be stored: the next request does it again. */
  IdempotencyReleased: Type.Object({}),
};
export const idempotencyAnswerEvents = {
  /**
   * Stream `idempotency-answer-<project, or none>-<seed>`, or where it speaks of a run
   * `idempotency-answer-<project>-<run>-<seed>`: erased 24 h after the request, and with project
   * and run. The members that operations mark as secret are `""` in it.
   */
  IdempotencyAnswerKept: Type.Object({ body: Type.Unsafe<Json>(Type.Unknown()) }),
};

export const idempotencySaltEvents = {
  /**
   * Stream `idempotency-salt-<yyyy-mm-dd>`, erased two days later: from then on nobody can tell
   * from the fingerprint of a claim of that day what was asked.
   */
  IdempotencySaltDrawn: Type.Object({ salt: secret() }),
};

export type IdempotencySaltEvent = EventOf<typeof idempotencySaltEvents>;
export type IdempotencyEvent = EventOf<typeof idempotencyEvents>;
export type IdempotencyAnswerEvent = EventOf<typeof idempotencyAnswerEvents>;
