/** Time and timers of the browser. */
export type PageClock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after that many milliseconds, or at once when the signal aborts. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export const browserClock: PageClock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
};
