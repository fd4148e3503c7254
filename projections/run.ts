import { openSequence } from '../kernel/turns.js';
import { reasonOf } from '../kernel/fault.js';
import {
  start,
  type Bus,
  type Clock,
  type EventReader,
  type Page,
  type Position,
  type Recorded,
  type StreamName,
  type Decode,
} from '../kernel/ports.js';
import type { Json } from '../kernel/shapes.js';
import {
  applyStep,
  batchEventsMax,
  fail,
  foldPage,
  lookAgain,
  movedSubject,
  type Subscription,
  type SubscriptionNeeds,
  type Step,
} from './subscription.js';
import { aheadReason, emptiedWhenExchanged, type Ahead } from './exchanged-log.js';
import type { Parking } from './parking.js';
import { openHeadTimes, type HeadTimes } from './head-times.js';
import { unreadableType, type ReadModel } from './read-model.js';

export type RunNeeds = {
  /**
   * Opened without a codec: what cannot be decoded parks its stream instead of stopping every page.
   */
  readonly reader: EventReader;
  readonly decode: Decode;
  /** Refuses data that its schema does not allow too; for whoever asks whether the log is sound. */
  readonly decodeChecked: Decode;
  readonly sources: readonly ReadModel[];
  readonly parking: Parking;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Told at the start when the log is not the one that was folded (exchanged-log.ts). */
  readonly exchanged?: (ahead: readonly Ahead[]) => void;
};

export type Runner = {
  readonly subscriptions: readonly Subscription[];
  readonly headTimes: HeadTimes;
  subscription(name: string): Subscription | null;
  /** Runs `work` while no batch is folded or applied; the loop waits. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Looks for work now: something was resumed or unparked. */
  wake(): void;
  /** Resolves when the batch at hand is applied. */
  stop(): Promise<void>;
};

/**
 * Pages that one group of subscriptions takes before the others, and whoever waits for a pause,
 * have their turn.
 */
const pagesAtOnce = 8;
/** How often the head is looked at while there is work, to tell the age of what is not folded. */
const lookEveryMs = 50;
/** How many streams' last revisions are remembered to find gaps at once. */
const revisionsMax = 100_000;

/**
 * Feeds every source from one reading of the log, each with its own checkpoint. Read models at the
 * same position share a page, so in normal times the log is read once; one that is behind reads for
 * itself until it has caught up.
 */
export const startRunner = async (needs: RunNeeds): Promise<Runner> => {
  const { reader, sources, clock } = needs;
  const ahead = await emptiedWhenExchanged(needs);
  if (ahead.length > 0) needs.exchanged?.(ahead);
  const subscriptions = await Promise.all(
    sources.map(async (source): Promise<Subscription> => ({
      source,
      position: await source.checkpoint(),
      paused: false,
      trouble: null,
      anew: anewOf(source, ahead),
      batchMax: batchEventsMax,
      narrowing: false,
    })),
  );
  const pages = pageReader(needs);
  const headTimes = openHeadTimes();
  let lookAt = 0;
  const exclusively = openSequence();
  let stopped = false;
  let idle = new AbortController();

  const lookAhead = async (): Promise<void> => {
    const now = clock.milliseconds();
    if (now < lookAt) return;
    lookAt = now + lookEveryMs;
    headTimes.note(await reader.head(), now);
  };
  const round = async (): Promise<boolean> => {
    let moved = false;
    await lookAhead();
    for (const subscription of subscriptions) {
      if (isDue(subscription, clock.milliseconds())) {
        await lookAgain(subscription).catch((error: unknown) =>
          fail(subscription, clock, reasonOf(error)),
        );
      }
    }
    for (const group of groupsOf(subscriptions, clock.milliseconds())) {
      const before = group.map((subscription) => subscription.position);
      if (stopped) break;
      await serve(group, pages, needs, () => stopped);
      moved ||= group.some((subscription, index) => subscription.position !== before[index]);
    }
    return moved;
  };
  const rest = async (): Promise<void> => {
    const waiting = subscriptions.filter((subscription) => !subscription.paused);
    const retryAt = Math.min(
      ...waiting.map((subscription) => subscription.trouble?.retryAt ?? Infinity),
    );
    const waits = [aborted(idle.signal)];
    const ready = waiting
      .filter((subscription) => subscription.trouble === null)
      .map((subscription) => subscription.position);
    if (ready.length > 0) waits.push(reader.grown(least(ready), idle.signal));
    if (retryAt < Infinity) waits.push(clock.wait(retryAt - clock.milliseconds(), idle.signal));
    await Promise.race(waits);
    idle.abort();
  };
  const loop = async (): Promise<void> => {
    for (;;) {
      if (stopped) return;
      idle = new AbortController();
      // Stores may answer without ever leaving the thread; questions to it have to get in between.
      await new Promise((resolve) => setImmediate(resolve));
      const moved = await exclusively(round).catch((error: unknown) => {
        // Reading the log failed: every subscription says so and waits.
        for (const subscription of subscriptions) fail(subscription, clock, reasonOf(error));
        return false;
      });
      if (!moved && !stopped && !idle.signal.aborted) await rest();
    }
  };
  const ended = loop();
  return {
    subscriptions,
    headTimes,
    subscription: (name) => subscriptions.find(({ source }) => source.name === name) ?? null,
    exclusively,
    wake: () => idle.abort(),
    stop: async () => {
      stopped = true;
      idle.abort();
      await ended;
    },
  };
};

