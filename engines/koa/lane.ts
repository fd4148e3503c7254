/** Lets few work at once; the rest wait, and whoever holds a share already lets others pass. */
export type Lane = <T>(caller: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

type Waiting = { readonly caller: string; readonly go: () => void };

/**
 * Whoever waits goes when there is room and its caller has less than a share of it, in the order of
 * coming. Rejects with the reason of `signal` when it aborts before.
 */
export const openLane = (atOnceMax: number, perCallerMax: number): Lane => {
  const working = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;
  const count = (caller: string, by: number): void => {
    all += by;
    const left = (working.get(caller) ?? 0) + by;
    if (left === 0) working.delete(caller);
    else working.set(caller, left);
  };
  const hasRoom = (caller: string): boolean =>
    all < atOnceMax && (working.get(caller) ?? 0) < perCallerMax;
  const next = (): void => {
    for (const one of waiting) {
      if (!hasRoom(one.caller)) continue;
      waiting.delete(one);
      count(one.caller, 1);
      one.go();
      return;
    }
  };
  const turn = (caller: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        waiting.delete(mine);
        reject(signal.reason as Error);
      };
      const mine: Waiting = {
        caller,
        go: () => {
          signal.removeEventListener('abort', give);
          resolve();
        },
      };
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      waiting.add(mine);
    });
  return async (caller, signal, work) => {
    if (hasRoom(caller)) count(caller, 1);
    else await turn(caller, signal);
    try {
      return await work();
    } finally {
      count(caller, -1);
      next();
    }
  };
};
