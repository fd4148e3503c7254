import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';

/** Scope of one request: its cancellation and deadline. */
export type RequestScope = {
  /** Aborts on disconnect, timeout or shutdown; the reason is the matching Fault. */
  readonly signal: AbortSignal;
  /** Starts the deadline of the response (contract 1.11). */
  readonly startDeadline: (milliseconds: number, what?: 'read' | 'write') => void;
  /** Stops the deadline until `startDeadline` is called again. */
  readonly clearDeadline: () => void;
  /** Ends the scope: the response is ready. */
  readonly end: () => void;
};

export type RequestScopes = {
  readonly open: (socket: Socket) => RequestScope;
  /** Tracks a request's work, which may outlast its scope. */
  readonly track: <T>(work: () => Promise<T>) => Promise<T>;
  /** Aborts all scopes, and later ones as soon as they open, because the service stops. */
  readonly abortAll: () => void;
  /** Resolves when no tracked work is left. */
  readonly whenIdle: () => Promise<void>;
};

export const openRequestScopes = (): RequestScopes => {
  const aborts = new Set<(reason: Fault) => void>();
  const handled = new Set<Promise<unknown>>();
  let stopping: Fault | null = null;
  return {
    open: (socket) => {
      const controller = new AbortController();
      // One listener per query of the handler.
      setMaxListeners(0, controller.signal);
      let timer: NodeJS.Timeout | null = null;
      const stopTimer = (): void => {
        if (timer !== null) clearTimeout(timer);
        timer = null;
      };
      const abort = (reason: Fault): void => controller.abort(reason);
      const disconnected = (): void => abort(new Fault('unavailable', 'The client is gone'));
      if (socket.destroyed) disconnected();
      if (stopping !== null) abort(stopping);
      socket.once('close', disconnected);
      aborts.add(abort);
      return {
        signal: controller.signal,
        clearDeadline: stopTimer,
        startDeadline: (milliseconds, what = 'read') => {
          stopTimer();
          timer = setTimeout(() => abort(deadlineFaults[what](milliseconds)), milliseconds);
        },
        end: () => {
          stopTimer();
          socket.off('close', disconnected);
          aborts.delete(abort);
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
      for (const abort of aborts) abort(stopping);
    },
    whenIdle: async () => {
      while (handled.size > 0) await Promise.allSettled(handled);
    },
  };
};

// A query that was too large is so a second later, too.
const lateRetryAfterSeconds = 10;

const deadlineFault = (sentence: string): Fault =>
  new Fault('unavailable', sentence, { retryAfterSeconds: lateRetryAfterSeconds });

const deadlineFaults = {
  read: (milliseconds: number): Fault =>
    deadlineFault(
      `The query took longer than ${milliseconds / 1_000} s. Narrow it: ` +
        'a shorter time, fewer filters or values, a smaller page',
    ),
  // Writes that were appended before the deadline stay, and the rest of the append follows.
  write: (milliseconds: number): Fault =>
    deadlineFault(
      `The write took longer than ${milliseconds / 1_000} s and may be recorded in part. ` +
        'Retry it with the same ids, which records nothing twice, or send less at once.',
    ),
} as const;

const contextStorage = new AsyncLocalStorage<QueryContext>();

/** Runs `work` with a query context, which all queries below it inherit. */
export const withQueryContext = <T>(context: QueryContext, work: () => T): T =>
  contextStorage.run(context, work);

/** Context of the running work; empty outside `withQueryContext`. */
export const currentQueryContext = (): QueryContext => contextStorage.getStore() ?? {};
