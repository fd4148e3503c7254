import { AssayFault } from '../fault.js';
import { isRetryable, backoffMs, type RetryRules } from '../retry.js';
import { bodyOf, type BatchPart } from './batch-parts.js';
import type { Queue } from './queue.js';
import type { RejectedTrace } from './rejected-trace.js';

export type Sender = {
  /** Signals new parts: they are sent after the batching delay, at once if there are many. */
  readonly wake: () => void;
  /**
   * Sends the waiting parts now. Resolves with true once none of them is left, else with false
   * after the time limit or when the signal aborts.
   */
  readonly flush: (withinMs: number, signal?: AbortSignal) => Promise<boolean>;
  /** Last error of the current request; null without one. */
  readonly lastFault: () => AssayFault | null;
  /** Stops sending. */
  readonly stop: () => void;
  readonly isOpen: () => boolean;
};

export type SenderSettings = {
  readonly queue: Queue;
  /**
   * Sends one request and resolves with the items that the service rejected alone; rejects with an
   * AssayFault. The same key makes it the same request.
   */
  readonly post: (
    parcel: BatchPart,
    body: string,
    key: string,
    signal: AbortSignal,
  ) => Promise<readonly RejectedTrace[]>;
  readonly newKey: () => string;
  /** Batching delay. */
  readonly intervalMs: number;
  /** Bytes from which a batch is sent without delay. */
  readonly enoughBytes: number;
  readonly inBackground: (timer: unknown) => void;
  /** Time after which a failing request is reported, once. */
  readonly troubleMs: number;
  readonly onTrouble: (fault: AssayFault | null) => void;
};

/** Without a limit, as the queue is bounded and requests are idempotent. */
const endlessRetries: RetryRules = { triesMax: Infinity, firstWaitMs: 200, waitMaxMs: 10_000 };
/** Retry delay during a flush. */
const flushRetryMs = 250;

type State = {
  isStopped: boolean;
  /** Number of running flushes. */
  hurried: number;
  /** True during the batching delay. */
  isGathering: boolean;
  isRunning: boolean;
  /** Called when parts left the queue. */
  readonly watchers: Set<() => void>;
  trouble: AssayFault | null;
  /** Aborts the running request. */
  readonly stopping: AbortController;
  /** Ends the present pause. */
  wake: () => void;
};
type SenderContext = SenderSettings & { readonly state: State };

/** Sends one request at a time, so that related records arrive in order. Never throws. */
export const openSender = (settings: SenderSettings): Sender => {
  const { queue } = settings;
  const state: State = {
    isStopped: false,
    hurried: 0,
    isGathering: false,
    isRunning: false,
    watchers: new Set(),
    trouble: null,
    stopping: new AbortController(),
    wake: () => undefined,
  };
  const sending = { ...settings, state };
  const stir = (): void => {
    if (state.isStopped) return;
    if (!state.isRunning) {
      state.isRunning = true;
      void sendLoop(sending).finally(() => {
        state.isRunning = false;
        if (queue.nextBatch().length > 0) stir();
      });
    } else if (state.isGathering && queue.logged().waitingBytes >= settings.enoughBytes) {
      state.wake();
    }
  };
  const flush = (withinMs: number, signal?: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      // The queue is in order: parts after the last one were logged later.
      const last = queue.all().at(-1);
      if (last === undefined) return resolve(true);
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        state.watchers.delete(watch);
        state.hurried -= 1;
        resolve(!queue.all().includes(last));
      };
      const watch = (): void => {
        if (state.isStopped || !queue.all().includes(last)) end();
      };
      // Unlike the others this timer keeps the program running.
      const timer = setTimeout(end, withinMs);
      signal?.addEventListener('abort', end);
      state.watchers.add(watch);
      state.hurried += 1;
      stir();
      state.wake();
      if (state.isStopped || signal?.aborted === true) end();
    });
  const stop = (): void => {
    state.isStopped = true;
    state.stopping.abort();
    state.wake();
    notifyWatchers(state);
  };
  const trouble = (): AssayFault | null => state.trouble;
  return { wake: stir, flush, stop, lastFault: trouble, isOpen: () => !state.isStopped };
};

