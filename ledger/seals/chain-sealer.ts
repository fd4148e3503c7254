import type { ChainHead, ChainName, ChainPages, Chains } from '../chain/entries.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import type { Clock } from '../../kernel/ports.js';
import { serviceAuthorship } from '../../command-api/work/service-authorship.js';
import { openEarlierErasures, type EarlierErasureNeeds } from './earlier-erasures.js';
import {
  distanceMs,
  isSealDue,
  scanForUnsealed,
  initialSealState,
  type ChainSealState,
} from './sealing-schedule.js';
import {
  rangeUpTo,
  scrub,
  type ScrubResult,
  type ScrubNeeds,
  type UnsealedRange,
} from './scrub.js';
import { newestSeal, organizationOf, type ChainSeal } from './seal-streams.js';
import { writeSealNote, signAndRecordSeal, type SigningNeeds } from './signing.js';
import { requestCosignatures, type WitnessNeeds } from './witnesses.js';

/** A chain whose history contradicts its seal; it is not sealed any more. */
export type SealRefusal = { readonly chain: ChainName; readonly why: string };

export type SealNeeds = ScrubNeeds &
  EarlierErasureNeeds &
  WitnessNeeds &
  SigningNeeds & {
    readonly clock: Clock;
    readonly chains: Chains & ChainPages;
    readonly everyMs: number;
    /** Limit of entries that one seal adds; later entries are left for the next seal. */
    readonly entriesMax: number;
    readonly onSealed: () => void;
    /** Reports each refusal once; it stays until the process ends. */
    readonly onRefused: (refusal: SealRefusal) => void;
  };

export type ChainSealer = {
  /** Visits every chain once and seals those that are due, or all; returns how many. */
  readonly round: (signal: AbortSignal, which?: 'due' | 'all') => Promise<number>;
  readonly refusals: () => readonly SealRefusal[];
  /**
   * Age of the oldest unsealed event; 0 without one. An event in the future counts by its distance.
   */
  readonly ageSeconds: () => number;
};

/** Page size of chain heads. */
const headsPage = 500;
/** Retry interval of witnesses that did not sign. */
const witnessEveryMs = 60_000;

/** State between rounds, derived from the log except for the refusals. */
type SealerState = {
  readonly states: Map<ChainName, ChainSealState>;
  readonly refusals: Map<ChainName, SealRefusal>;
};

export const openChainSealer = (needs: SealNeeds): ChainSealer => {
  const memory: SealerState = { states: new Map(), refusals: new Map() };
  const publishSeal = openSealPublisher(needs);
  const recordEarlier = openEarlierErasures(needs);
  const nowMs = (): number => Date.parse(needs.clock.now());
  return {
    round: async (signal, which = 'due') => {
      await recordEarlier(signal);
      let count = 0;
      for (let after: ChainName | null = null; !signal.aborted;) {
        const heads: readonly ChainHead[] = await needs.chains.heads(after, headsPage);
        const ready: ChainHead[] = [];
        for (const head of heads) {
          const isNow = isReadyToSeal(needs, memory, head, which).catch(
            refuseOnError(needs, memory, head),
          );
          if (await isNow) ready.push(head);
        }
        if (ready.length > 0) count += await sealAll(needs, memory, ready, signal);
        for (const { chain } of heads) {
          const seal = memory.states.get(chain)?.seal ?? null;
          if (seal !== null && !signal.aborted) await publishSeal(seal, nowMs());
        }
        after = heads.at(-1)?.chain ?? null;
        if (heads.length < headsPage) break;
      }
      return count;
    },
    refusals: () => [...memory.refusals.values()],
    ageSeconds: () => {
      const now = nowMs();
      const waiting = [...memory.states.values()].flatMap(
        ({ firstUnsealed }) => firstUnsealed?.atMs ?? [],
      );
      return waiting.reduce((age, atMs) => Math.max(age, distanceMs(now, atMs)), 0) / 1_000;
    },
  };
};

const isReadyToSeal = async (
  needs: SealNeeds,
  { states, refusals }: SealerState,
  head: ChainHead,
  which: 'due' | 'all',
): Promise<boolean> => {
  const { chain } = head;
  if (refusals.has(chain)) return false;
  const before = states.get(chain) ?? initialSealState(await newestSeal(needs, chain));
  const one = await scanForUnsealed(needs.chains, head, before);
  states.set(chain, one);
  if (missingSealedEntries(head, one.seal) !== null) return true;
  if (which === 'all') return one.firstUnsealed !== null;
  return isSealDue(head, one, Date.parse(needs.clock.now()), needs.everyMs);
};

const sealAll = async (
  needs: SealNeeds,
  memory: SealerState,
  heads: readonly ChainHead[],
  signal: AbortSignal,
): Promise<number> => {
  const found: UnsealedRange[] = [];
  for (const head of heads) {
    const one = await nextUnsealedRange(needs, memory, head).catch(
      refuseOnError(needs, memory, head),
    );
    if (one) found.push(one);
  }
  let count = 0;
  for (const [one, scrubbed] of await scrubWithRetry(needs, found, signal)) {
    if (await signScrubbed(needs, memory, one, scrubbed)) count += 1;
  }
  return count;
};

/** The range to seal after the newest seal in the log; null when another worker was faster. */
const nextUnsealedRange = async (
  needs: SealNeeds,
  { states }: SealerState,
  head: ChainHead,
): Promise<UnsealedRange | null> => {
  const seal = await newestSeal(needs, head.chain);
  if (seal?.size === states.get(head.chain)?.seal?.size) return limitToEntries(needs, head, seal);
  states.set(head.chain, initialSealState(seal));
  return null;
};

