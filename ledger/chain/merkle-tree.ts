import type { Sha256 } from '../../kernel/ports.js';

/**
 * Compact range of a Merkle tree over a growing list (RFC 9162, 2.1; SHA-256). Leaves are not kept:
 * the range holds the roots of the perfect subtrees from the left, at most one of each width, which
 * suffices to append and to compute the root.
 */
export type CompactRange = readonly Subtree[];
/** Perfect subtree: `width` leaves from `at`; `width` is a power of two that divides `at`. */
type Subtree = { readonly at: number; readonly width: number; readonly hash: Uint8Array };
/** Range of leaf indices: from `from` up to and without `to`. */
export type LeafRange = { readonly from: number; readonly to: number };
/** Returns the root of a perfect subtree of at least one leaf. */
export type SubtreeHash = (at: number, width: number) => Promise<Uint8Array>;

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

export const leafHash = (sha256: Sha256, content: Uint8Array): Uint8Array =>
  sha256(leafPrefix, content);
export const nodeHash = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(nodePrefix, left, right);

export const leafCount = (range: CompactRange): number => {
  const last = range.at(-1);
  return last === undefined ? 0 : last.at + last.width;
};

/** Appends one perfect subtree at the right end. Throws RangeError when it does not fit there. */
export const appendSubtree = (
  sha256: Sha256,
  range: CompactRange,
  width: number,
  hash: Uint8Array,
): CompactRange => {
  const at = leafCount(range);
  if (at % width !== 0) throw new RangeError(`no subtree of ${width} leaves begins at ${at}`);
  let right: Subtree = { at, width, hash };
  let left = range.length;
  for (let last = range[left - 1]; last?.width === right.width; last = range[left - 1]) {
    right = {
      at: last.at,
      width: last.width * 2,
      hash: nodeHash(sha256, last.hash, right.hash),
    };
    left -= 1;
  }
  const after = range.slice(0, left);
  after.push(right);
  return after;
};

/** Root of the range; without leaves, the hash of the empty input. */
export const merkleRoot = (sha256: Sha256, range: CompactRange): Uint8Array =>
  joinHashes(
    sha256,
    range.map(({ hash }) => hash),
  ) ?? sha256();

/** Joins perfect subtrees side by side, widths falling; null for an empty list. */
const joinHashes = (sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array | null =>
  hashes.reduceRight<Uint8Array | null>(
    (right, left) => (right === null ? left : nodeHash(sha256, left, right)),
    null,
  );

/** Minimal decomposition of a range into perfect subtrees, from the left. */
export const perfectSubtrees = ({ from, to }: LeafRange): readonly Omit<Subtree, 'hash'>[] => {
  const subtrees: Omit<Subtree, 'hash'>[] = [];
  for (let at = from; at < to;) {
    let width = 1;
    while (at % (width * 2) === 0 && at + width * 2 <= to) width *= 2;
    subtrees.push({ at, width });
    at += width;
  }
  return subtrees;
};

/**
 * Inclusion proof of leaf `index` in the tree of `size` leaves: the ranges whose roots are the
 * siblings on its path, from the leaf on (RFC 9162, 2.1.3.1).
 */
export const inclusionRanges = (index: number, { from, to }: LeafRange): readonly LeafRange[] => {
  if (to - from <= 1) return [];
  const middle = from + splitWidth(to - from);
  return index < middle
    ? [...inclusionRanges(index, { from, to: middle }), { from: middle, to }]
    : [...inclusionRanges(index, { from: middle, to }), { from, to: middle }];
};

/**
 * Consistency proof that the tree of `older` leaves is a prefix of the tree of `size` (RFC 9162,
 * 2.1.4.1). Empty for equal sizes and for an empty older tree.
 */
export const consistencyRanges = (older: number, size: number): readonly LeafRange[] =>
  older === 0 || older === size ? [] : consistencyWithin(older, { from: 0, to: size }, true);

/** `whole`: the older tree ends with this range's beginning, so the verifier knows its root. */
const consistencyWithin = (
  older: number,
  { from, to }: LeafRange,
  whole: boolean,
): readonly LeafRange[] => {
  if (older === to) return whole ? [] : [{ from, to }];
  const middle = from + splitWidth(to - from);
  return older <= middle
    ? [...consistencyWithin(older, { from, to: middle }, whole), { from: middle, to }]
    : [...consistencyWithin(older, { from: middle, to }, false), { from, to: middle }];
};

/** The greatest power of two below `count`. */
const splitWidth = (count: number): number => 2 ** Math.floor(Math.log2(count - 1));

/** Root of the leaves of a range, from those of its perfect subtrees. */
export const rangeRoot = async (
  sha256: Sha256,
  hashOf: SubtreeHash,
  span: LeafRange,
): Promise<Uint8Array> => {
  const hashes = await Promise.all(perfectSubtrees(span).map(({ at, width }) => hashOf(at, width)));
  const hash = joinHashes(sha256, hashes);
  if (hash === null) throw new RangeError('a span without leaves has no root');
  return hash;
};

/** True if `proof` leads from a leaf to the root (RFC 9162, 2.1.3.2). */
export const isIncluded = (
  sha256: Sha256,
  leaf: { readonly index: number; readonly hash: Uint8Array },
  tree: { readonly size: number; readonly root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean => {
  const root = includedRoot(sha256, leaf, tree.size, proof);
  return root !== null && equalBytes(root, tree.root);
};

/** Root that `proof` leads to in a tree of `size`; null for a proof of another length. */
export const includedRoot = (
  sha256: Sha256,
  leaf: { readonly index: number; readonly hash: Uint8Array },
  size: number,
  proof: readonly Uint8Array[],
): Uint8Array | null => {
  if (leaf.index >= size) return null;
  const spans = inclusionRanges(leaf.index, { from: 0, to: size });
  if (spans.length !== proof.length) return null;
  let hash = leaf.hash;
  for (const [at, { from }] of spans.entries()) {
    const beside = proof[at] ?? hash;
    hash = from > leaf.index ? nodeHash(sha256, hash, beside) : nodeHash(sha256, beside, hash);
  }
  return hash;
};

type Tree = { readonly size: number; readonly root: Uint8Array };

/** True if `proof` shows that the older tree is a prefix of the newer (RFC 9162, 2.1.4.2). */
export const isConsistent = (
  sha256: Sha256,
  older: Tree,
  newer: Tree,
  proof: readonly Uint8Array[],
): boolean => {
  if (older.size > newer.size) return false;
  if (older.size === 0) return proof.length === 0;
  if (older.size === newer.size) return proof.length === 0 && equalBytes(older.root, newer.root);
  const spans = consistencyRanges(older.size, newer.size);
  if (spans.length !== proof.length) return false;
  // The root of a perfect older tree is implied; otherwise the proof begins with a part of it.
  const isPerfect = spans[0] !== undefined && spans[0].from === older.size;
  const first = isPerfect ? older.root : proof[0];
  if (first === undefined) return false;
  let [olderRoot, newerRoot] = [first, first];
  for (const [at, { from }] of spans.entries()) {
    const beside = proof[at];
    if (beside === undefined || (at === 0 && !isPerfect)) continue;
    if (from < older.size) olderRoot = nodeHash(sha256, beside, olderRoot);
    newerRoot =
      from < older.size ? nodeHash(sha256, beside, newerRoot) : nodeHash(sha256, newerRoot, beside);
  }
  return equalBytes(olderRoot, older.root) && equalBytes(newerRoot, newer.root);
};

const equalBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
