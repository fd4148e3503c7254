import type { Clock } from '../../kernel/ports.js';

/** Half of the second in which a revocation must hold everywhere (contract 2.2, 2.4). */
const rememberedMs = 500;
const rememberedMax = 10_000;

/**
 * Asks once per key and half second; what was asked longest ago goes first when it gets crowded.
 * That there is none is not remembered: what was just made is there at once.
 */
export const remembering = <T>(clock: Pick<Clock, 'milliseconds'>) => {
  const known = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  return (key: string, ask: () => Promise<T>): Promise<T> => {
    const now = clock.milliseconds();
    const found = known.get(key);
    if (found !== undefined && now - found.at < rememberedMs) return found.value;
    const value = ask();
    known.delete(key);
    known.set(key, { at: now, value });
    value.then(
      (answer) => answer === null && known.delete(key),
      () => known.delete(key),
    );
    const oldest = known.keys().next();
    if (known.size > rememberedMax && oldest.done !== true) known.delete(oldest.value);
    return value;
  };
};

/** One work after the other for each key, in the order asked. */
export const inSequence = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
};
