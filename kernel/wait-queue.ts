/** Wait queue in FIFO order. */
export type WaitQueue<T> = {
  /**
   * Resolves once the item is admitted; rejects with the reason of `signal` and leaves the queue.
   */
  readonly enqueue: (one: T, signal?: AbortSignal) => Promise<void>;
  /** Admits the items that `enters` accepts; it is called for each in order. */
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
