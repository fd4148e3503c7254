import type { Position } from '../../kernel/ports.js';

/** Number of sorted positions up to and including `after` (binary search). */
export const countUpTo = (positions: readonly Position[], after: Position): number => {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = positions[middle];
    if (at !== undefined && at <= after) low = middle + 1;
    else high = middle;
  }
  return low;
};
