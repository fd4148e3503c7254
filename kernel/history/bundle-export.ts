import { Fault } from '../fault.js';
import { logStart, type EventReader, type Evidence, type Position, type Sha256 } from '../ports.js';
import { bundleLine, type BundleLine, type BundleNode, type DisclosurePolicy } from './bundle.js';
import type { ChainEntry, ChainName, ChainPages, ChainQuery, Chains } from './entries.js';
import { trackUnnamedErasures } from './erased-streams.js';
import { fromHex, toHex } from './hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  perfectSubtrees,
  type CompactRange,
  type LeafRange,
} from './merkle-tree.js';

/** Which entries go into a bundle; null = all of `from` to `to`. */
export type BundleFilter = Pick<ChainQuery, 'projects' | 'resourceTypes' | 'resourceIds'>;
type ExportRequest = {
  readonly chain: ChainName;
  readonly filter: BundleFilter | null;
  /** By `seq`, both included; `to` is not beyond the head. */
  readonly from: number;
  readonly to: number;
  /** Of the seal. */
  readonly size: number;
  /**
   * All of a history: it goes on beyond `to` for the facts of erasures that came while it was read.
   */
  readonly isWhole: boolean;
  readonly showing: DisclosurePolicy;
};
/** Where an export goes on. */
export type ExportPosition = {
  /** `seq` to look at next. */
  readonly at: number;
  /** `seq` of the last entry that was given, or 0: what lies between has no node yet. */
  readonly last: number;
};
export type ExportPage = {
  /** In the order of a bundle: each node lies before the entries that follow it. */
  readonly lines: readonly BundleLine[];
  readonly nodes: readonly BundleNode[];
  /** Null: it is over. */
  readonly next: ExportPosition | null;
};

type Needs = {
  readonly chains: Chains & ChainPages;
  readonly log: Pick<EventReader, 'evidence'>;
  readonly sha256: Sha256;
  /** Resolves once what the log has now is folded, or nobody can wait for it any longer. */
  readonly waitUntilFolded: () => Promise<void>;
};

/** Content may go each time. More often, and it is no erasure that somebody will name. */
const extensionsMax = 8;

/** Two segments of history: read at once, and cheap to hold. */
const entriesAtOnce = 256;
/**
 * A page ends early once it holds this much content: the less is kept, the less of what is read
 * outlives it.
 */
const pageBytesMax = 256 * 1_024;

/**
 * The lines of a bundle, a page at a time; from one to the next nothing is kept but where it is in
 * the log. Throws Fault `conflict` when the log has not what was folded.
 */
export async function* exportPages(
  needs: Needs,
  asked: ExportRequest,
  place: ExportPosition = { at: asked.from, last: 0 },
): AsyncGenerator<ExportPage, void> {
  const leftOut = openOmittedNodes(needs, asked);
  const evidenceOf = openEntryEvidence(needs, asked.chain);
  const unnamed = trackUnnamedErasures();
  let { last } = place;
  let { to } = asked;
  // What was erased before this place is not known here.
  let extensions = asked.isWhole ? 0 : extensionsMax;
  let isUnsure = last > 0;
  for (let at: number | null = place.at; at !== null;) {
    const found = await nextEntries(needs, { ...asked, to }, at);
    let [nodes, lines, bytes]: [BundleNode[], BundleLine[], number] = [[], [], 0];
    for (const entry of found.entries) {
      if (bytes > pageBytesMax) {
        yield { lines, nodes, next: { at: last + 1, last } };
        [nodes, lines, bytes] = [[], [], 0];
      }
      nodes.push(...(await leftOut({ from: last, to: entry.seq - 1 })));
      const line = bundleLine(entry, await evidenceOf(entry), asked.showing);
      lines.push(line);
      unnamed.note(line);
      bytes += line.data?.length ?? 0;
      last = entry.seq;
    }
    at = found.next;
    if (at === null && extensions < extensionsMax && (isUnsure || unnamed.any())) {
      await needs.waitUntilFolded();
      const size = (await needs.chains.head(asked.chain))?.size ?? to;
      if (size > to) at = to + 1;
      to = size;
      extensions += 1;
      isUnsure = false;
    }
    if (at === null) nodes.push(...(await leftOut({ from: last, to: asked.size })));
    yield { lines, nodes, next: at === null ? null : { at, last } };
  }
}

