import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import type { Clock } from '../../kernel/ports.js';

/** Half of the second in which a revocation must hold everywhere (contract 2.2, 2.4). */
const ttlMs = 500;
/** Whoever is asked about all the time is asked anew before that, so that nobody waits for it. */
const refreshAfterMs = 350;
const entriesMax = 10_000;
/** Whoever floods us with hints leaves us some memory all the same. */
const invalidateEveryMs = 100;

/** A change of who may do what: nothing that was remembered counts any more. */
export const rightsSubject = 'rights.changed';

export type RightsCache = {
  /**
   * Asks once per key and half second, or ahead of that while others go by what is known; what was
   * asked longest ago goes first when it gets crowded. That there is none is not remembered: what
   * was just made is there at once.
   */
  readonly cachedLoader: <T>() => (key: string, ask: () => Promise<T>) => Promise<T>;
  /** What is asked from here on is asked anew. */
  readonly invalidate: () => void;
  /**
   * The same for a hint, which may be a lie: at once, and then again a moment later at the soonest.
   */
  readonly invalidateThrottled: () => void;
};

/** What the log said of people, keys and logins a moment ago. */
export const openRightsCache = (clock: Pick<Clock, 'milliseconds' | 'wait'>): RightsCache => {
  const forgetting: (() => void)[] = [];
  const forget = (): void => {
    for (const one of forgetting) one();
  };
  return {
    cachedLoader: <T>() => {
      const known: CacheEntries<T> = boundedMap(entriesMax);
      forgetting.push(() => known.clear());
      return staleWhileRevalidate(clock, known);
    },
    invalidate: forget,
    invalidateThrottled: throttleCalls(clock, forget),
  };
};

/** Works when called, unless it did just now: then once more after a while. */
const throttleCalls = (clock: Pick<Clock, 'wait'>, work: () => void): (() => void) => {
  let isResting = false;
  let isDue = false;
  const run = async (): Promise<void> => {
    isResting = true;
    do {
      isDue = false;
      work();
      await clock.wait(invalidateEveryMs, new AbortController().signal);
    } while (isDue);
    isResting = false;
  };
  return () => {
    isDue = true;
    if (!isResting) void run();
  };
};

/** `at`: when it was asked. */
type CacheEntry<T> = { readonly at: number; readonly value: Promise<T> };
/** `next`: asked since, in place of this one once it is there. */
type CacheEntries<T> = BoundedMap<string, CacheEntry<T> & { next: CacheEntry<T> | null }>;

const staleWhileRevalidate =
  <T>(clock: Pick<Clock, 'milliseconds'>, known: CacheEntries<T>) =>
  (key: string, ask: () => Promise<T>): Promise<T> => {
    const now = clock.milliseconds();
    const isGood = ({ at }: CacheEntry<T>): boolean => now - at < ttlMs;
    const keep = (answer: CacheEntry<T>): void => {
      const entry = { ...answer, next: null };
      const forget = (): void => void (known.get(key) === entry && known.delete(key));
      known.set(key, entry);
      answer.value.then((value) => value === null && forget(), forget);
    };

    const found = known.get(key);
    if (found !== undefined && isGood(found)) {
      if (found.next === null && now - found.at >= refreshAfterMs) {
        const next = { at: now, value: ask() };
        found.next = next;
        next.value.then(
          () => known.get(key) === found && keep(next),
          () => (found.next = null),
        );
      }
      return found.value;
    }
    const next = found?.next ?? null;
    const answer = next !== null && isGood(next) ? next : { at: now, value: ask() };
    keep(answer);
    return answer.value;
  };
