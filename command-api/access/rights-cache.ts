import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import type { Clock, StreamName } from '../../kernel/ports.js';

/** TTL: half of the second in which a revocation must hold everywhere (contract 2.2, 2.4). */
const ttlMs = 500;
/** Background refresh: entries in constant use are reloaded before they expire, without a wait. */
const refreshAfterMs = 350;
const entriesMax = 10_000;
/** Throttle interval: a flood of notifications does not keep the cache empty. */
const invalidateEveryMs = 100;

/** Notification that rights changed: every cached entry is dropped. */
export const rightsSubject = 'rights.changed';

export type RightsCache = {
  /**
   * Stale-while-revalidate cache: TTL 500 ms, background refresh after 350 ms, 10,000 entries,
   * oldest evicted. Null is not cached, so that what was just created is found at once.
   */
  readonly cachedLoader: <T>() => (key: string, load: () => Promise<T>) => Promise<T>;
  /** Cache invalidation: drops all entries; later calls load again. */
  readonly invalidate: () => void;
  /** The same for a notification, which may be forged: at once, then at most every 100 ms. */
  readonly invalidateThrottled: () => void;
};

/** Opens the rights cache: users, keys, logins and memberships as last loaded from the log. */
export const openRightsCache = (clock: Pick<Clock, 'milliseconds' | 'wait'>): RightsCache => {
  const clearCalls: (() => void)[] = [];
  const forget = (): void => {
    for (const clear of clearCalls) clear();
  };
  return {
    cachedLoader: <T>() => {
      const entries: CacheEntries<T> = boundedMap(entriesMax);
      clearCalls.push(() => entries.clear());
      return staleWhileRevalidate(clock, entries);
    },
    invalidate: forget,
    invalidateThrottled: throttleCalls(clock, forget),
  };
};

/** Throttle: runs at once; calls during the rest interval are merged into one run at its end. */
const throttleCalls = (clock: Pick<Clock, 'wait'>, work: () => void): (() => void) => {
  let isResting = false;
  let isPending = false;
  const run = async (): Promise<void> => {
    isResting = true;
    do {
      isPending = false;
      work();
      await clock.wait(invalidateEveryMs, new AbortController().signal);
    } while (isPending);
    isResting = false;
  };
  return () => {
    isPending = true;
    if (!isResting) void run();
  };
};

/** `at`: when the load began. */
type CacheEntry<T> = { readonly at: number; readonly value: Promise<T> };
/** `next`: the background refresh that replaces this entry once loaded. */
type CacheEntries<T> = BoundedMap<string, CacheEntry<T> & { next: CacheEntry<T> | null }>;

const staleWhileRevalidate =
  <T>(clock: Pick<Clock, 'milliseconds'>, entries: CacheEntries<T>) =>
  (key: string, load: () => Promise<T>): Promise<T> => {
    const now = clock.milliseconds();
    const isFresh = ({ at }: CacheEntry<T>): boolean => now - at < ttlMs;
    const keep = (answer: CacheEntry<T>): void => {
      const entry = { ...answer, next: null };
      const forget = (): void => void (entries.get(key) === entry && entries.delete(key));
      entries.set(key, entry);
      answer.value.then((value) => value === null && forget(), forget);
    };

    const found = entries.get(key);
    if (found !== undefined && isFresh(found)) {
      if (found.next === null && now - found.at >= refreshAfterMs) {
        const next = { at: now, value: load() };
        found.next = next;
        next.value.then(
          () => entries.get(key) === found && keep(next),
          () => (found.next = null),
        );
      }
      return found.value;
    }
    const next = found?.next ?? null;
    const answer = next !== null && isFresh(next) ? next : { at: now, value: load() };
    keep(answer);
    return answer.value;
  };

/** True if events of this stream may change rights that the authorizer caches. */
export const affectsRights = (name: StreamName): boolean =>
  rightsStreamPrefixes.some((category) => name.startsWith(category));
const rightsStreamPrefixes = ['user-', 'api-key-', 'group-', 'refresh-family-'];
