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
  /** When this process began, where no other takes requests: what it did not claim is dead. */
  readonly aloneSince?: Instant;
};

/**
 * Idempotency-Key over the log: a claim before the work, the answer after it. Of any number of
 * requests at the same time one wins the claim's revision. Whoever dies between the two leaves a
 * claim that runs out; the repeat then works with the same seed, so with the same ids, and finds
 * what was done already. Claims hold hashes and stay; answers lie in streams that can be erased.
 */
export const openIdempotency = ({ log, ids, aloneSince }: Needs): Idempotency => {
  const salts = openSalts(log, ids);
  return {
    runOnce: async ({ scope, fingerprint }, cause, work) => {
      const { name, known } = await findClaim(log, ids.derive('IdempotencyId', scope));
      const asked = { fingerprint, known: known?.day ?? null };
      const { prints, day } = await fingerprintsOf({ salts, ids }, asked, cause);
      // Ids of their own: two claims of one revision must never look like one event sent twice.
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
        // When even this cannot be recorded, the claim runs out by itself; the caller hears of the
        // first failure.
        await record(releaseKey(state.seed)).catch(() => undefined);
        throw error;
      }
    },
  };
};

/** A claim that was made under the old name stands for its 24 hours. */
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
 * What the request is under the salts that may be asked for: of the claim that is known, where the
 * salt is not erased, of today, and under none.
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

/** The body goes first: an answer that is known can be found until it is erased. */
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
  // A conflict: whoever took over answered, with the same ids.
  await appendEvents(log, [{ stream: name, events: [event] }], authorship);
  return { ...stored, keptIn: name };
};

const loadStoredResponse = async (
  log: EventLog,
  { keptIn, ...stored }: StoredResponseRef,
): Promise<StoredResponse> => {
  if (keptIn === null) return stored;
  const [event] = await log.read(keptIn);
  if (event === undefined) {
    throw new Fault('not-found', 'What this request spoke of was deleted');
  }
  return { ...stored, body: (event as unknown as IdempotencyAnswerEvent).data.body };
};
