import { valueComplaint } from '../../kernel/fault.js';
import type { StoredResponse } from '../../contract/request-ports.js';
import type { IdempotencyEvent } from '../../events/idempotency.js';
import { reject, unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import type { Position, StreamName } from '../../kernel/ports.js';
import type { Instant, Json } from '../../kernel/schema-types.js';

/** Retention of stored responses (contract 1.8). */
export const retentionHours = 24;
/**
 * Lease of a claim, as long as a request may take to arrive. After it the claimant is dead, or so
 * slow that its work is repeated with the same ids and so the same effect.
 */
const claimSeconds = 30;

type Claim = {
  readonly fingerprint: string;
  /** Day of the salt in the fingerprint; null: unsalted. */
  readonly day: string | null;
  readonly seed: string;
  readonly since: Instant;
  readonly at: Instant;
  readonly running: boolean;
  readonly answer: StoredResponseRef | null;
};
/**
 * Stored response of an idempotency key. `keptIn`: the stream with the body; null: the body is
 * inline.
 */
export type StoredResponseRef = StoredResponse & { readonly keptIn: StreamName | null };
/** State of an idempotency key; null: never used. */
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
 * Request fingerprints by the day of their salt; null key: unsalted. A null value: that day's salt
 * is erased; no entry: it was not read.
 */
export type Fingerprints = ReadonlyMap<string | null, string | null>;

type ClaimRequest = {
  readonly prints: Fingerprints;
  /** Day of the salt for a new claim; null: unsalted. */
  readonly day: string | null;
  readonly seed: string;
  readonly at: Instant;
  /** Claims before this instant belong to a dead process; null = any may still be running. */
  readonly deadBefore: Instant | null;
};

/**
 * Claims an idempotency key. No events when a response is stored; otherwise the caller runs the
 * work, or is refused while another request does.
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
    // Claimed meanwhile with another day's salt: the retry reads that salt too.
    if (print === undefined) return inProgressRejection;
    // A clock was days ahead and had the salt erased: only the key can be compared.
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
 * Records the response of the claim with this seed. No effect when another request took over and
 * answered.
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
 * True if a body has only ids, numbers and times, as answers to ingest do: it may be stored for
 * ever. Member names come from the operation, and deeper levels are not inspected.
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
/** A UUID, or an instant in the form of answers. */
const contentFreeForm =
  /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)$/;

export const releaseKey =
  (seed: string): Decide<ClaimState, IdempotencyEvent> =>
  (known) =>
    known !== null && known.seed === seed && known.running
      ? [{ type: 'IdempotencyReleased', data: {} }]
      : [];

/**
 * Distance in time, also to an instant in the future after the clock was set back, so that such a
 * claim does not look young until the clock catches up.
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
