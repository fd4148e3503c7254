import { erasedStreamsIn, needsErasureEvent } from '../../ledger/chain/erased-streams.js';
import { parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { genesisHash } from '../../ledger/chain/chain.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import {
  appendSubtree,
  leafCount,
  leafHash,
  merkleRoot,
  type CompactRange,
} from '../../ledger/chain/merkle-tree.js';
import { parseJsonText } from '../../kernel/json-text.js';
import { hasDigest, hasHash, isHash, type CheckedEntry, type EntryContent } from './entry-check.js';
import { sha256 } from './sha256.js';

type BundleEntry = CheckedEntry &
  EntryContent & {
    readonly erased: boolean;
    readonly salted: boolean | null;
    readonly withheld: 'secret' | 'asked' | null;
  };
type BundleNode = { readonly from: number; readonly to: number; readonly hash: string };

type Bundle = {
  /** The newest seal, whose signature is checked apart. */
  readonly checkpoint: string;
  /** True for the bundle of a whole organisation, which has every entry. */
  readonly isWhole: boolean;
  /** A checkpoint that was kept; null: none. */
  readonly kept: string | null;
};

type BundleCounts = {
  readonly entries: number;
  readonly erased: number;
  readonly withheld: number;
  readonly unsealed: number;
};

export type BundleCheck = {
  /** Checks one line, an entry or a node; the first complaint, or null. */
  readonly add: (line: string) => string | null;
  /** Checks what only the end shows. */
  readonly end: () => string | null;
  readonly counts: () => BundleCounts;
};

/**
 * Steps 2 to 5 of verifier/ALGORITHM.md, line by line. Entries come by `seq` and nodes from the
 * left, each node before the entry that follows it; an export sends those of a page together.
 */
export const openBundleCheck = ({ checkpoint, isWhole, kept }: Bundle): BundleCheck => {
  const seal = parseCheckpoint(checkpoint);
  const older = kept === null ? null : parseCheckpoint(kept);
  const counts = { entries: 0, erased: 0, withheld: 0, unsealed: 0 };
  const erasures = openErasures();
  const checkRecord = openRecordPolicy();
  let range: CompactRange = [];
  let before: BundleEntry | null = null;
  /** Nodes that came and lie behind the entries so far, from the left. */
  const waiting: BundleNode[] = [];
  const size = seal?.size ?? 0;
  const put = (width: number, hash: Uint8Array): string | null => {
    range = appendSubtree(sha256, range, width, hash);
    return older?.size === leafCount(range) && !isRoot(range, older.root)
      ? `the first ${older.size} entries are not those that this browser kept`
      : null;
  };
  const addNode = (node: BundleNode): string | null => {
    const last = waiting.at(-1)?.to ?? leafCount(range);
    if (isWhole || node.from < last || !isPerfect(node, size) || !isHash(node.hash)) {
      return misplaced(node);
    }
    waiting.push(node);
    return null;
  };
  /** Puts in the nodes that lie before `to`; null where they fill the gap. */
  const fillTo = (to: number): string | null => {
    const count = waiting.findIndex((node) => node.from >= to);
    for (const node of waiting.splice(0, count < 0 ? waiting.length : count)) {
      if (node.from > leafCount(range)) break;
      if (node.from < leafCount(range) || node.to > to) return misplaced(node);
      const complaint = put(node.to - node.from, fromHex(node.hash));
      if (complaint !== null) return complaint;
    }
    return leafCount(range) === to ? null : `entry ${leafCount(range) + 1} is missing`;
  };
  const addEntry = (entry: BundleEntry): string | null => {
    const complaint = entryComplaint(entry, before, isWhole) ?? checkRecord(entry) ?? null;
    if (complaint !== null) return `entry ${entry.seq}: ${complaint}`;
    const isSealed = entry.seq <= size;
    const gap = isSealed ? fillTo(entry.seq - 1) : null;
    if (gap !== null) return gap;
    erasures.add(entry);
    counts.entries += 1;
    if (entry.erased) counts.erased += 1;
    else if (entry.data === null) counts.withheld += 1;
    if (!isSealed) counts.unsealed += 1;
    before = entry;
    return isSealed ? put(1, leafHash(sha256, fromHex(entry.hash))) : null;
  };
  return {
    counts: () => counts,
    add: (line) => {
      const value = parseJsonText(line) as BundleEntry | BundleNode;
      return 'seq' in value ? addEntry(value) : addNode(value);
    },
    end: () => {
      if (seal === null) return 'the seal cannot be read';
      if (older !== null && isWhole && older.size > size) {
        return `${older.size} entries were sealed when this browser kept a checkpoint`;
      }
      const gap = fillTo(size);
      if (gap !== null) return gap;
      const unnamed = isWhole ? erasures.unnamed() : null;
      if (unnamed !== null) return `entry ${unnamed}: its content is gone, and no event says why`;
      return isRoot(range, seal.root) ? null : 'the entries do not make the root of the seal';
    },
  };
};