/**
 * Limits a range to `entriesMax`: the first seal of a long history is made in parts, each as
 * durable as any seal.
 */
const limitToEntries = async (
  { chains, entriesMax }: SealNeeds,
  head: ChainHead,
  seal: ChainSeal | null,
): Promise<UnsealedRange> => {
  const { chain } = head;
  const size = (seal?.size ?? 0) + entriesMax;
  const [entry] = head.size <= size ? [] : await chains.entries(chain, size, size);
  if (entry === undefined) return { head, seal };
  const { position, hash } = entry;
  return {
    head: { chain, size, position, hash, range: await rangeUpTo(chains, chain, size) },
    seal,
  };
};

/** Signs a scrubbed range; true if this process sealed it. */
const signScrubbed = async (
  needs: SealNeeds,
  memory: SealerState,
  { head, seal }: UnsealedRange,
  found: ScrubResult,
): Promise<boolean> => {
  const { chain } = head;
  if ('contradiction' in found) {
    refuseChain(needs, memory, { chain, why: found.contradiction });
    return false;
  }
  const isOurs = await signAndRecordSeal(needs, head, seal, found.root);
  if (isOurs) needs.onSealed();
  memory.states.set(chain, initialSealState(await newestSeal(needs, chain)));
  return isOurs;
};

const refuseChain = (needs: SealNeeds, { refusals }: SealerState, refusal: SealRefusal): void => {
  refusals.set(refusal.chain, refusal);
  needs.onRefused(refusal);
};

/**
 * Refuses to seal a chain whose tampered seal cannot be read; other chains are still sealed.
 */
const refuseOnError =
  (needs: SealNeeds, memory: SealerState, { chain }: ChainHead) =>
  (error: unknown): false => {
    if (error instanceof Fault) throw error;
    refuseChain(needs, memory, {
      chain,
      why: `its newest seal cannot be read: ${redactedReason(error)}`,
    });
    return false;
  };

/**
 * Scrubs; repeats contradictions once with a new head, since a shadow copy may have been promoted
 * in between. A chain that is behind its own seal is left out until it is folded.
 */
const scrubWithRetry = async (
  needs: SealNeeds,
  unsealed: readonly UnsealedRange[],
  signal: AbortSignal,
): Promise<readonly (readonly [UnsealedRange, ScrubResult])[]> => {
  const once = await scrubOnce(needs, unsealed, signal);
  const good = once.filter(([, found]) => 'root' in found);
  const again: UnsealedRange[] = [];
  for (const [{ head, seal }, found] of once) {
    if ('root' in found) continue;
    again.push(await limitToEntries(needs, (await needs.chains.head(head.chain)) ?? head, seal));
  }
  return again.length === 0 ? good : [...good, ...(await scrubOnce(needs, again, signal))];
};

const scrubOnce = async (
  needs: SealNeeds,
  unsealed: readonly UnsealedRange[],
  signal: AbortSignal,
): Promise<readonly (readonly [UnsealedRange, ScrubResult])[]> => {
  const whole = unsealed.filter(({ head, seal }) => head.size > (seal?.size ?? 0));
  const found = await scrub(needs, whole, signal);
  return unsealed.flatMap((one) => {
    const { head, seal } = one;
    const result = found.get(head.chain) ?? missingSealedEntries(head, seal);
    return result === null ? [] : [[one, result] as const];
  });
};

/** Contradiction of a history that has its seal as an event but fewer entries than it seals. */
const missingSealedEntries = (
  { size, position }: ChainHead,
  seal: ChainSeal | null,
): ScrubResult | null =>
  seal !== null && size <= seal.size && position >= seal.sealPosition
    ? { contradiction: `it has ${size} entries with its seal, which covers ${seal.size}` }
    : null;

/** Publication state of a chain's newest seal publishSeal the log. */
type PublishedSeal = {
  readonly size: number;
  readonly witnesses: readonly string[];
  readonly askedMs: number;
};

/** Publishes each newest seal publishSeal the log: as a file, and to the witnesses. */
const openSealPublisher = (needs: SealNeeds) => {
  const known = new Map<ChainName, PublishedSeal>();
  /**
   * Circuit breaker per witness: time of its last failure to answer, so that it does not delay the
   * other chains.
   */
  const silentMs = new Map<string, number>();
  const needsAt = (nowMs: number): SealNeeds => ({
    ...needs,
    witnesses: needs.witnesses.filter(
      ({ name }) => distanceMs(nowMs, silentMs.get(name) ?? -Infinity) >= witnessEveryMs,
    ),
    onWitnessFailure: (name, error) => {
      if (error instanceof Fault && error.code === 'unavailable') silentMs.set(name, nowMs);
      needs.onWitnessFailure(name, error);
    },
  });
  const publish = async (seal: ChainSeal): Promise<PublishedSeal> => {
    const { chain, size, witnesses } = seal;
    const before = known.get(chain);
    if (before?.size === size) return before;
    await writeSealNote(needs, seal);
    return { size, witnesses, askedMs: -Infinity };
  };
  return async (seal: ChainSeal, nowMs: number): Promise<void> => {
    const { chain, size } = seal;
    const { witnesses, askedMs } = await publish(seal);
    const isWhole = needs.witnesses.every(({ name }) => witnesses.includes(name));
    const isSoon = distanceMs(nowMs, askedMs) < witnessEveryMs;
    const id = `witness-${chain}-${size}`;
    const author = serviceAuthorship(needs, organizationOf(chain), id, id);
    known.set(
      chain,
      isWhole || isSoon
        ? { size, witnesses, askedMs }
        : {
            size,
            witnesses: await requestCosignatures(needsAt(nowMs), { ...seal, witnesses }, author),
            askedMs: nowMs,
          },
    );
  };
};
