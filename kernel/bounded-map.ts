/**
 * A map of at most so many entries: the one that was set longest ago goes when there is one more.
 */
export type BoundedMap<K, V> = {
  readonly get: (key: K) => V | undefined;
  /** The entry is the newest from here on, also when its key was there. */
  readonly set: (key: K, value: V) => void;
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
      if (entries.size <= entriesMax) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => entries.delete(key),
    clear: () => entries.clear(),
    size: () => entries.size,
  };
};
