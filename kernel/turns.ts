import type { StreamName } from './ports.js';

/**
 * Work on streams after the work before it on any of them, whether that succeeded or not: requests
 * of this process do not race each other in vain. Who comes first is settled when it is called, for
 * all its streams at once, so nobody waits in a circle.
 */
export type InTurn = <T>(streams: readonly StreamName[], work: () => Promise<T>) => Promise<T>;

/**
 * Does a small piece of a work that takes long in a turn of the event loop that has time left for
 * it, so that others come in between.
 */
export type InSlices = <T>(work: () => T) => Promise<T>;

export const openTurns = (): InTurn => {
  const last = new Map<StreamName, Promise<unknown>>();
  return async (streams, work) => {
    const before = [...new Set(streams.flatMap((stream) => last.get(stream) ?? []))];
    const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const stream of streams) last.set(stream, mine);
    try {
      return await mine;
    } finally {
      for (const stream of streams) if (last.get(stream) === mine) last.delete(stream);
    }
  };
};
