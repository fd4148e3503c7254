/**
 * Map of at most `entriesMax` entries that evicts the least recently set one. Unlike an LRU, `get`
 * does not refresh an entry.
 */
export type BoundedMap<K, V> = {
  readonly get: (key: K) => V | undefined;
  /** Makes the entry the newest, even if its key existed. Returns the evicted entry. */
  readonly set: (key: K, value: V) => readonly [key: K, value: V] | null;
  readonly delete: (key: K) => boolean;
  readonly clear: () => void;
  readonly size: () => number;
};

export const boundedMap = <K, V>(entriesMax: number): BoundedMap<K, V> => {
  const entries = new Map<K, V>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= entriesMax) return null;
      const [oldest = null] = entries;
      if (oldest !== null) entries.delete(oldest[0]);
      return oldest;
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    size: () => entries.size,
  };
};
