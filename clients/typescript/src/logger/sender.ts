import { AssayFault } from '../fault.js';
import { isPassing, waitBefore, type RetryRules } from '../retry.js';
import { bodyOf, type Parcel } from './parcels.js';
import type { Queue } from './queue.js';

export type Sender = {
  /** Something was put in: it is sent soon, and at once when it is much. */
  readonly stir: () => void;
  /** Sends what waits, now. Resolves with whether nothing is left, in that time at the latest. */
  readonly flush: (withinMs: number) => Promise<boolean>;
  /** Nothing more is sent. */
  readonly stop: () => void;
  readonly isOpen: () => boolean;
};

export type SenderSettings = {
  readonly queue: Queue;
  /** Sends one request; rejects with an AssayFault. The same key makes it the same request. */
  readonly post: (parcel: Parcel, body: string, key: string, signal: AbortSignal) => Promise<void>;
  readonly newKey: () => string;
  /** How long records wait for company. */
  readonly intervalMs: number;
  /** So much does not wait for company. */
  readonly enoughBytes: number;
  readonly inBackground: (timer: unknown) => void;
};

/** Without an end, as the queue has a bound and what is sent twice is stored once. */
const patience: RetryRules = { triesMax: Infinity, firstWaitMs: 200, waitMaxMs: 10_000 };
/** Between tries while somebody waits for a flush. */
const hurriedWaitMs = 250;

type State = {
  isStopped: boolean;
  /** How many wait for a flush. */
  hurried: number;
  /** Records wait for company. */
  isGathering: boolean;
  running: Promise<void> | null;
  /** Ends a request that is under way. */
  readonly stopping: AbortController;
  /** Ends the present pause. */
  wake: () => void;
};
type Sending = SenderSettings & { readonly state: State };

/** One request at a time, so that what belongs together arrives in order. Never throws. */
export const openSender = (settings: SenderSettings): Sender => {
  const { queue } = settings;
  const state: State = {
    isStopped: false,
    hurried: 0,
    isGathering: false,
    running: null,
    stopping: new AbortController(),
    wake: () => undefined,
  };
  const sending = { ...settings, state };
  const stir = (): void => {
    if (state.isStopped) return;
    if (state.running === null) {
      state.running = work(sending).finally(() => {
        state.running = null;
        if (queue.next().length > 0) stir();
      });
    } else if (state.isGathering && queue.logged().waitingBytes >= settings.enoughBytes) {
      state.wake();
    }
  };
  const flush = async (withinMs: number): Promise<boolean> => {
    state.hurried += 1;
    const late = new AbortController();
    const ended = new Promise((resolve) => late.signal.addEventListener('abort', resolve));
    // Unlike the others this timer keeps the program running.
    const timer = setTimeout(() => late.abort(), withinMs);
    while (queue.next().length > 0 && !late.signal.aborted && !state.isStopped) {
      stir();
      state.wake();
      await Promise.race([state.running, ended]);
    }
    clearTimeout(timer);
    state.hurried -= 1;
    return queue.next().length === 0;
  };
  const stop = (): void => {
    state.isStopped = true;
    state.stopping.abort();
    state.wake();
  };
  return { stir, flush, stop, isOpen: () => !state.isStopped };
};

/** Ends early when woken. Only a flush keeps the program running for it. */
const pause = ({ state, inBackground }: Sending, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    inBackground(timer);
    state.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });

const work = async (sending: Sending): Promise<void> => {
  const { queue, state, enoughBytes, intervalMs } = sending;
  if (state.hurried === 0 && queue.logged().waitingBytes < enoughBytes) {
    state.isGathering = true;
    await pause(sending, intervalMs);
    state.isGathering = false;
  }
  while (!state.isStopped) {
    const parcels = queue.next();
    if (parcels.length === 0) return;
    await deliver(sending, parcels);
  }
};

/** Until these are taken or lost. */
const deliver = async (sending: Sending, parcels: readonly Parcel[]): Promise<void> => {
  const { queue, state } = sending;
  const [first] = parcels;
  if (first === undefined) return;
  const [body, key] = [bodyOf(parcels), sending.newKey()];
  for (let tries = 1; !state.isStopped; tries += 1) {
    const fault = await sending
      .post(first, body, key, state.stopping.signal)
      .then(() => null, asFault);
    if (state.isStopped) return;
    if (fault === null) return queue.taken(parcels);
    if (!isPassing(fault) && fault.code !== 'log_damaged') return refused(sending, parcels, fault);
    const wait = waitBefore(fault, tries, patience) ?? patience.waitMaxMs;
    await pause(sending, state.hurried > 0 ? Math.min(wait, hurriedWaitMs) : wait);
  }
};

/** What is wrong with one record is not to cost the others: the request is halved. */
const refused = async (
  sending: Sending,
  parcels: readonly Parcel[],
  fault: AssayFault,
): Promise<void> => {
  const concernsAll = fault.status === null || [401, 403, 404, 405].includes(fault.status);
  // The project or the trace is not there.
  if (fault.status === 404) for (const one of parcels) one.fate.isLost = true;
  if (parcels.length === 1 || concernsAll) return sending.queue.lose(parcels, 'refused', fault);
  const half = Math.ceil(parcels.length / 2);
  await deliver(sending, parcels.slice(0, half));
  await deliver(
    sending,
    parcels.slice(half).filter((one) => !one.fate.isLost),
  );
};

const asFault = (error: unknown): AssayFault =>
  error instanceof AssayFault
    ? error
    : new AssayFault(String(error), { code: 'unreadable', cause: error });
