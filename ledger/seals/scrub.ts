import { genesisHash } from '../chain/chain.js';
import { base64 } from '../chain/checkpoint.js';
import { type ChainEntry, type ChainHead, type ChainName, type Chains } from '../chain/entries.js';
import { checkEntry } from '../chain/entry-check.js';
import { toHex } from '../../kernel/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  perfectSubtrees,
  type CompactRange,
} from '../chain/merkle-tree.js';
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
  /** The chain that an event names; null for one from before events named theirs. */
  readonly chainOf: (event: Evidence) => ChainName | null;
  /** Reports the number of events hashed again. */
  readonly onScrubbed: (events: number) => void;
  /** Reports each event that contradicts the history. */
  readonly onMismatch: () => void;
};

/** A chain to seal up to `head`, after `seal`. */
export type UnsealedRange = { readonly head: ChainHead; readonly seal: ChainSeal | null };
/** The root to sign, or the first contradiction. */
export type ScrubResult = { readonly root: Uint8Array } | { readonly contradiction: string };

/** Page size: some megabytes of data. */
const pageEvents = 500;
const pageEntries = 500;
/** Throttle: rests four fifths of the time, to leave the processor to requests. */
const restTimes = 4;

/**
 * Scrub: reads the unsealed events of these chains again from the log, in one pass, and hashes
 * data, lines and tree without trusting the read model. The result continues the last seal, since
 * it starts from its root. Throws Fault `unavailable` when the log ends before the heads.
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

/** A pass over the log for all chains: each waits for the position of its next entry. */
const openLogPass = (needs: ScrubNeeds) => {
  const found = new Map<ChainName, ScrubResult>();
  const waiting = new Map<Position, ChainScan>();
  const scans = new Map<ChainName, ChainScan>();
  /** The first result of a chain counts. */
  const setResult = (chain: ChainName, result: ScrubResult): void => {
    if (!found.has(chain)) found.set(chain, result);
  };
  const mismatch = (chain: ChainName, contradiction: string): void => {
    needs.onMismatch();
    setResult(chain, { contradiction });
  };
  const advance = async (scan: ChainScan): Promise<void> => {
    const next = await scan.next();
    if (next === null) setResult(scan.chain, scan.end());
    else waiting.set(next, scan);
  };
  const reportUnlisted = (event: Evidence): void => {
    const chain = needs.chainOf(event);
    const scan = chain === null ? undefined : scans.get(chain);
    if (scan === undefined || event.position <= scan.from || event.position >= scan.to) return;
    mismatch(scan.chain, `${event.id} of the log is not in the history`);
  };
  return {
    found,
    /** Lowest start position of the pending scans; null when all are complete. */
    next: (): Position | null => [...waiting.values()].map(({ from }) => from).sort()[0] ?? null,
    begin: async (one: UnsealedRange): Promise<void> => {
      const scan = await openChainScan(needs, one).catch(unreadableSeal);
      if ('contradiction' in scan) {
        setResult(one.head.chain, scan);
        return;
      }
      scans.set(scan.chain, scan);
      await advance(scan);
    },
    take: async (event: Evidence): Promise<void> => {
      const scan = waiting.get(event.position);
      if (scan === undefined) {
        reportUnlisted(event);
        return;
      }
      waiting.delete(event.position);
      needs.onScrubbed(1);
      const contradiction = scan.take(event);
      if (contradiction === null) await advance(scan);
      else mismatch(scan.chain, contradiction);
    },
    /** Reports pending entries up to this position as missing from the log. */
    passed: (through: Position): void => {
      for (const [position, scan] of waiting) {
        if (position > through) continue;
        waiting.delete(position);
        mismatch(scan.chain, `${scan.place()} is not in the log`);
      }
    },
  };
};

/** Contradiction from a tampered seal, whose size, setResult, the history never had. */
const unreadableSeal = (error: unknown): { readonly contradiction: string } => {
  if (error instanceof Fault) throw error;
  return { contradiction: `its newest seal is invalid: ${redactedReason(error)}` };
};

const logBehindFault = (after: Position): Fault =>
  new Fault('unavailable', `the log ends at ${after}, before the position folded from it`);

/** Scan of one chain from its last seal to its head. */
type ChainScan = {
  readonly chain: ChainName;
  /** Bounds of its events: after `from`, up to `to`. */
  readonly from: Position;
  readonly to: Position;
  /** Position of the next entry's event; null at the head. */
  readonly next: () => Promise<Position | null>;
  /** Checks an event against its entry; null when they agree. */
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
  // After a migration to another engine, positions differ from those in seals.
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
      // A missing entry is searched at the start of the log, where the mismatch is reported.
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