/** When one is ahead, all are built anew. */
const anewOf = ({ name }: ReadModel, ahead: readonly Ahead[]): Subscription['anew'] => {
  const why = ahead.find((one) => one.name === name) ?? ahead[0];
  if (why === undefined) return null;
  const of = why.name === name ? '' : ` (${why.name})`;
  return { reason: `${aheadReason(why)}${of}`, until: why.head };
};

const least = (positions: readonly Position[]): Position =>
  positions.reduce((low, position) => (position < low ? position : low));

const isDue = ({ trouble }: Subscription, now: number): boolean =>
  trouble !== null && trouble.retryAt <= now;

/**
 * Read models that may go on, those at one position together, the furthest first: it serves readers
 * who wait.
 */
const groupsOf = (
  subscriptions: readonly Subscription[],
  now: number,
): readonly (readonly Subscription[])[] => {
  const byPosition = new Map<Position, Subscription[]>();
  for (const subscription of subscriptions) {
    if (subscription.paused || (subscription.trouble !== null && !isDue(subscription, now)))
      continue;
    byPosition.set(subscription.position, [
      ...(byPosition.get(subscription.position) ?? []),
      subscription,
    ]);
  }
  return [...byPosition].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, group]) => group);
};

/**
 * Takes a few pages through all subscriptions of the group. While the stores write one page, the
 * next is read and, as far as a subscription need not wait for its store, folded. A subscription
 * that fails or falls behind ends this; it goes on by itself.
 */
const serve = async (
  group: readonly Subscription[],
  pages: ReturnType<typeof pageReader>,
  needs: SubscriptionNeeds,
  isStopped: () => boolean,
): Promise<void> => {
  let position = group[0]?.position ?? start;
  let applied: Promise<boolean> = Promise.resolve(true);
  for (let count = 0; count < pagesAtOnce; count += 1) {
    const page = await pages.after(position);
    const from = { position, applied: count === 0 ? null : applied };
    if (page.gap !== null || page.through <= position) {
      await applied;
      settle(group, page.gap, needs);
      return;
    }
    const steps = await Promise.all(
      group.map((subscription) => foldPage(subscription, page, from, needs)),
    );
    // What was folded onto a batch that the store did not take is thrown away.
    if (!(await applied)) return;
    const taken = steps.filter((step) => step !== null);
    const written = Promise.all(taken.map((step) => applyStep(step, needs)));
    applied = written.then((all) => all.every(Boolean));
    position = page.through;
    const together = taken.length === group.length && taken.every(goesOn(page.through));
    if (!together || isStopped()) break;
  }
  await applied;
};

/**
 * Whether the next page may be folded before this step is written: all of the page is in it, and
 * nothing was set aside.
 */
const goesOn =
  (through: Position) =>
  (step: Step): boolean =>
    step.through === through && step.folded.poisons.length === 0;

const settle = (
  group: readonly Subscription[],
  gap: string | null,
  { clock }: SubscriptionNeeds,
): void => {
  for (const subscription of group) {
    if (gap !== null) fail(subscription, clock, gap);
    // Nothing more to read: what troubled the subscription is over, unless its last write failed just now.
    else if (
      subscription.trouble !== null &&
      subscription.trouble.retryAt <= clock.milliseconds()
    ) {
      subscription.trouble = null;
    }
  }
};

type CheckedPage = Page & { readonly gap: string | null };

/**
 * Pages with decoded events; a stream whose next revision is missing is reported instead of passed
 * on.
 */
const pageReader = ({ reader, decode }: Pick<RunNeeds, 'reader' | 'decode'>) => {
  const revisions = new Map<StreamName, number>();
  return {
    after: async (position: Position): Promise<CheckedPage> => {
      const page = await reader.page(position, batchEventsMax);
      const gap = gapIn(page.events, revisions);
      return { ...page, events: page.events.map((event) => decoded(event, decode)), gap };
    },
  };
};

export const decoded = (event: Recorded, decode: Decode): Recorded => {
  try {
    return { ...event, data: decode(event.type, event.metadata.schema, event.data) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...event, type: unreadableType, data: { type: event.type, reason } };
  }
};

const gapIn = (events: readonly Recorded[], revisions: Map<StreamName, number>): string | null => {
  for (const { stream, revision } of events) {
    const last = revisions.get(stream);
    if (last !== undefined && revision > last + 1) {
      return `gap: ${stream} has revision ${revision} where ${last + 1} is next`;
    }
    if (last === undefined || revision > last) {
      revisions.delete(stream);
      revisions.set(stream, revision);
    }
  }
  for (const stream of revisions.keys()) {
    if (revisions.size <= revisionsMax) break;
    revisions.delete(stream);
  }
  return null;
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A message of `projection.moved`, or null when it is something else. */
export const movedTo = (
  message: Json,
): { readonly name: string; readonly position: Position } | null => {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) return null;
  const { name, position } = message as Readonly<Record<string, Json>>;
  return typeof name === 'string' && typeof position === 'string' && positionForm.test(position)
    ? { name, position: position as Position }
    : null;
};
/** Contract 1.6. */
const positionForm = /^[0-9A-Za-z_-]{1,64}$/;
export { movedSubject };
