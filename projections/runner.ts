import { openMutex } from '../kernel/concurrency.js';
import { Fault, redactedReason } from '../kernel/fault.js';
import {
  logStart,
  type NotificationBus,
  type EventReader,
  type Position,
  type Decode,
  type StoredEvent,
} from '../kernel/ports.js';
import {
  applyBatch,
  failWithBackoff,
  foldPage,
  rereadCheckpoint,
  type Subscription,
  type SubscriptionNeeds,
  type FoldedBatch,
} from './subscription.js';
import { openSubscriptions, type OpenSubscriptionsNeeds } from './open-subscriptions.js';
import { openPositionClock, type PositionClock } from './position-clock.js';
import { openPageReader, type PageReader } from './page-reader.js';

export type RunnerNeeds = OpenSubscriptionsNeeds & {
  /**
   * Opened without a codec: an event that cannot be decoded parks its stream instead of stopping
   * every page.
   */
  readonly reader: EventReader;
  readonly decode: Decode;
  /** Decoder that also rejects data that its schema does not allow; used to check the log. */
  readonly checkedDecode: () => Promise<Decode>;
  readonly bus: NotificationBus;
  /** Called with each page before it is folded. */
  readonly onPage?: (events: readonly StoredEvent[]) => void;
  /** Called when another projector has taken over (subscription.ts). */
  readonly onFenced?: () => void;
};

export type Runner = {
  readonly subscriptions: readonly Subscription[];
  readonly positionClock: PositionClock;
  subscription(name: string): Subscription | null;
  /** Lag in milliseconds of the slowest read model that is neither paused nor failing. */
  liveLag(): number;
  /** Runs `work` while no batch is folded or applied; the loop waits. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the idle wait now: something was resumed or unparked. */
  wake(): void;
  /** Resolves when the current batch is applied. */
  stop(): Promise<void>;
};

/**
 * Pages that one group of subscriptions takes before the other groups and waiting `exclusively`
 * calls run.
 */
const pagesAtOnce = 8;
/**
 * Adaptive batching: a batch costs its stores about the same with one event as with fifty. After a
 * batch of more than `fewEvents` and fewer than `manyEvents` events that left nothing to fold, the
 * next events are collected for as long as that batch took.
 */
const fewEvents = 4;
const manyEvents = 64;
const batchDelayMaxMs = 100;
/** Poll interval of the head while there is work, to measure the age of unfolded events. */
const headPollMs = 50;

/** Throws Fault `conflict` that lists the known names when the name is unknown. */
export const subscriptionOf = (runner: Runner, name: string): Subscription => {
  const found = runner.subscription(name);
  if (found !== null) return found;
  const names = runner.subscriptions.map(({ readModel }) => readModel.name).join(', ');
  throw new Fault('conflict', `no read model is called ${name}; there are ${names}`);
};

/**
 * Feeds every read model from one reading of the log, each with its own checkpoint. Read models at
 * the same position share a page, so in normal times the log is read once; one that lags reads
 * separately until it has caught up.
 */
export const startRunner = async (needs: RunnerNeeds): Promise<Runner> => {
  const subscriptions = await openSubscriptions(needs);
  const positionClock = openPositionClock();
  const exclusively = openMutex();
  let stopped = false;
  let idle = new AbortController();
  const round = openRounds(subscriptions, positionClock, needs, () => stopped);
  /** Reading the log failed: every subscription reports it and backs off. */
  const unreadable = (error: unknown): Round => {
    for (const subscription of subscriptions)
      failWithBackoff(subscription, needs.clock, redactedReason(error));
    return { hasMoved: false, delaysNext: false };
  };
  const loop = async (): Promise<void> => {
    for (;;) {
      if (stopped) return;
      idle = new AbortController();
      // Yields to the event loop: stores may respond synchronously, which would block other
      // requests.
      await new Promise((resolve) => setImmediate(resolve));
      const began = needs.clock.milliseconds();
      const { hasMoved, delaysNext } = await exclusively(round).catch(unreadable);
      if (delaysNext && !stopped) {
        const took = needs.clock.milliseconds() - began;
        await needs.clock.wait(Math.min(took, batchDelayMaxMs), idle.signal);
      }
      if (hasMoved || stopped || idle.signal.aborted) continue;
      await waitForWork(subscriptions, needs, idle.signal).catch(unreadable);
      idle.abort();
    }
  };
  const ended = loop();
  return {
    subscriptions,
    positionClock,
    subscription: (name) => subscriptions.find(({ readModel }) => readModel.name === name) ?? null,
    liveLag: () => {
      const now = needs.clock.milliseconds();
      const since = subscriptions
        .filter(({ paused, failure }) => !paused && failure === null)
        .map(({ position }) => positionClock.passedAt(position) ?? now);
      return now - Math.min(now, ...since);
    },
    exclusively,
    wake: () => idle.abort(),
    stop: async () => {
      stopped = true;
      idle.abort();
      await ended;
    },
  };
};

const lowestPosition = (positions: readonly Position[]): Position =>
  positions.reduce((low, position) => (position < low ? position : low));

const mayRetry = ({ failure }: Subscription, now: number): boolean =>
  failure !== null && failure.retryAt <= now;

/**
 * `hasMoved`: at least one subscription did. `delaysNext`: everything was folded, and it was more
 * than a few events, but below `manyEvents`.
 */
type Round = { readonly hasMoved: boolean; readonly delaysNext: boolean };

