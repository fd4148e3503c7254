import type {
  Idempotency,
  StoredResponse,
  IdempotentResult,
} from '../../contract/request-ports.js';
import type { IdempotencyAnswerEvent, IdempotencyEvent } from '../../events/idempotency.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import { streamNameOf, type EventLog, type Ids, type StreamName } from '../../kernel/ports.js';
import type { Instant, Json } from '../../kernel/schema-types.js';
import { appendEvents, loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { storedResponseStream, dayOf } from '../facts/idempotency.js';
import {
  recordResponse,
  claimKey,
  claims,
  isContentFree,
  releaseKey,
  type StoredResponseRef,
  type ClaimState,
  type Fingerprints,
} from './claims.js';
import { openSalts, type Salts } from './salts.js';

type Needs = {
  readonly log: EventLog;
  readonly ids: Ids;
  /** Start of this process if no other takes requests: older claims are dead. */
  readonly aloneSince?: Instant;
};

/**
 * Idempotency keys and idempotency replay, over the log: a claim before the work, the response
 * after it, which later requests with the key get again. Optimistic
 * concurrency on the claim's stream lets one of any number of concurrent requests win. A claim
 * whose process died expires; the retry then works with the same seed, so with the same ids, and
 * finds what was done already. Claims hold hashes and stay; responses lie in streams that can be
 * erased.
 */
export const openIdempotency = ({ log, ids, aloneSince }: Needs): Idempotency => {
  const salts = openSalts(log, ids);
  return {
    runOnce: async ({ scope, fingerprint }, cause, work) => {
      const { name, known } = await findClaim(log, ids.derive('IdempotencyId', scope));
      const wantedPrints = { fingerprint, known: known?.day ?? null };
      const { prints, day } = await fingerprintsOf({ salts, ids }, wantedPrints, cause);
      // Fresh event ids: two claims of one revision must never look like one event sent twice.
      const authorship = { ...cause, eventId: () => ids.next('EventId') };
      const record = (decide: Decide<ClaimState, IdempotencyEvent>) =>
        transact(log, name, claims, decide, authorship);

      const deadBefore = aloneSince ?? null;
      const wanted = { prints, day, seed: ids.next('Seed'), at: cause.at, deadBefore };
      const { state, events } = await record(claimKey(wanted));
      if (state === null) throw new Error('a claim leaves a state');
      if (events.length === 0 && state.answer !== null) {
        return { answer: await loadStoredResponse(log, state.answer), replayed: true };
      }
      try {
        const done = await work(state.seed);
        await record(
          recordResponse(state.seed, await storeResponse(log, state.seed, done, authorship)),
        );
        return { answer: done.answer, replayed: false };
      } catch (error) {
        // If even the release cannot be recorded, the claim expires; the caller gets the first
        // failure.
        await record(releaseKey(state.seed)).catch(() => undefined);
        throw error;
      }
    },
  };
};

/** A claim under the legacy stream name stays valid for its 24 hours. */
const findClaim = async (
  log: EventLog,
  id: string,
): Promise<{ readonly name: StreamName; readonly known: ClaimState }> => {
  const name = streamNameOf('idempotency-claim', id);
  const before = streamNameOf('idempotency', id);
  const [{ state }, { state: old }] = await Promise.all([
    loadStreamState(log, name, claims),
    loadStreamState(log, before, claims),
  ]);
  return state === null && old !== null ? { name: before, known: old } : { name, known: state };
};

/**
 * Fingerprints of the request with the salt of the known claim, where it is not erased, with
 * today's salt, and unsalted.
 */
const fingerprintsOf = async (
  { salts, ids }: { readonly salts: Salts; readonly ids: Ids },
  { fingerprint, known }: { readonly fingerprint: string; readonly known: string | null },
  cause: Pick<Authorship, 'at' | 'requestId'>,
): Promise<{ readonly prints: Fingerprints; readonly day: string | null }> => {
  const today = dayOf(cause.at);
  const prints = new Map<string | null, string | null>([[null, fingerprint]]);
  const put = (day: string, salt: string | null): void =>
    void prints.set(day, salt === null ? null : ids.derive('Fingerprint', salt, fingerprint));
  put(today, await salts.getOrCreate(today, cause));
  if (known !== null && known !== today) put(known, await salts.find(known));
  return { prints, day: prints.get(today) === null ? null : today };
};

/** Stores the body first: a recorded response is readable until it is erased. */
const storeResponse = async (
  log: EventLog,
  seed: string,
  { stored, project, run }: IdempotentResult,
  authorship: Authorship,
): Promise<StoredResponseRef> => {
  if (isContentFree(stored.body)) return { ...stored, keptIn: null };
  const name = storedResponseStream({ project, run }, seed);
  const body = stored.body as Json;
  const event: IdempotencyAnswerEvent = { type: 'IdempotencyAnswerKept', data: { body } };
  // A conflict: the request that took over answered, with the same ids.
  await appendEvents(log, [{ stream: name, events: [event] }], authorship);
  return { ...stored, keptIn: name };
};

/** Loads the response for an idempotency replay. Throws Fault `not-found` once it was erased. */
const loadStoredResponse = async (
  log: EventLog,
  { keptIn, ...stored }: StoredResponseRef,
): Promise<StoredResponse> => {
  if (keptIn === null) return stored;
  const [event] = await log.read(keptIn);
  if (event === undefined) {
    throw new Fault('not-found', 'The result of this request was deleted meanwhile');
  }
  return { ...stored, body: (event as unknown as IdempotencyAnswerEvent).data.body };
};
