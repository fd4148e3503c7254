import type { ChainHead, ChainName, ChainPages, Chains } from '../../kernel/history/entries.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import type { Clock } from '../../kernel/ports.js';
import { serviceAuthorship } from '../work/service-authorship.js';
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

/** A chain whose history is not what was sealed of it: it is not sealed any more. */
export type SealRefusal = { readonly chain: ChainName; readonly why: string };

export type SealNeeds = ScrubNeeds &
  EarlierErasureNeeds &
  WitnessNeeds &
  SigningNeeds & {
    readonly clock: Clock;
    readonly chains: Chains & ChainPages;
    readonly everyMs: number;
    /** Entries that one seal adds at most: what comes after them is for the next. */
    readonly entriesMax: number;
    readonly onSealed: () => void;
    /** Told once of each refusal; it stays until the process ends. */
    readonly onRefused: (refusal: SealRefusal) => void;
  };

export type ChainSealer = {
  /** Looks at every chain once and seals those that are due, or all; answers how many. */
  readonly round: (signal: AbortSignal, which?: 'due' | 'all') => Promise<number>;
  readonly refusals: () => readonly SealRefusal[];
  /**
   * How long the oldest event waits that is not sealed; 0 when none does. An event later than the
   * clock counts by its distance.
   */
  readonly ageSeconds: () => number;
};

/** Chains whose heads are read at once. */
const headsPage = 500;
/** Witnesses that did not sign are asked again. */
const witnessEveryMs = 60_000;

/** What it remembers from round to round follows from the log, but for what it refused. */
type SealerState = {
  readonly states: Map<ChainName, ChainSealState>;
  readonly refusals: Map<ChainName, SealRefusal>;
};

export const openChainSealer = (needs: SealNeeds): ChainSealer => {
  const memory: SealerState = { states: new Map(), refusals: new Map() };
  const outside = openSealPublisher(needs);
  const nameEarlier = openEarlierErasures(needs);
  const nowMs = (): number => Date.parse(needs.clock.now());
  return {
    round: async (signal, which = 'due') => {
      await nameEarlier(signal);
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
          if (seal !== null && !signal.aborted) await outside(seal, nowMs());
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

/** With its newest seal as the log has it now; null when another worker was faster. */
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

/** The first seal of a long history is made in parts, each as durable as any seal. */
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

/** Whether it was sealed by us. */
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

/** A seal that was changed may be none any more: no reason to leave other chains unsealed. */
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
 * What does not fit is looked at once more with a new head: a copy may have taken the place of the
 * read model in between. A chain that is behind its own seal is left out until it is folded.
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

/** A history that has its seal as an event, and not all of what it seals. */
const missingSealedEntries = (
  { size, position }: ChainHead,
  seal: ChainSeal | null,
): ScrubResult | null =>
  seal !== null && size <= seal.size && position >= seal.sealPosition
    ? { contradiction: `it has ${size} entries with its seal, which covers ${seal.size}` }
    : null;

/** What became of the newest seal of a chain outside the log. */
type PublishedSeal = {
  readonly size: number;
  readonly witnesses: readonly string[];
  readonly askedMs: number;
};

/** Takes each newest seal out of the house: as a file, and to the witnesses. */
const openSealPublisher = (needs: SealNeeds) => {
  const known = new Map<ChainName, PublishedSeal>();
  /** When a witness gave no answer last: the others of a thousand chains need not wait for it. */
  const silentMs = new Map<string, number>();
  const asked = (nowMs: number): SealNeeds => ({
    ...needs,
    witnesses: needs.witnesses.filter(
      ({ name }) => distanceMs(nowMs, silentMs.get(name) ?? -Infinity) >= witnessEveryMs,
    ),
    onWitnessFailure: (name, error) => {
      if (error instanceof Fault && error.code === 'unavailable') silentMs.set(name, nowMs);
      needs.onWitnessFailure(name, error);
    },
  });
  const taken = async (seal: ChainSeal): Promise<PublishedSeal> => {
    const { chain, size, witnesses } = seal;
    const before = known.get(chain);
    if (before?.size === size) return before;
    await writeSealNote(needs, seal);
    return { size, witnesses, askedMs: -Infinity };
  };
  return async (seal: ChainSeal, nowMs: number): Promise<void> => {
    const { chain, size } = seal;
    const { witnesses, askedMs } = await taken(seal);
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
            witnesses: await requestCosignatures(asked(nowMs), { ...seal, witnesses }, author),
            askedMs: nowMs,
          },
    );
  };
};
