/**
 * Persistent map: adding entries leaves older versions unchanged, and many single additions cost
 * far less than copying the map each time, which would make late spans of one trace quadratic.
 */
export type PersistentMap<V> = {
  readonly base: ReadonlyMap<string, V>;
  /** Newer entries, small: about the square root of the base. */
  readonly recent: ReadonlyMap<string, V>;
};

export const emptyPersistentMap = <V>(): PersistentMap<V> => ({
  base: new Map(),
  recent: new Map(),
});

export const persistentGet = <V>({ base, recent }: PersistentMap<V>, key: string): V | undefined =>
  recent.get(key) ?? base.get(key);

const recentMin = 32;

export const persistentSet = <V>(
  { base, recent }: PersistentMap<V>,
  entries: readonly (readonly [string, V])[],
): PersistentMap<V> =>
  recent.size + entries.length > recentMin + Math.sqrt(base.size)
    ? { base: new Map([...base, ...recent, ...entries]), recent: new Map() }
    : { base, recent: new Map([...recent, ...entries]) };
