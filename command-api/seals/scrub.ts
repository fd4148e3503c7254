import { genesisHash } from '../../kernel/history/chain.js';
import { base64 } from '../../kernel/history/checkpoint.js';
import {
  type ChainEntry,
  type ChainHead,
  type ChainName,
  type Chains,
} from '../../kernel/history/entries.js';
import { checkEntry } from '../../kernel/history/entry-check.js';
import { toHex } from '../../kernel/history/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  perfectSubtrees,
  type CompactRange,
} from '../../kernel/history/merkle-tree.js';
import {
  laterPosition,
  logStart,
  type Clock,
  type EventReader,
  type Evidence,
  type Position,
  type Sha256,
} from '../../kernel/ports.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import type { ChainSeal } from './seal-streams.js';

export type ScrubNeeds = {
  readonly log: Pick<EventReader, 'evidence'>;
  readonly chains: Chains;
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  readonly sha256: Sha256;
  /** Whose history an event says it belongs to; null for one from before events did. */
  readonly chainOf: (event: Evidence) => ChainName | null;
  /** Told how many events were hashed again. */
  readonly onScrubbed: (events: number) => void;
  /** Told of each event that is not what the history says. */
  readonly onMismatch: () => void;
};

/** A chain to be sealed up to `head`, after `seal`. */
export type UnsealedRange = { readonly head: ChainHead; readonly seal: ChainSeal | null };
/** The root to sign; else the first thing that is not as it was. */
export type ScrubResult = { readonly root: Uint8Array } | { readonly contradiction: string };

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
  unsealed: readonly UnsealedRange[],
  signal: AbortSignal,
): Promise<ReadonlyMap<ChainName, ScrubResult>> => {
  const pass = openLogPass(needs);
  for (const one of unsealed) await pass.begin(one);
  let after = logStart;
  while (!signal.aborted) {
    const from = pass.next();
    if (from === null) break;
    after = laterPosition(after, from);
    const began = needs.clock.milliseconds();
    const page = await needs.log.evidence(after, pageEvents);
    if (page.through === after) throw logBehindFault(after);
    for (const event of page.events) await pass.take(event);
    after = page.through;
    pass.passed(after);
    const took = needs.clock.milliseconds() - began;
    if (took > 0) await needs.clock.wait(took * restTimes, signal);
  }
  return pass.found;
};

/** All chains on their way through the log: each waits for the place of its next entry. */
const openLogPass = (needs: ScrubNeeds) => {
  const found = new Map<ChainName, ScrubResult>();
  const waiting = new Map<Position, ChainScan>();
  const walks = new Map<ChainName, ChainScan>();
  /** The first thing that is wrong counts. */
  const say = (chain: ChainName, result: ScrubResult): void => {
    if (!found.has(chain)) found.set(chain, result);
  };
  const mismatch = (chain: ChainName, contradiction: string): void => {
    needs.onMismatch();
    say(chain, { contradiction });
  };
  const go = async (walk: ChainScan): Promise<void> => {
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
    begin: async (one: UnsealedRange): Promise<void> => {
      const walk = await openChainScan(needs, one).catch(unreadableSeal);
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
      needs.onScrubbed(1);
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
const unreadableSeal = (error: unknown): { readonly contradiction: string } => {
  if (error instanceof Fault) throw error;
  return { contradiction: `its newest seal is none: ${redactedReason(error)}` };
};

const logBehindFault = (after: Position): Fault =>
  new Fault('unavailable', `the log ends at ${after}, before what was folded from it`);

/** One chain on its way from its last seal to its head. */
type ChainScan = {
  readonly chain: ChainName;
  /** Its events lie after the one place and up to the other. */
  readonly from: Position;
  readonly to: Position;
  /** Where the next entry's event is in the log; null at the head. */
  readonly next: () => Promise<Position | null>;
  /** Null when the event is what its entry says. */
  readonly take: (event: Evidence) => string | null;
  readonly place: () => string;
  readonly end: () => ScrubResult;
};

const openChainScan = async (
  { chains, sha256, chainOf }: ScrubNeeds,
  { head, seal }: UnsealedRange,
): Promise<ChainScan | { readonly contradiction: string }> => {
  const { chain } = head;
  let range = await rangeUpTo(chains, chain, seal?.size ?? 0);
  if (seal !== null && base64(merkleRoot(sha256, range)) !== seal.root) {
    return { contradiction: `the entries up to ${seal.size} are not those of its seal` };
  }
  // A log that moved to another engine has other places than its seals say.
  const [last] = seal === null ? [] : await chains.entries(chain, seal.size, seal.size);
  let prev = seal?.head_hash ?? genesisHash;
  let seq = seal?.size ?? 0;
  let entries: readonly ChainEntry[] = [];
  let at = 0;
  const place = (): string => `entry ${seq + 1} (${entries[at]?.eventId ?? 'missing'})`;
  return {
    chain,
    from: last?.position ?? logStart,
    to: head.position,
    place,
    next: async () => {
      if (seq === head.size) return null;
      if (at === entries.length) {
        at = 0;
        entries = await chains.entries(chain, seq + 1, Math.min(head.size, seq + pageEntries));
      }
      // Without it nothing is found there, and that is what will be said.
      return entries[at]?.position ?? logStart;
    },
    take: (event) => {
      const entry = entries[at] ?? missingEntry;
      const found = checkEntry(
        sha256,
        { chain, seq: seq + 1, prevHash: prev, entry, claimedChain: chainOf(event) },
        event,
      );
      if ('wrong' in found) return `${place()}: ${contradictions[found.wrong](found.found)}`;
      prev = toHex(found.hash);
      range = appendSubtree(sha256, range, 1, leafHash(sha256, found.hash));
      seq += 1;
      at += 1;
      return null;
    },
    end: () => {
      const root = merkleRoot(sha256, range);
      const isHead = prev === head.hash && toHex(root) === toHex(merkleRoot(sha256, head.range));
      return isHead ? { root } : { contradiction: `its head ${head.size} is not what it leads to` };
    },
  };
};

const missingEntry = { eventId: '', dataDigest: '', hash: '' };
const contradictions = {
  event: (id: string) => `the log has ${id} there`,
  chain: (said: string) => `it says that it belongs to ${said}`,
  data: () => 'its data are not those of its digest',
  line: () => 'its line is not that of its hash',
};

export const rangeUpTo = async (
  chains: Chains,
  chain: ChainName,
  size: number,
): Promise<CompactRange> =>
  Promise.all(
    perfectSubtrees({ from: 0, to: size }).map(async ({ at, width }) => ({
      at,
      width,
      hash: await chains.subtree(chain, at, width),
    })),
  );
