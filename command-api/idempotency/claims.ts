import { valueComplaint } from '../../kernel/fault.js';
import type { StoredResponse } from '../../contract/request-ports.js';
import type { IdempotencyEvent } from '../../events/idempotency.js';
import { reject, unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import type { Instant, Json } from '../../kernel/schema-types.js';

/** Contract 1.8. */
export const retentionHours = 24;
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
  readonly answer: StoredResponseRef | null;
};
/** `keptIn`: the stream that has the body; null: it is here. */
export type StoredResponseRef = StoredResponse & { readonly keptIn: StreamName | null };
/** Null: the key was never used. */
export type ClaimState = Claim | null;

export const claims: Fold<ClaimState, IdempotencyEvent> = {
  initial: null,
  evolve: (claim, event) => {
    switch (event.type) {
      case 'IdempotencyClaimed':
        return { ...event.data, day: event.data.day ?? null, running: true, answer: null };
      case 'IdempotencyAnswered':
        return claim && { ...claim, running: false, answer: storedResponseOf(event.data) };
      case 'IdempotencyReleased':
        return claim && { ...claim, running: false };
      default:
        return unreachable(event);
    }
  },
};

const storedResponseOf = ({
  kept_in,
  ...data
}: Extract<IdempotencyEvent, { type: 'IdempotencyAnswered' }>['data']): StoredResponseRef => ({
  ...data,
  position: data.position as Position | null,
  keptIn: (kept_in ?? null) as StreamName | null,
});

/**
 * What a request is with the salt of a day, and, by null, without one. Null: that day's is erased;
 * no entry: it was not read.
 */
export type Fingerprints = ReadonlyMap<string | null, string | null>;

type ClaimRequest = {
  readonly prints: Fingerprints;
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
export const claimKey =
  (wanted: ClaimRequest): Decide<ClaimState, IdempotencyEvent> =>
  (known) => {
    const { prints, day, seed, at, deadBefore } = wanted;
    const fingerprint = prints.get(day);
    if (typeof fingerprint !== 'string') throw new RangeError(`no print of ${day}`);
    const salted = { fingerprint, ...(day !== null && { day }) };
    const since = { ...salted, seed, at, since: at };
    if (known === null || ageMs(known.since, at) >= retentionHours * 3_600_000) {
      return [{ type: 'IdempotencyClaimed', data: since }];
    }
    const print = prints.get(known.day);
    // Claimed meanwhile on another day: whoever asks again has its salt too.
    if (print === undefined) return inProgressRejection;
    // A clock was days ahead and had the salt erased: nothing but the key is left to go by.
    const isSame = print === null || known.fingerprint === print;
    if (isSame && known.answer !== null) return [];
    // Contract 1.8: the same key with another request is 422.
    if (!isSame && (known.running || known.answer !== null)) return keyReusedRejection;
    const isDead = deadBefore !== null && known.at < deadBefore;
    if (known.running && !isDead && ageMs(known.at, at) < claimSeconds * 1_000)
      return inProgressRejection;
    const again = { ...salted, at, seed: known.seed, since: known.since };
    return [{ type: 'IdempotencyClaimed', data: isSame ? again : since }];
  };

/**
 * Of the claim with this seed. Another one may have taken over and answered: then there is nothing
 * to do.
 */
export const recordResponse =
  (seed: string, { keptIn, ...stored }: StoredResponseRef): Decide<ClaimState, IdempotencyEvent> =>
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
export const isContentFree = (body: unknown): boolean =>
  body === null ||
  (typeof body === 'object' &&
    Object.values(body).every((value) =>
      (Array.isArray(value) ? value : [value]).every(isContentFreeValue),
    ));

const isContentFreeValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? contentFreeForm.test(value)
    : typeof value !== 'object' || value === null;
/** A uuid, or an instant as it is answered. */
const contentFreeForm =
  /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)$/;

export const releaseKey =
  (seed: string): Decide<ClaimState, IdempotencyEvent> =>
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

const keyReusedRejection = reject('invalid', 'The request is not valid', {
  complaints: [
    valueComplaint(['header', 'Idempotency-Key'], 'this key was used with another request'),
  ],
});
const inProgressRejection = reject(
  'idempotency-in-progress',
  'The first request with this key is still running',
  { retryAfterSeconds: 1 },
);
