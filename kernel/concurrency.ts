import type { StreamName } from './ports.js';

/**
 * Keyed mutex: runs `work` after all earlier work on any of these keys, failed or not, so that
 * requests of this process do not conflict with each other in vain. The order is fixed at the call,
 * for all keys at once, so there is no deadlock.
 */
export type KeyedMutex<K extends string = StreamName> = <T>(
  keys: readonly K[],
  work: () => Promise<T>,
) => Promise<T>;

/**
 * Runs a short slice of long work in an event-loop iteration that has time for it, so that other
 * work runs in between.
 */
export type RunInSlice = <T>(work: () => T) => Promise<T>;

export const openKeyedMutex = <K extends string = StreamName>(): KeyedMutex<K> => {
  const last = new Map<K, Promise<unknown>>();
  return async (keys, work) => {
    const before = [...new Set(keys.flatMap((key) => last.get(key) ?? []))];
    const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const key of keys) last.set(key, mine);
    try {
      return await mine;
    } finally {
      for (const key of keys) if (last.get(key) === mine) last.delete(key);
    }
  };
};

/** Mutex: one `work` at a time, in call order; a failure does not affect later work. */
export const openMutex = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => null);
    return mine;
  };
};

/**
 * Single flight: concurrent callers share the next run, which starts after they called; one run at
 * a time.
 */
export const singleFlight = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const running = run();
    current = running.catch(() => null);
    return running;
  };
  return () => (next ??= current.then(begin));
};

/** Single flight per key; a key is kept only while it has callers. */
export const singleFlightByKey = <K, T>(load: (key: K) => Promise<T>): ((key: K) => Promise<T>) => {
  const flights = new Map<K, { readonly run: () => Promise<T>; callers: number }>();
  return async (key) => {
    const flight = flights.get(key) ?? { run: singleFlight(() => load(key)), callers: 0 };
    flights.set(key, flight);
    flight.callers += 1;
    try {
      return await flight.run();
    } finally {
      flight.callers -= 1;
      if (flight.callers === 0) flights.delete(key);
    }
  };
};

/**
 * Batch loader: collects the calls of one event-loop tick into one `loadAll` call, which returns
 * results in call order.
 */
export const openBatchLoader = <K, V>(
  loadAll: (keys: readonly K[]) => Promise<readonly V[]>,
): ((key: K) => Promise<V>) => {
  let keys: K[] = [];
  let loading: Promise<readonly V[]> | null = null;
  const send = async (): Promise<readonly V[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = keys;
    keys = [];
    loading = null;
    return loadAll(batch);
  };
  return async (key) => {
    const index = keys.push(key) - 1;
    loading ??= send();
    return (await loading)[index] as V;
  };
};
