import { newestSeal } from '../seals/seal-streams.js';
import { Fault } from '../../kernel/fault.js';
import { erasureEventTypes } from '../chain/bundle.js';
import { genesisHash } from '../chain/chain.js';
import type { ChainName, ChainPages, Chains } from '../chain/entries.js';
import { needsErasureEvent, erasedStreamsIn } from '../chain/erased-streams.js';
import { logStart, type Clock, type EventReader, type Sha256 } from '../../kernel/ports.js';
import { verifyChain, type VerifyChainNeeds } from '../fold/verify-chain.js';
import type { HistoryReadNeeds } from './history-routes.js';

type Needs = {
  readonly log: EventReader;
  readonly chains: Chains & ChainPages;
  readonly clock: Clock;
  readonly sha256: Sha256;
};

/** Contract 1.11: limits of one call. */
const eventsMax = 1_000_000;
const callMs = 10_000;
/** Concurrency limit: each call takes half of a core. */
const callsMax = 2;
/** Time slice, followed by an equal pause: a call shares the thread with requests. */
const sliceMs = 5;

/**
 * Verifies histories in time slices, so that requests stay responsive; more than two concurrent
 * calls are refused with Fault `unavailable`.
 */
export const historyVerification = (needs: Needs): HistoryReadNeeds['verdictOn'] => {
  let calls = 0;
  return async (chain, range, signal) => {
    if (calls === callsMax) {
      throw new Fault(
        'unavailable',
        `Too many concurrent verifications (${callsMax} at most). Try again later`,
        {
          retryAfterSeconds: callMs / 1_000,
        },
      );
    }
    calls += 1;
    try {
      return await verifyHistory(needs, chain, range, signal);
    } finally {
      calls -= 1;
    }
  };
};

const verifyHistory = async (
  needs: Needs,
  chain: ChainName,
  { from, to }: Parameters<HistoryReadNeeds['verdictOn']>[1],
  signal: AbortSignal,
): ReturnType<HistoryReadNeeds['verdictOn']> => {
  const head = await needs.chains.head(chain);
  const last = Math.min(to ?? Infinity, head?.size ?? 0);
  if (Math.max(from, to ?? from) > Math.max(last, 1)) {
    throw new Fault('not-found', 'The history has no such entry');
  }
  const outcome =
    last === 0
      ? emptyVerdict
      : await verifyChain(verificationNeeds(needs, chain, signal), chain, from, last);
  const seal = await newestSeal(needs, chain).catch(nullIfTampered(null));
  return {
    status: outcome.broken === null ? 'intact' : 'broken',
    checked: outcome.checked,
    erased: outcome.erased,
    from_seq: from,
    to_seq: (outcome.next ?? last + 1) - 1,
    head_hash: head?.hash ?? genesisHash,
    next_seq: outcome.next,
    sealed: seal && { seq: seal.size, root: seal.root, at: seal.sealedAt },
    broken_at: outcome.broken,
  };
};
/**
 * Replaces errors other than Faults: tampered events may have any shape, and verification reports
 * their entry as broken.
 */
const nullIfTampered =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof Fault) throw error;
    return instead;
  };
const emptyVerdict = { checked: 0, erased: 0, next: null, broken: null };

const verificationNeeds = (
  { log, chains, clock, sha256 }: Needs,
  chain: ChainName,
  signal: AbortSignal,
): VerifyChainNeeds => {
  const begun = clock.milliseconds();
  let slice = begun;
  let erasedNames: Promise<ReadonlySet<string>> | null = null;
  return {
    log,
    chains,
    sha256,
    whyErased: async (event) => {
      if ((await log.last(event.stream)) !== null) return null;
      if (!needsErasureEvent(event.stream)) return 'erased';
      erasedNames ??= erasedStreams(log, chain).catch(nullIfTampered(new Set<string>()));
      return (await erasedNames).has(event.stream) ? 'erased' : 'unnamed';
    },
    mayContinue: async (checked) => {
      signal.throwIfAborted();
      const now = clock.milliseconds();
      if (now - slice > sliceMs) {
        await clock.wait(now - slice, signal);
        slice = clock.milliseconds();
      }
      return checked < eventsMax && now - begun < callMs;
    },
  };
};

/** Streams that are erased according to events of this history. */
const erasedStreams = async (
  log: Pick<EventReader, 'page'>,
  chain: ChainName,
): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for (let after = logStart; ;) {
    const page = await log.page(after, factsAtOnce, [...erasureEventTypes]);
    for (const event of page.events) {
      if ((event.metadata.organization_id ?? chain) !== chain) continue;
      for (const name of erasedStreamsIn(event.type, event.data)) names.add(name);
    }
    if (page.through === after) return names;
    after = page.through;
  }
};
const factsAtOnce = 1_000;
