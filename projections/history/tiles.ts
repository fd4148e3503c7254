import { toHex } from '../../kernel/history/hex.js';
import {
  leafHash,
  appendSubtree,
  merkleRoot,
  leafCount,
  type CompactRange,
} from '../../kernel/history/merkle-tree.js';
import type { Sha256 } from '../../kernel/ports.js';
import { tileRoots } from './collection.js';

/** Roots of full tiles of the level below, from the left; a full one has 256. */
export type TileBody = { readonly roots: readonly string[] };

/** Where a root stands: the tile of a level, and in it. */
type TileIndex = { readonly level: number; readonly number: number };

/** Leaves below one root of the level. */
export const leavesBelow = (level: number): number => tileRoots ** level;

/** The tiles, none of them empty, that grow when `added` leaves come to `size`. */
export const growingTiles = (size: number, added: number): readonly TileIndex[] => {
  const places: TileIndex[] = [];
  for (let level = 1; leavesBelow(level) <= size + added; level += 1) {
    const before = Math.floor(size / leavesBelow(level));
    const after = Math.floor((size + added) / leavesBelow(level));
    if (after === before) break;
    if (before % tileRoots !== 0) places.push({ level, number: Math.floor(before / tileRoots) });
  }
  return places;
};

/** A root that became whole with a leaf. */
export type FullRoot = TileIndex & { readonly root: string };

/** The tree with one leaf more, and the roots of tiles that are whole by it. */
export const appendLeaf = (
  sha256: Sha256,
  range: CompactRange,
  content: Uint8Array,
): { readonly range: CompactRange; readonly full: readonly FullRoot[] } => {
  const leaf = leafHash(sha256, content);
  const after = appendSubtree(sha256, range, 1, leaf);
  const size = leafCount(after);
  if (size % tileRoots !== 0) return { range: after, full: [] };
  const full: FullRoot[] = [];
  for (let level = 1; size % leavesBelow(level) === 0; level += 1) {
    const from = size - leavesBelow(level);
    // What was right of there, with the leaf, is a perfect subtree now.
    const right = [...range.filter(({ at }) => at >= from), { at: size - 1, width: 1, hash: leaf }];
    const number = Math.floor((size / leavesBelow(level) - 1) / tileRoots);
    full.push({ level, number, root: toHex(merkleRoot(sha256, right)) });
  }
  return { range: after, full };
};
