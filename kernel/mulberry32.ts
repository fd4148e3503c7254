/**
 * Seeded pseudo-random generator (Mulberry32) of 32-bit words, the same on every machine: 32 bits
 * of state are plenty for a sample, a load or a resampling. Not for secrets.
 */
export const mulberry32 = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
};
