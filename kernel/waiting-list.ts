/** Who waits for room, in the order of coming. */
export type WaitingList<T> = {
  /** Resolves once it was let in; rejects with the reason of `signal`, and waits no more then. */
  readonly join: (one: T, signal?: AbortSignal) => Promise<void>;
  /** Lets in those that `enters` takes; it is asked of each in turn. */
  readonly admit: (enters: (one: T) => boolean) => void;
  readonly size: () => number;
};

export const openWaitingList = <T>(): WaitingList<T> => {
  const waiting = new Map<() => void, T>();
  return {
    join: (one, signal) =>
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