/** True for a perfect subtree of the sealed entries. */
const isPerfect = ({ from, to }: BundleNode, size: number): boolean =>
  to - from >= 1 &&
  to <= size &&
  Number.isInteger(Math.log2(to - from)) &&
  from % (to - from) === 0;

const misplaced = ({ from, to }: BundleNode): string =>
  `the node of entries ${from + 1} to ${to} is out of place`;

const isRoot = (range: CompactRange, root: Uint8Array): boolean =>
  toHex(merkleRoot(sha256, range)) === toHex(root);

/** Step 2. */
const entryComplaint = (
  entry: BundleEntry,
  before: BundleEntry | null,
  isWhole: boolean,
): string | null => {
  const { seq, salt, data, prev_hash: prev } = entry;
  if (data === null && salt !== null) return 'a salt without its content';
  if (data !== null && !hasDigest({ salt, data }, entry.data_digest)) {
    return 'the content is not that of the digest';
  }
  if (!isHash(entry.hash) || !hasHash(entry)) return 'the fields are not those of the hash';
  const last = before?.seq ?? 0;
  if (!Number.isSafeInteger(seq) || seq <= last) return 'out of order';
  if (isWhole && seq !== last + 1) return `entry ${last + 1} is missing`;
  const expected = seq === 1 ? genesisHash : seq === last + 1 ? before?.hash : undefined;
  return expected === undefined || prev === expected ? null : 'it does not follow the one before';
};

/** Step 4, last sentence: contents of records are all there, or all left out. */
const openRecordPolicy = () => {
  let [shown, left] = [0, 0];
  return ({ seq, stream, erased, withheld, data }: BundleEntry): string | null => {
    if (erased || !/^(trace|session|datasetrows)-/.test(stream)) return null;
    if (data === null && withheld !== 'asked') return 'its content is kept back';
    if (data === null) left ||= seq;
    else shown ||= seq;
    return shown > 0 && left > 0 ? 'contents of some records are kept back' : null;
  };
};

/** Step 4: erased entries, each of which an event of the same history names. */
const openErasures = () => {
  const named = new Set<string>();
  const gone = new Map<string, number>();
  return {
    add: ({ seq, stream, erased, event_type: type, data }: BundleEntry): void => {
      for (const one of streamsNamedBy(type, data)) named.add(one);
      if (erased && needsErasureEvent(stream) && !gone.has(stream)) gone.set(stream, seq);
    },
    /** The first entry that no event names; null: all are named. */
    unnamed: (): number | null => [...gone].find(([stream]) => !named.has(stream))?.[1] ?? null,
  };
};

const streamsNamedBy = (type: string, data: string | null): readonly string[] => {
  // Other types name nothing, and their content is not parsed.
  if (data === null || !type.endsWith('Erased')) return [];
  try {
    return erasedStreamsIn(type, parseJsonText(data));
  } catch {
    return [];
  }
};
