import { mulberry32 } from './mulberry32.js';

/**
 * Deterministic pseudo-random numbers: equal for the same seed on every machine. Not for secrets.
 */
export type SeededRandom = {
  /** 0 ≤ n < 1. */
  readonly next: () => number;
  /** Both ends included. */
  readonly integer: (low: number, high: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
  /** Positive, half of them below `median`, with a long tail: the distribution of latencies. */
  readonly latency: (median: number, spread?: number) => number;
  /** A UUID in the version-4 layout. */
  readonly uuid: () => string;
};

export const seededRandom = (seed: number): SeededRandom => {
  const word = mulberry32(seed);
  const next = (): number => word() / 2 ** 32;
  const hex = (): string => word().toString(16).padStart(8, '0');
  return {
    next,
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: ([first, ...rest]) => {
      const at = Math.floor(next() * (rest.length + 1));
      return at === 0 ? first : (rest[at - 1] ?? first);
    },
    latency: (median, spread = 0.45) => {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp(spread * normal);
    },
    uuid: () => {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      const variant = '89ab'[word() & 3] ?? '8';
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
  };
};
