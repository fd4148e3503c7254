import { valueComplaint } from '../../kernel/fault.js';
import type { StoredAnswer } from '../../contract/gate.js';
import type { IdempotencyEvent } from '../../events/idempotency.js';
import { reject, unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import type { Instant, Json } from '../../kernel/shapes.js';

/** Contract 1.8. */
export const keptHours = 24;
/**
 * As long as a request may take to arrive: whoever claimed and has not answered by then has died,
 * or is so slow that its work is done again, with the same ids and so with the same effect.
 */
const claimSeconds = 30;

type Claim = {
  readonly fingerprint: string;
  /** Whose salt is in it; null: it has none. */
  readonly day: string | null;
  readonly seed: string;
  readonly since: Instant;
  readonly at: Instant;
  readonly running: boolean;
  readonly answer: Answered | null;
};
/** `keptIn`: the stream that has the body; null: it is here. */
export type Answered = StoredAnswer & { readonly keptIn: StreamName | null };
/** Null: the key was never used. */
export type Claims = Claim | null;

export const claims: Fold<Claims, IdempotencyEvent> = {
  initial: null,
  evolve: (claim, event) => {
    switch (event.type) {
      case 'IdempotencyClaimed':
        return { ...event.data, day: event.data.day ?? null, running: true, answer: null };
      case 'IdempotencyAnswered':
        return claim && { ...claim, running: false, answer: answerOf(event.data) };
      case 'IdempotencyReleased':
        return claim && { ...claim, running: false };
      default:
        return unreachable(event);
    }
  },
};

const answerOf = ({
  kept_in,
  ...data
}: Extract<IdempotencyEvent, { type: 'IdempotencyAnswered' }>['data']): Answered => ({
  ...data,
  position: data.position as Position | null,
  keptIn: (kept_in ?? null) as StreamName | null,
});

/**
 * What a request is with the salt of a day, and, by null, without one. Null: that day's is erased;
 * no entry: it was not read.
 */
export type Prints = ReadonlyMap<string | null, string | null>;

type Wanted = {
  readonly prints: Prints;
  /** Whose salt a new claim has; null: none could be drawn. */
  readonly day: string | null;
  readonly seed: string;
  readonly at: Instant;
  /** Claims from before are of a process that is dead; null = any may still be running. */
  readonly deadBefore: Instant | null;
};

/**
 * Nothing to do when there is an answer; else the work is the caller's, or somebody else's
 * (refused).
 */
export const claim =
  (wanted: Wanted): Decide<Claims, IdempotencyEvent> =>
  (known) => {
    const { prints, day, seed, at, deadBefore } = wanted;
    const fingerprint = prints.get(day);
    if (typeof fingerprint !== 'string') throw new RangeError(`no print of ${day}`);
    const salted = { fingerprint, ...(day !== null && { day }) };
    const since = { ...salted, seed, at, since: at };
    if (known === null || ageMs(known.since, at) >= keptHours * 3_600_000) {
      return [{ type: 'IdempotencyClaimed', data: since }];
    }
    const print = prints.get(known.day);
    // Claimed meanwhile on another day: whoever asks again has its salt too.
    if (print === undefined) return inProgress;
    // A clock was days ahead and had the salt erased: nothing but the key is left to go by.
    const isSame = print === null || known.fingerprint === print;
    if (isSame && known.answer !== null) return [];
    // Contract 1.8: the same key with another request is 422.
    if (!isSame && (known.running || known.answer !== null)) return otherRequest;
    const isDead = deadBefore !== null && known.at < deadBefore;
    if (known.running && !isDead && ageMs(known.at, at) < claimSeconds * 1_000) return inProgress;
    const again = { ...salted, at, seed: known.seed, since: known.since };
    return [{ type: 'IdempotencyClaimed', data: isSame ? again : since }];
  };

/**
 * Of the claim with this seed. Another one may have taken over and answered: then there is nothing
 * to do.
 */
export const answer =
  (seed: string, { keptIn, ...stored }: Answered): Decide<Claims, IdempotencyEvent> =>
  (known) => {
    if (known === null || known.seed !== seed || known.answer !== null) return [];
    const data =
      keptIn === null
        ? { ...stored, body: (stored.body ?? null) as Json }
        : { ...stored, body: null, kept_in: keptIn };
    return [{ type: 'IdempotencyAnswered', data }];
  };

/**
 * Whether a body says nothing but ids, numbers and times, as answers to ingest do: it may stay for
 * ever. Its members' names are the operation's, so it is not looked at deeper.
 */
export const isPlain = (body: unknown): boolean =>
  body === null ||
  (typeof body === 'object' &&
    Object.values(body).every((value) => (Array.isArray(value) ? value : [value]).every(isBare)));

const isBare = (value: unknown): boolean =>
  typeof value === 'string' ? bareForm.test(value) : typeof value !== 'object' || value === null;
/** A uuid, or an instant as it is answered. */
const bareForm =
  /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)$/;

export const release =
  (seed: string): Decide<Claims, IdempotencyEvent> =>
  (known) =>
    known !== null && known.seed === seed && known.running
      ? [{ type: 'IdempotencyReleased', data: {} }]
      : [];

/**
 * Also of what happened later than now, where the clock was set back: it is as far from now on that
 * side, and a claim must not look young until the clock is there again.
 */
const ageMs = (since: Instant, now: Instant): number =>
  Math.abs(Date.parse(now) - Date.parse(since));

const otherRequest = reject('invalid', 'The request is not valid', {
  complaints: [
    valueComplaint(['header', 'Idempotency-Key'], 'this key was used with another request'),
  ],
});
const inProgress = reject(
  'idempotency-in-progress',
  'The first request with this key is still running',
  { retryAfterSeconds: 1 },
);
