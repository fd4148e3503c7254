import { noHash } from '../../kernel/history/chain.js';
import { base64 } from '../../kernel/history/checkpoint.js';
import {
  type ChainEntry,
  type ChainHead,
  type ChainName,
  type Chains,
} from '../../kernel/history/entries.js';
import { held } from '../../kernel/history/held.js';
import { hexOf } from '../../kernel/history/hex.js';
import { grown, leafHash, rootOf, subtreesOf, type Range } from '../../kernel/history/tree.js';
import {
  later,
  start,
  type Clock,
  type EventReader,
  type Evidence,
  type Position,
  type Sha256,
} from '../../kernel/ports.js';
import { Fault, reasonOf } from '../../kernel/fault.js';
import type { ChainSeal } from './sealed.js';

export type ScrubNeeds = {
  readonly log: Pick<EventReader, 'evidence'>;
  readonly chains: Chains;
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  readonly sha256: Sha256;
  /** Whose history an event says it belongs to; null for one from before events did. */
  readonly chainOf: (event: Evidence) => ChainName | null;
  /** Told how many events were hashed again. */
  readonly scrubbed: (events: number) => void;
  /** Told of each event that is not what the history says. */
  readonly mismatched: () => void;
};

/** A chain to be sealed up to `head`, after `seal`. */
export type Unsealed = { readonly head: ChainHead; readonly seal: ChainSeal | null };
/** The root to sign; else the first thing that is not as it was. */
export type Scrubbed = { readonly root: Uint8Array } | { readonly contradiction: string };

/** Some megabytes of data at once. */
const pageEvents = 500;
const pageEntries = 500;
/** The processor belongs to requests: four fifths of the time it rests. */
const restTimes = 4;

/**
 * Reads what is not sealed yet of these chains once more from the log, in one pass: hashes data,
 * lines and tree itself, from the last seal on, and believes the read model nothing. What comes out
 * continues the last seal, since it grew out of its root. Throws Fault `unavailable` when the log
 * ends before the heads.
 */