/** Entries that are wanted, from `at` on, and where to look next. */
const nextEntries = async (
  { chains }: Needs,
  { chain, filter, to }: ExportRequest,
  at: number,
): Promise<{ readonly entries: readonly ChainEntry[]; readonly next: number | null }> => {
  if (at > to) return { entries: [], next: null };
  if (filter === null) {
    // Pages end where segments do.
    const end = Math.min(to, Math.ceil(at / entriesAtOnce) * entriesAtOnce);
    const entries = await chains.entries(chain, at, end);
    return { entries, next: end < to ? end + 1 : null };
  }
  const question = { at, ascending: true, limit: entriesAtOnce, technical: true, ...filter };
  const page = await chains.page(chain, question);
  const entries = page.entries.filter(({ seq }) => seq <= to);
  const isOver = page.next === null || page.next > to;
  return { entries, next: isOver ? null : page.next };
};

/** Subtrees of fewer leaves are hashed from the entries, which one look brings in numbers. */
const tileWidth = entriesAtOnce;

/** The nodes of what lies between two entries, as far as it is sealed. */
const openOmittedNodes = ({ chains, sha256 }: Needs, { chain, size }: ExportRequest) => {
  let known: readonly ChainEntry[] = [];
  let knownFrom = -1;
  const leaves = async (at: number, width: number): Promise<Uint8Array> => {
    const from = Math.floor(at / entriesAtOnce) * entriesAtOnce;
    if (from !== knownFrom) known = await chains.entries(chain, from + 1, from + entriesAtOnce);
    knownFrom = from;
    const hashes = known.slice(at - from, at - from + width).map(({ hash }) => fromHex(hash));
    const put = (range: CompactRange, hash: Uint8Array) =>
      appendSubtree(sha256, range, 1, leafHash(sha256, hash));
    return merkleRoot(sha256, hashes.reduce(put, []));
  };
  return async ({ from, to }: LeafRange): Promise<readonly BundleNode[]> => {
    const nodes: BundleNode[] = [];
    for (const { at, width } of perfectSubtrees({ from, to: Math.min(to, size) })) {
      const hash =
        width < tileWidth ? await leaves(at, width) : await chains.subtree(chain, at, width);
      nodes.push({ from: at, to: at + width, hash: toHex(hash) });
    }
    return nodes;
  };
};

/** Most events that are in memory with their content; those of 10 KB are 320 KB. */
const evidenceAtOnce = 32;
/** Entries that are not wanted are read over as long as they are no more than these. */
const skippedReadsMax = 32;

/**
 * What the log has of one entry after the other, read in the log's order. Where many are not
 * wanted, the reading goes on behind the entry before the next that is.
 */
const openEntryEvidence = ({ chains, log }: Needs, chain: ChainName) => {
  let ahead: Iterator<Evidence> = [][Symbol.iterator]();
  let through: Position = logStart;
  let atOnce = 1;
  let before = -skippedReadsMax;
  const read = async (wanted: Position): Promise<void> => {
    const page = await log.evidence(through, atOnce);
    if (page.through <= through) throw missingEventFault(wanted);
    ahead = page.events[Symbol.iterator]();
    through = page.through;
    atOnce = Math.min(evidenceAtOnce, atOnce * 2);
  };
  const passOver = async (seq: number): Promise<void> => {
    const [previous] = await chains.entries(chain, seq - 1, seq - 1);
    if (previous === undefined || previous.position <= through) return;
    ahead = [][Symbol.iterator]();
    through = previous.position;
    atOnce = 1;
  };
  return async ({ seq, position, eventId }: ChainEntry): Promise<Evidence> => {
    const isFar = seq > before + skippedReadsMax && seq > 1;
    if (isFar && through < position) await passOver(seq);
    before = seq;
    for (;;) {
      const { value, done } = ahead.next();
      if (done === true) await read(position);
      else if (value.position === position && value.id === eventId) return value;
      else if (value.position >= position) throw missingEventFault(position);
    }
  };
};

const missingEventFault = (position: Position): Fault =>
  new Fault('conflict', `the log has not the event at ${position} that history was folded from`);
