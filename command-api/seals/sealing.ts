import type { ChainHead, ChainName, ChainPages, Chains } from '../../kernel/history/entries.js';
import { Fault, reasonOf } from '../../kernel/fault.js';
import type { Clock } from '../../kernel/ports.js';
import { byItself } from '../work/service-author.js';
import { openEarlier, type EarlierNeeds } from './earlier.js';
import { distanceMs, isDue, lookedAhead, watched, type Watched } from './due.js';
import { rangeUpTo, scrub, type Scrubbed, type ScrubNeeds, type Unsealed } from './scrub.js';
import { newestSeal, organizationOf, type ChainSeal } from './sealed.js';
import { keepNote, sign, type SigningNeeds } from './signing.js';
import { askWitnesses, type WitnessNeeds } from './witnesses.js';

/** A chain whose history is not what was sealed of it: it is not sealed any more. */
export type SealRefusal = { readonly chain: ChainName; readonly why: string };

export type SealNeeds = ScrubNeeds &
  EarlierNeeds &
  WitnessNeeds &
  SigningNeeds & {
    readonly clock: Clock;
    readonly chains: Chains & ChainPages;
    readonly everyMs: number;
    /** Entries that one seal adds at most: what comes after them is for the next. */
    readonly entriesMax: number;
    readonly sealed: () => void;
    /** Told once of each refusal; it stays until the process ends. */
    readonly refused: (refusal: SealRefusal) => void;
  };