export const scrub = async (
  needs: ScrubNeeds,
  unsealed: readonly Unsealed[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ChainName, Scrubbed>> => {
  const pass = openPass(needs);
  for (const one of unsealed) await pass.begin(one);
  let after = start;
  while (!signal.aborted) {
    const from = pass.next();
    if (from === null) break;
    after = later(after, from);
    const began = needs.clock.milliseconds();
    const page = await needs.log.evidence(after, pageEvents);
    if (page.through === after) throw behind(after);
    for (const event of page.events) await pass.take(event);
    after = page.through;
    pass.passed(after);
    const took = needs.clock.milliseconds() - began;
    if (took > 0) await needs.clock.wait(took * restTimes, signal);
  }
  return pass.found;
};

/** All chains on their way through the log: each waits for the place of its next entry. */
const openPass = (needs: ScrubNeeds) => {
  const found = new Map<ChainName, Scrubbed>();
  const waiting = new Map<Position, Walk>();
  const walks = new Map<ChainName, Walk>();
  /** The first thing that is wrong counts. */
  const say = (chain: ChainName, result: Scrubbed): void => {
    if (!found.has(chain)) found.set(chain, result);
  };
  const mismatch = (chain: ChainName, contradiction: string): void => {
    needs.mismatched();
    say(chain, { contradiction });
  };
  const go = async (walk: Walk): Promise<void> => {
    const next = await walk.next();
    if (next === null) say(walk.chain, walk.end());
    else waiting.set(next, walk);
  };
  const leftOut = (event: Evidence): void => {
    const chain = needs.chainOf(event);
    const walk = chain === null ? undefined : walks.get(chain);
    if (walk === undefined || event.position <= walk.from || event.position >= walk.to) return;
    mismatch(walk.chain, `${event.id} of the log is not in the history`);
  };
  return {
    found,
    /** Where the first of those still on their way began; null when all are there. */
    next: (): Position | null => [...waiting.values()].map(({ from }) => from).sort()[0] ?? null,
    begin: async (one: Unsealed): Promise<void> => {
      const walk = await openWalk(needs, one).catch(unreadable);
      if ('contradiction' in walk) {
        say(one.head.chain, walk);
        return;
      }
      walks.set(walk.chain, walk);
      await go(walk);
    },
    take: async (event: Evidence): Promise<void> => {
      const walk = waiting.get(event.position);
      if (walk === undefined) {
        leftOut(event);
        return;
      }
      waiting.delete(event.position);
      needs.scrubbed(1);
      const contradiction = walk.take(event);
      if (contradiction === null) await go(walk);
      else mismatch(walk.chain, contradiction);
    },
    /** Whoever waits for a place up to there waits for nothing. */
    passed: (through: Position): void => {
      for (const [position, walk] of waiting) {
        if (position > through) continue;
        waiting.delete(position);
        mismatch(walk.chain, `${walk.place()} is not in the log`);
      }
    },
  };
};

/** Of a seal that was changed: a size, say, that the history never had. */
const unreadable = (error: unknown): { readonly contradiction: string } => {
  if (error instanceof Fault) throw error;
  return { contradiction: `its newest seal is none: ${reasonOf(error)}` };
};

const behind = (after: Position): Fault =>
  new Fault('unavailable', `the log ends at ${after}, before what was folded from it`);

/** One chain on its way from its last seal to its head. */
type Walk = {
  readonly chain: ChainName;
  /** Its events lie after the one place and up to the other. */
  readonly from: Position;
  readonly to: Position;
  /** Where the next entry's event is in the log; null at the head. */
  readonly next: () => Promise<Position | null>;
  /** Null when the event is what its entry says. */
  readonly take: (event: Evidence) => string | null;
  readonly place: () => string;
  readonly end: () => Scrubbed;
};

const openWalk = async (
  { chains, sha256, chainOf }: ScrubNeeds,
  { head, seal }: Unsealed,
): Promise<Walk | { readonly contradiction: string }> => {
  const { chain } = head;
  let range = await rangeUpTo(chains, chain, seal?.size ?? 0);
  if (seal !== null && base64(rootOf(sha256, range)) !== seal.root) {
    return { contradiction: `the entries up to ${seal.size} are not those of its seal` };
  }
  // A log that moved to another engine has other places than its seals say.
  const [last] = seal === null ? [] : await chains.entries(chain, seal.size, seal.size);
  let prev = seal?.head_hash ?? noHash;
  let seq = seal?.size ?? 0;
  let entries: readonly ChainEntry[] = [];
  let at = 0;
  const place = (): string => `entry ${seq + 1} (${entries[at]?.eventId ?? 'missing'})`;
  return {
    chain,
    from: last?.position ?? start,
    to: head.position,
    place,
    next: async () => {
      if (seq === head.size) return null;
      if (at === entries.length) {
        at = 0;
        entries = await chains.entries(chain, seq + 1, Math.min(head.size, seq + pageEntries));
      }
      // Without it nothing is found there, and that is what will be said.
      return entries[at]?.position ?? start;
    },
    take: (event) => {
      const entry = entries[at] ?? missing;
      const found = held(sha256, { chain, seq: seq + 1, prev, entry, said: chainOf(event) }, event);
      if ('wrong' in found) return `${place()}: ${contradictions[found.wrong](found.found)}`;
      prev = hexOf(found.hash);
      range = grown(sha256, range, 1, leafHash(sha256, found.hash));
      seq += 1;
      at += 1;
      return null;
    },
    end: () => {
      const root = rootOf(sha256, range);
      const isHead = prev === head.hash && hexOf(root) === hexOf(rootOf(sha256, head.range));
      return isHead ? { root } : { contradiction: `its head ${head.size} is not what it leads to` };
    },
  };
};

const missing = { eventId: '', dataDigest: '', hash: '' };
const contradictions = {
  event: (id: string) => `the log has ${id} there`,
  chain: (said: string) => `it says that it belongs to ${said}`,
  data: () => 'its data are not those of its digest',
  line: () => 'its line is not that of its hash',
};

export const rangeUpTo = async (chains: Chains, chain: ChainName, size: number): Promise<Range> =>
  Promise.all(
    subtreesOf({ from: 0, to: size }).map(async ({ at, width }) => ({
      at,
      width,
      hash: await chains.subtree(chain, at, width),
    })),
  );