/** Ends early when woken. Only a flush keeps the program running for it. */
const pause = ({ state, inBackground }: SenderContext, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    inBackground(timer);
    state.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });

const sendLoop = async (sending: SenderContext): Promise<void> => {
  const { queue, state, enoughBytes, intervalMs } = sending;
  if (state.hurried === 0 && queue.logged().waitingBytes < enoughBytes) {
    state.isGathering = true;
    await pause(sending, intervalMs);
    state.isGathering = false;
  }
  while (!state.isStopped) {
    const parcels = queue.nextBatch();
    if (parcels.length === 0) return;
    await sendBatch(sending, parcels);
    notifyWatchers(state);
  }
};
const notifyWatchers = ({ watchers }: State): void => {
  for (const watch of watchers) watch();
};

/** Resolves once these parts are accepted or lost. */
const sendBatch = async (sending: SenderContext, parcels: readonly BatchPart[]): Promise<void> => {
  const { queue, state } = sending;
  const [first] = parcels;
  if (first === undefined) return;
  const timer = setTimeout(() => sending.onTrouble(state.trouble), sending.troubleMs);
  sending.inBackground(timer);
  const answer = await retryUntilAnswered(sending, first, bodyOf(parcels)).finally(() =>
    clearTimeout(timer),
  );
  if (state.isStopped) return;
  state.trouble = null;
  if (answer instanceof AssayFault) return bisectRefused(sending, parcels, answer);
  const rejected = new Map(answer.map(({ index, msg }) => [parcels[index], msg]));
  queue.acknowledge(parcels.filter((one) => !rejected.has(one)));
  for (const [parcel, msg] of rejected) {
    if (parcel === undefined) continue;
    queue.discard(
      [parcel],
      'refused',
      new AssayFault(msg, { code: 'invalid_request', status: 422 }),
    );
  }
};

/** Retries until another try would not change the answer: a fault, or the rejected items. */
const retryUntilAnswered = async (
  sending: SenderContext,
  first: BatchPart,
  body: string,
): Promise<AssayFault | readonly RejectedTrace[]> => {
  const { state } = sending;
  const key = sending.newKey();
  for (let tries = 1; ; tries += 1) {
    const fault = await sending.post(first, body, key, state.stopping.signal).catch(asFault);
    if (state.isStopped || !(fault instanceof AssayFault)) return fault;
    if (!isRetryable(fault) && fault.code !== 'log_damaged') return fault;
    state.trouble = fault;
    const wait = backoffMs(fault, tries, endlessRetries) ?? endlessRetries.waitMaxMs;
    await pause(sending, state.hurried > 0 ? Math.min(wait, flushRetryMs) : wait);
    if (state.isStopped) return fault;
  }
};

/** Bisection: halves a refused request, so that one invalid record does not cost the others. */
const bisectRefused = async (
  sending: SenderContext,
  parcels: readonly BatchPart[],
  fault: AssayFault,
): Promise<void> => {
  const concernsAll = fault.status === null || [401, 403, 404, 405].includes(fault.status);
  // The project or the trace does not exist.
  if (fault.status === 404) for (const one of parcels) one.fate.isLost = true;
  if (parcels.length === 1 || concernsAll) return sending.queue.discard(parcels, 'refused', fault);
  const half = Math.ceil(parcels.length / 2);
  await sendBatch(sending, parcels.slice(0, half));
  await sendBatch(
    sending,
    parcels.slice(half).filter((one) => !one.fate.isLost),
  );
};

const asFault = (error: unknown): AssayFault =>
  error instanceof AssayFault
    ? error
    : new AssayFault(String(error), { code: 'unreadable', cause: error });
