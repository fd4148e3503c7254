const wordBits = 32;

/** Size of a set: a number holds so many bits exactly, in JSON, in a cell and in `bit_or`. */
export const bitsMax = 53;

/** The set of both words: bits 0 to 31, and those above. */
export const bitSetOf = (low: number, high: number): number =>
  (low >>> 0) + (high >>> 0) * 2 ** wordBits;

/** True for the bits of the word above. */
export const isHighBit = (bit: number): boolean => bit >= wordBits;

/** The bit in its word. */
export const maskOf = (bit: number): number => 1 << (bit % wordBits);

export const hasBit = (set: number, bit: number): boolean =>
  ((isHighBit(bit) ? set / 2 ** wordBits : set) & maskOf(bit)) !== 0;
