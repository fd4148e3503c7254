import { toHex } from '../../kernel/hex.js';
import {
  leafHash,
  appendSubtree,
  merkleRoot,
  leafCount,
  type CompactRange,
} from '../chain/merkle-tree.js';
import type { Sha256 } from '../../kernel/ports.js';
import { tileRoots } from '../collection.js';

/** Roots of full tiles of the level below, from the left; a full tile has 256. */
export type TileBody = { readonly roots: readonly string[] };

/** Address of a tile: its level, and its number within the level. */
type TileIndex = { readonly level: number; readonly number: number };

/** Leaves below one root of the level. */
export const leavesBelow = (level: number): number => tileRoots ** level;

/** Non-empty tiles that grow when `added` leaves are appended to `size`. */
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

/** A subtree root that a leaf completed. */
export type FullRoot = TileIndex & { readonly root: string };

/** Appends a leaf to the tree; `full` holds the tile roots that it completes. */
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
    // Everything to the right of that point, with the leaf, is a perfect subtree now.
    const right = [...range.filter(({ at }) => at >= from), { at: size - 1, width: 1, hash: leaf }];
    const number = Math.floor((size / leavesBelow(level) - 1) / tileRoots);
    full.push({ level, number, root: toHex(merkleRoot(sha256, right)) });
  }
  return { range: after, full };
};
