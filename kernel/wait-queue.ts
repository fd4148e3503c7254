/** Those who wait for room, in the order in which they came. */
export type WaitQueue<T> = {
  /**
   * Resolves once it is admitted; rejects with the reason of `signal`, and then no longer waits.
   */
  readonly enqueue: (one: T, signal?: AbortSignal) => Promise<void>;
  /** Admits those that `enters` accepts; it is asked about each in turn. */
  readonly admit: (enters: (one: T) => boolean) => void;
  readonly size: () => number;
};

export const openWaitQueue = <T>(): WaitQueue<T> => {
  const waiting = new Map<() => void, T>();
  return {
    enqueue: (one, signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(go);
          reject(signal?.reason as Error);
        };
        const go = (): void => {
          waiting.delete(go);
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        if (signal?.aborted === true) return leave();
        signal?.addEventListener('abort', leave, { once: true });
        waiting.set(go, one);
      }),
    admit: (enters) => {
      for (const [go, one] of waiting) if (enters(one)) go();
    },
    size: () => waiting.size,
  };
};
