import { Fault } from '../../kernel/fault.js';
import {
  logStart,
  type EventReader,
  type Evidence,
  type Position,
  type Sha256,
} from '../../kernel/ports.js';
import { bundleLine, type BundleLine, type BundleNode, type DisclosurePolicy } from './bundle.js';
import type { ChainEntry, ChainName, ChainPages, ChainQuery, Chains } from './entries.js';
import { trackUnnamedErasures } from './erased-streams.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  perfectSubtrees,
  type CompactRange,
  type LeafRange,
} from './merkle-tree.js';

/** Entries that go into a bundle; null = all of `from` to `to`. */
export type BundleFilter = Pick<ChainQuery, 'projects' | 'resourceTypes' | 'resourceIds'>;
type ExportRequest = {
  readonly chain: ChainName;
  readonly filter: BundleFilter | null;
  /** First `seq`; both ends are included, and `to` is not beyond the head. */
  readonly from: number;
  readonly to: number;
  /** Tree size of the seal. */
  readonly size: number;
  /**
   * The bundle is a whole history: it extends beyond `to` for erasure events that came during the
   * read.
   */
  readonly isWhole: boolean;
  readonly showing: DisclosurePolicy;
};
/** Resume position of an export. */
export type ExportPosition = {
  /** Next `seq` to read. */
  readonly at: number;
  /** `seq` of the last entry written, or 0; the range after it has no node yet. */
  readonly last: number;
};
export type ExportPage = {
  /** Lines in bundle order: each node precedes the entries that follow it. */
  readonly lines: readonly BundleLine[];
  readonly nodes: readonly BundleNode[];
  /** Null at the end. */
  readonly next: ExportPosition | null;
};

type Needs = {
  readonly chains: Chains & ChainPages;
  readonly log: Pick<EventReader, 'evidence'>;
  readonly sha256: Sha256;
  /** Resolves once the current head of the log is folded, or the wait was given up. */
  readonly waitUntilFolded: () => Promise<void>;
};

/**
 * Content may be erased during each extension; after so many, the export ends without its event.
 */
const extensionsMax = 8;

/** Two segments of history: one read, cheap to hold. */
const entriesAtOnce = 256;
/** Content bytes after which a page ends early: the less is held, the less outlives its read. */
const pageBytesMax = 256 * 1_024;

/**
 * Streams a bundle page by page; between pages only the position in the log is kept. Throws Fault
 * `conflict` when the log lacks an event that was folded.
 */
export async function* exportPages(
  needs: Needs,
  request: ExportRequest,
  start: ExportPosition = { at: request.from, last: 0 },
): AsyncGenerator<ExportPage, void> {
  const omittedNodes = openOmittedNodes(needs, request);
  const evidenceOf = openEntryEvidence(needs, request.chain);
  const unnamed = trackUnnamedErasures();
  let { last } = start;
  let { to } = request;
  // Erasures before this position are unknown here.
  let extensions = request.isWhole ? 0 : extensionsMax;
  let isUnsure = last > 0;
  for (let at: number | null = start.at; at !== null;) {
    const found = await nextEntries(needs, { ...request, to }, at);
    let [nodes, lines, bytes]: [BundleNode[], BundleLine[], number] = [[], [], 0];
    for (const entry of found.entries) {
      if (bytes > pageBytesMax) {
        yield { lines, nodes, next: { at: last + 1, last } };
        [nodes, lines, bytes] = [[], [], 0];
      }
      nodes.push(...(await omittedNodes({ from: last, to: entry.seq - 1 })));
      const line = bundleLine(entry, await evidenceOf(entry), request.showing);
      lines.push(line);
      unnamed.note(line);
      bytes += line.data?.length ?? 0;
      last = entry.seq;
    }
    at = found.next;
    if (at === null && extensions < extensionsMax && (isUnsure || unnamed.any())) {
      await needs.waitUntilFolded();
      const size = (await needs.chains.head(request.chain))?.size ?? to;
      if (size > to) at = to + 1;
      to = size;
      extensions += 1;
      isUnsure = false;
    }
    if (at === null) nodes.push(...(await omittedNodes({ from: last, to: request.size })));
    yield { lines, nodes, next: at === null ? null : { at, last } };
  }
}

/** Matching entries from `at` on, and the `seq` to continue at. */
const nextEntries = async (
  { chains }: Needs,
  { chain, filter, to }: ExportRequest,
  at: number,
): Promise<{ readonly entries: readonly ChainEntry[]; readonly next: number | null }> => {
  if (at > to) return { entries: [], next: null };
  if (filter === null) {
    // Pages end at segment boundaries.
    const end = Math.min(to, Math.ceil(at / entriesAtOnce) * entriesAtOnce);
    const entries = await chains.entries(chain, at, end);
    return { entries, next: end < to ? end + 1 : null };
  }
  const query = { at, ascending: true, limit: entriesAtOnce, technical: true, ...filter };
  const page = await chains.page(chain, query);
  const entries = page.entries.filter(({ seq }) => seq <= to);
  const isOver = page.next === null || page.next > to;
  return { entries, next: isOver ? null : page.next };
};

/** Smaller subtrees are hashed from the entries, which one read returns in bulk. */
const tileWidth = entriesAtOnce;

/** Nodes of the omitted range between two entries, as far as it is sealed. */
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

/** Events held in memory with their content; 32 of 10 KB are 320 KB. */
const evidenceAtOnce = 32;
/** Skipped entries are read through up to this number. */
const skippedReadsMax = 32;

/**
 * Evidence of one entry after the other, read in log order. Across a larger gap, reading continues
 * at the entry before the next wanted one.
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
  new Fault('conflict', `the log lacks the event at ${position} that history was folded from`);
