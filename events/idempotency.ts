// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { instant, nullable, secret, type Json } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const idempotencyEvents = {
  /**
   * Stream `idempotency-claim-<hash of scope and key>` (contract 1.8), formerly
   * `idempotency-<hash>`. Claims the idempotency key: the request is in progress from here on.
   */
  IdempotencyClaimed: event('entity create', {
    /** Hash of query and decoded body, with the salt of `day`. */
    fingerprint: secret(),
    /** `yyyy-mm-dd`; absent from claims older than salts. */
    day: Type.Optional(Type.String()),
    /** Seed of the ids that the work creates: the same when it runs again. */
    seed: Type.String(),
    /** Time of the first claim: the key is free again 24 h later. */
    since: instant,
    at: instant,
  }),
  /** Kept for ever, so a body with more than ids, numbers and times is stored elsewhere. */
  IdempotencyAnswered: event('entity update', {
    status: Type.Integer(),
    /** Null if `kept_in` is set. In streams of the old name it may hold anything. */
    body: Type.Unsafe<Json>(Type.Unknown()),
    /** Erasable stream that has the body. */
    kept_in: Type.Optional(Type.String()),
    position: nullable(Type.String()),
    /** Entity tag, of responses that have one (contract 1.9). */
    etag: Type.Optional(Type.String()),
  }),
  /** The work produced nothing that may be stored: the next request runs it again. */
  IdempotencyReleased: event('entity delete', {}),
};
const idempotencyAnswerEvents = {
  /**
   * Stream `idempotency-answer-<project, or none>-<seed>`, or for a run's
   * `idempotency-answer-<project>-<run>-<seed>`: erased 24 h after the request, and with project
   * and run. Members that operations mark as secret are `""` in it.
   */
  IdempotencyAnswerKept: event('entity create', { body: Type.Unsafe<Json>(Type.Unknown()) }),
};

const idempotencySaltEvents = {
  /**
   * Stream `idempotency-salt-<yyyy-mm-dd>`, erased two days later: from then on the fingerprint of
   * a claim of that day reveals nothing about the request.
   */
  IdempotencySaltDrawn: event('entity create', { salt: secret() }),
};

export const idempotencyNoun: Noun = {
  stream: {
    name: 'idempotency-<hash>',
    subject: 'organization',
    erasedWith: null,
    isTechnical: true,
  },
  events: idempotencyEvents,
};

export const idempotencyAnswerNoun: Noun = {
  stream: {
    name: 'idempotency-answer-<project>-<run>-<seed>',
    subject: 'organization',
    erasedWith: 'run',
    isTechnical: true,
  },
  events: idempotencyAnswerEvents,
};

export const idempotencySaltNoun: Noun = {
  stream: {
    name: 'idempotency-salt-<day>',
    subject: 'organization',
    erasedWith: null,
    isTechnical: true,
  },
  events: idempotencySaltEvents,
};

export type IdempotencySaltEvent = EventOf<typeof idempotencySaltEvents>;
export type IdempotencyEvent = EventOf<typeof idempotencyEvents>;
export type IdempotencyAnswerEvent = EventOf<typeof idempotencyAnswerEvents>;
