import { boundedMap } from './bounded-map.js';
import type { Clock } from './ports.js';

/**
 * Rate limit per key over a sliding window. Kept in memory: a restart forgets at most one window,
 * and each process counts for itself.
 */
export type SlidingWindow = {
  /** Milliseconds until the key has room; 0: it has room now. */
  readonly waitMs: (key: string) => number;
  readonly count: (key: string) => void;
};

/** Keys kept in memory: beyond it the one that was counted longest ago is forgotten. */
const keysMax = 50_000;

export const openSlidingWindow = (
  clock: Pick<Clock, 'milliseconds'>,
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
): SlidingWindow => {
  const counted = boundedMap<string, readonly number[]>(keysMax);
  const recent = (key: string): readonly number[] => {
    const since = clock.milliseconds() - windowMs;
    return (counted.get(key) ?? []).filter((at) => at > since);
  };
  return {
    waitMs: (key) => {
      const [oldest] = recent(key).slice(-max);
      const isFull = recent(key).length >= max && oldest !== undefined;
      return isFull ? Math.max(1, oldest + windowMs - clock.milliseconds()) : 0;
    },
    count: (key) => void counted.set(key, [...recent(key), clock.milliseconds()]),
  };
};
