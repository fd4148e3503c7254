import type { Idempotency } from '../../contract/gate.js';
import type { IdempotencyEvent } from '../../events/idempotency.js';
import type { Decide } from '../../kernel/decision.js';
import { stream, type EventLog, type Ids } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/shapes.js';
import { transact } from '../../kernel/transact.js';
import { answer, claim, claims, release, type Claims } from './claims.js';

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
 * what was done already.
 */
export const openIdempotency = ({ log, ids, aloneSince }: Needs): Idempotency => ({
  once: async ({ scope, fingerprint }, cause, work) => {
    const name = stream('idempotency', ids.derive('IdempotencyId', scope));
    // Ids of their own: two claims of one revision must never look like one event sent twice.
    const authorship = { ...cause, eventId: () => ids.next('EventId') };
    const record = (decide: Decide<Claims, IdempotencyEvent>) =>
      transact(log, name, claims, decide, authorship);

    const deadBefore = aloneSince ?? null;
    const wanted = { fingerprint, seed: ids.next('Seed'), at: cause.at, deadBefore };
    const { state, events } = await record(claim(wanted));
    if (state === null) throw new Error('a claim leaves a state');
    if (events.length === 0 && state.answer !== null) {
      return { answer: state.answer, replayed: true };
    }
    try {
      const done = await work(state.seed);
      await record(answer(state.seed, done.stored));
      return { answer: done.answer, replayed: false };
    } catch (error) {
      // When even this cannot be recorded, the claim runs out by itself; the caller hears of the
      // first failure.
      await record(release(state.seed)).catch(() => undefined);
      throw error;
    }
  },
});