/** Runs one round over every subscription that may proceed. */
const openRounds = (
  subscriptions: readonly Subscription[],
  positionClock: PositionClock,
  needs: RunnerNeeds,
  isStopped: () => boolean,
) => {
  const { reader, clock } = needs;
  const pages = openPageReader(needs);
  let nextPollAt = 0;
  let head = logStart;
  const pollHead = async (): Promise<Position> => {
    const now = clock.milliseconds();
    if (now < nextPollAt) return head;
    nextPollAt = now + headPollMs;
    head = await reader.head();
    positionClock.recordHead(head, now);
    return head;
  };
  return async (): Promise<Round> => {
    let moved = false;
    let mayDelay = true;
    let events = 0;
    await pollHead();
    for (const subscription of subscriptions) {
      if (mayRetry(subscription, clock.milliseconds())) {
        await rereadCheckpoint(subscription).catch((error: unknown) =>
          failWithBackoff(subscription, clock, redactedReason(error)),
        );
      }
    }
    for (const group of groupsOf(subscriptions, clock.milliseconds())) {
      const before = group.map((subscription) => subscription.position);
      if (isStopped()) break;
      const result = await feedGroup(group, { pages, pollHead }, needs, isStopped);
      events += result.events;
      mayDelay &&= result.isOver;
      moved ||= group.some((subscription, index) => subscription.position !== before[index]);
    }
    return { hasMoved: moved, delaysNext: mayDelay && events > fewEvents };
  };
};

/**
 * Resolves when the log has grown, a failed subscription is to be retried, or the signal aborts.
 */
const waitForWork = async (
  subscriptions: readonly Subscription[],
  { reader, clock }: RunnerNeeds,
  signal: AbortSignal,
): Promise<void> => {
  const waiting = subscriptions.filter(({ paused }) => !paused);
  const retryAt = Math.min(...waiting.map(({ failure }) => failure?.retryAt ?? Infinity));
  const ready = waiting.filter(({ failure }) => failure === null).map(({ position }) => position);
  const waits = [onceAborted(signal)];
  if (ready.length > 0) waits.push(reader.waitForGrowth(lowestPosition(ready), signal));
  if (retryAt < Infinity) waits.push(clock.wait(retryAt - clock.milliseconds(), signal));
  await Promise.race(waits);
};

/** Read models that may proceed, grouped by position, the furthest first: reads wait for it. */
const groupsOf = (
  subscriptions: readonly Subscription[],
  now: number,
): readonly (readonly Subscription[])[] => {
  const byPosition = new Map<Position, Subscription[]>();
  for (const subscription of subscriptions) {
    if (subscription.paused || (subscription.failure !== null && !mayRetry(subscription, now)))
      continue;
    byPosition.set(subscription.position, [
      ...(byPosition.get(subscription.position) ?? []),
      subscription,
    ]);
  }
  return [...byPosition].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, group]) => group);
};

/**
 * Takes a few pages through all subscriptions of the group. Pipelined: while the stores write one
 * page, the next is read and, as far as a subscription need not wait for its store, folded. A
 * subscription that fails or falls behind ends this; it continues separately.
 */
const feedGroup = async (
  group: readonly Subscription[],
  { pages, pollHead }: { readonly pages: PageReader; readonly pollHead: () => Promise<Position> },
  needs: SubscriptionNeeds,
  isStopped: () => boolean,
): Promise<{ readonly events: number; readonly isOver: boolean }> => {
  let position = group[0]?.position ?? logStart;
  let applied: Promise<boolean> = Promise.resolve(true);
  let events = 0;
  let isOver = false;
  try {
    for (let count = 0; count < pagesAtOnce && !isOver; count += 1) {
      const head = await pollHead();
      const page = await pages.readAfter(position);
      events += page.events.length;
      isOver = page.through >= head && events < manyEvents;
      const from = { position, applied: count === 0 ? null : applied };
      if (page.gap !== null || page.through <= position) {
        await applied;
        settleGroup(group, page.gap, needs);
        return { events, isOver };
      }
      const steps = await Promise.all(
        group.map((subscription) => foldPage(subscription, page, from, needs)),
      );
      // Discard a fold onto a batch that the store did not take.
      if (!(await applied)) return { events, isOver: false };
      const taken = steps.filter((step) => step !== null);
      const written = Promise.all(taken.map((step) => applyBatch(step, needs)));
      applied = written.then((all) => all.every(Boolean));
      position = page.through;
      const together = taken.length === group.length && taken.every(mayFoldAhead(page.through));
      isOver &&= together;
      if (!together || isStopped()) break;
    }
  } finally {
    // Also when reading the log fails: the store's checkpoint is unknown while it writes.
    await applied;
  }
  return { events, isOver };
};

/**
 * True if the next page may be folded before this step is written: the step holds all of the page,
 * and no event was poison.
 */
const mayFoldAhead =
  (through: Position) =>
  (step: FoldedBatch): boolean =>
    step.through === through && step.folded.poisons.length === 0;

const settleGroup = (
  group: readonly Subscription[],
  gap: string | null,
  { clock }: SubscriptionNeeds,
): void => {
  for (const subscription of group) {
    if (gap !== null) failWithBackoff(subscription, clock, gap);
    // Nothing left to read: the failure is over, unless the last write failed just now.
    else if (
      subscription.failure !== null &&
      subscription.failure.retryAt <= clock.milliseconds()
    ) {
      subscription.failure = null;
    }
  }
};

const onceAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