export type Sealing = {
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
type Memory = {
  readonly known: Map<ChainName, Watched>;
  readonly refusals: Map<ChainName, SealRefusal>;
};

export const openSealing = (needs: SealNeeds): Sealing => {
  const memory: Memory = { known: new Map(), refusals: new Map() };
  const outside = openOutside(needs);
  const nameEarlier = openEarlier(needs);
  const nowMs = (): number => Date.parse(needs.clock.now());
  return {
    round: async (signal, which = 'due') => {
      await nameEarlier(signal);
      let count = 0;
      for (let after: ChainName | null = null; !signal.aborted;) {
        const heads: readonly ChainHead[] = await needs.chains.heads(after, headsPage);
        const ready: ChainHead[] = [];
        for (const head of heads) {
          const isNow = isReady(needs, memory, head, which).catch(refusing(needs, memory, head));
          if (await isNow) ready.push(head);
        }
        if (ready.length > 0) count += await sealAll(needs, memory, ready, signal);
        for (const { chain } of heads) {
          const seal = memory.known.get(chain)?.seal ?? null;
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
      const waiting = [...memory.known.values()].flatMap(({ first }) => first?.atMs ?? []);
      return waiting.reduce((age, atMs) => Math.max(age, distanceMs(now, atMs)), 0) / 1_000;
    },
  };
};

const isReady = async (
  needs: SealNeeds,
  { known, refusals }: Memory,
  head: ChainHead,
  which: 'due' | 'all',
): Promise<boolean> => {
  const { chain } = head;
  if (refusals.has(chain)) return false;
  const before = known.get(chain) ?? watched(await newestSeal(needs, chain));
  const one = await lookedAhead(needs.chains, head, before);
  known.set(chain, one);
  if (shortOf(head, one.seal) !== null) return true;
  if (which === 'all') return one.first !== null;
  return isDue(head, one, Date.parse(needs.clock.now()), needs.everyMs);
};

const sealAll = async (
  needs: SealNeeds,
  memory: Memory,
  heads: readonly ChainHead[],
  signal: AbortSignal,
): Promise<number> => {
  const found: Unsealed[] = [];
  for (const head of heads) {
    const one = await unsealed(needs, memory, head).catch(refusing(needs, memory, head));
    if (one) found.push(one);
  }
  let count = 0;
  for (const [one, scrubbed] of await scrubbedTwice(needs, found, signal)) {
    if (await settle(needs, memory, one, scrubbed)) count += 1;
  }
  return count;
};

/** With its newest seal as the log has it now; null when another worker was faster. */
const unsealed = async (
  needs: SealNeeds,
  { known }: Memory,
  head: ChainHead,
): Promise<Unsealed | null> => {
  const seal = await newestSeal(needs, head.chain);
  if (seal?.size === known.get(head.chain)?.seal?.size) return bounded(needs, head, seal);
  known.set(head.chain, watched(seal));
  return null;
};

/** The first seal of a long history is made in parts, each as durable as any seal. */
const bounded = async (
  { chains, entriesMax }: SealNeeds,
  head: ChainHead,
  seal: ChainSeal | null,
): Promise<Unsealed> => {
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
const settle = async (
  needs: SealNeeds,
  memory: Memory,
  { head, seal }: Unsealed,
  found: Scrubbed,
): Promise<boolean> => {
  const { chain } = head;
  if ('contradiction' in found) {
    refuse(needs, memory, { chain, why: found.contradiction });
    return false;
  }
  const isOurs = await sign(needs, head, seal, found.root);
  if (isOurs) needs.sealed();
  memory.known.set(chain, watched(await newestSeal(needs, chain)));
  return isOurs;
};

const refuse = (needs: SealNeeds, { refusals }: Memory, refusal: SealRefusal): void => {
  refusals.set(refusal.chain, refusal);
  needs.refused(refusal);
};

/** A seal that was changed may be none any more: no reason to leave other chains unsealed. */
const refusing =
  (needs: SealNeeds, memory: Memory, { chain }: ChainHead) =>
  (error: unknown): false => {
    if (error instanceof Fault) throw error;
    refuse(needs, memory, { chain, why: `its newest seal cannot be read: ${reasonOf(error)}` });
    return false;
  };

/**
 * What does not fit is looked at once more with a new head: a copy may have taken the place of the
 * read model in between. A chain that is behind its own seal is left out until it is folded.
 */
const scrubbedTwice = async (
  needs: SealNeeds,
  unsealed: readonly Unsealed[],
  signal: AbortSignal,
): Promise<readonly (readonly [Unsealed, Scrubbed])[]> => {
  const once = await scrubbed(needs, unsealed, signal);
  const good = once.filter(([, found]) => 'root' in found);
  const again: Unsealed[] = [];
  for (const [{ head, seal }, found] of once) {
    if ('root' in found) continue;
    again.push(await bounded(needs, (await needs.chains.head(head.chain)) ?? head, seal));
  }
  return again.length === 0 ? good : [...good, ...(await scrubbed(needs, again, signal))];
};

const scrubbed = async (
  needs: SealNeeds,
  unsealed: readonly Unsealed[],
  signal: AbortSignal,
): Promise<readonly (readonly [Unsealed, Scrubbed])[]> => {
  const whole = unsealed.filter(({ head, seal }) => head.size > (seal?.size ?? 0));
  const found = await scrub(needs, whole, signal);
  return unsealed.flatMap((one) => {
    const { head, seal } = one;
    const result = found.get(head.chain) ?? shortOf(head, seal);
    return result === null ? [] : [[one, result] as const];
  });
};

/** A history that has its seal as an event, and not all of what it seals. */
const shortOf = ({ size, position }: ChainHead, seal: ChainSeal | null): Scrubbed | null =>
  seal !== null && size <= seal.size && position >= seal.sealPosition
    ? { contradiction: `it has ${size} entries with its seal, which covers ${seal.size}` }
    : null;

/** What became of the newest seal of a chain outside the log. */
type Taken = {
  readonly size: number;
  readonly witnesses: readonly string[];
  readonly askedMs: number;
};

/** Takes each newest seal out of the house: as a file, and to the witnesses. */
const openOutside = (needs: SealNeeds) => {
  const known = new Map<ChainName, Taken>();
  /** When a witness gave no answer last: the others of a thousand chains need not wait for it. */
  const silentMs = new Map<string, number>();
  const asked = (nowMs: number): SealNeeds => ({
    ...needs,
    witnesses: needs.witnesses.filter(
      ({ name }) => distanceMs(nowMs, silentMs.get(name) ?? -Infinity) >= witnessEveryMs,
    ),
    unwitnessed: (name, error) => {
      if (error instanceof Fault && error.code === 'unavailable') silentMs.set(name, nowMs);
      needs.unwitnessed(name, error);
    },
  });
  const taken = async (seal: ChainSeal): Promise<Taken> => {
    const { chain, size, witnesses } = seal;
    const before = known.get(chain);
    if (before?.size === size) return before;
    await keepNote(needs, seal);
    return { size, witnesses, askedMs: -Infinity };
  };
  return async (seal: ChainSeal, nowMs: number): Promise<void> => {
    const { chain, size } = seal;
    const { witnesses, askedMs } = await taken(seal);
    const isWhole = needs.witnesses.every(({ name }) => witnesses.includes(name));
    const isSoon = distanceMs(nowMs, askedMs) < witnessEveryMs;
    const id = `witness-${chain}-${size}`;
    const author = byItself(needs, organizationOf(chain), id, id);
    known.set(
      chain,
      isWhole || isSoon
        ? { size, witnesses, askedMs }
        : {
            size,
            witnesses: await askWitnesses(asked(nowMs), { ...seal, witnesses }, author),
            askedMs: nowMs,
          },
    );
  };
};
