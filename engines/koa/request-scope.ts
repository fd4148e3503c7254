import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Fault } from '../../kernel/fault.js';

/** Whoever waits for the answer of one request. */
export type RequestScope = {
  /** Aborts when nobody waits any more; the reason is the Fault that says why. */
  readonly signal: AbortSignal;
  /** The time for the answer begins now (contract 1.11). */
  readonly startDeadline: (milliseconds: number, what?: 'read' | 'write') => void;
  /** Nothing is made for the answer until `startDeadline` is called again. */
  readonly clearDeadline: () => void;
  /** The answer is there. */
  readonly end: () => void;
};

export type RequestScopes = {
  readonly open: (socket: Socket) => RequestScope;
  /** Handles a request; what it does may outlast its asker. */
  readonly track: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whoever still waits, or comes, is told that the service stops. */
  readonly abortAll: () => void;
  /** Resolves when nothing is handled any more. */
  readonly whenIdle: () => Promise<void>;
};

export const openRequestScopes = (): RequestScopes => {
  const asking = new Set<(reason: Fault) => void>();
  const handled = new Set<Promise<unknown>>();
  let stopping: Fault | null = null;
  return {
    open: (socket) => {
      const controller = new AbortController();
      // As many as a handler asks at a time.
      setMaxListeners(0, controller.signal);
      let timer: NodeJS.Timeout | null = null;
      const rest = (): void => {
        if (timer !== null) clearTimeout(timer);
        timer = null;
      };
      const give = (reason: Fault): void => controller.abort(reason);
      const gone = (): void => give(new Fault('unavailable', 'The client is gone'));
      if (socket.destroyed) gone();
      if (stopping !== null) give(stopping);
      socket.once('close', gone);
      asking.add(give);
      return {
        signal: controller.signal,
        clearDeadline: rest,
        startDeadline: (milliseconds, what = 'read') => {
          rest();
          timer = setTimeout(() => give(deadlineFaults[what](milliseconds)), milliseconds);
        },
        end: () => {
          rest();
          socket.off('close', gone);
          asking.delete(give);
        },
      };
    },
    track: async (work) => {
      const begun = work();
      handled.add(begun);
      try {
        return await begun;
      } finally {
        handled.delete(begun);
      }
    },
    abortAll: () => {
      stopping = new Fault('unavailable', 'The service is stopping');
      for (const give of asking) give(stopping);
    },
    whenIdle: async () => {
      while (handled.size > 0) await Promise.allSettled(handled);
    },
  };
};

// A question that was too much is not less a second later.
const lateRetryAfterSeconds = 10;

const deadlineFault = (sentence: string): Fault =>
  new Fault('unavailable', sentence, { retryAfterSeconds: lateRetryAfterSeconds });

const deadlineFaults = {
  read: (milliseconds: number): Fault =>
    deadlineFault(
      `The question took longer than ${milliseconds / 1_000} s; ask for less: ` +
        'a shorter time, fewer filters or values, a smaller page',
    ),
  // What was appended by then stays, and the rest of the append follows.
  write: (milliseconds: number): Fault =>
    deadlineFault(
      `The write took longer than ${milliseconds / 1_000} s and may be recorded in part. ` +
        'Retry it with the same ids, which records nothing twice, or send less at once.',
    ),
} as const;
