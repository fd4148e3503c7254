import { Fault, redactedReason } from '../kernel/fault.js';
import { isDiskError } from '../kernel/disk-errors.js';
import type { NotificationBus, Clock, EventPage, Position, StoredEvent } from '../kernel/ports.js';
import type { Json } from '../kernel/schema-types.js';
import { skippedKey, type Parking } from './parking.js';
import { poison, skippedType, type FoldResult, type ReadModel } from './read-model.js';

/** State of one read model in the runner's loop. */
export type Subscription = {
  readonly readModel: ReadModel;
  position: Position;
  paused: boolean;
  /** Set while it fails; retried at `retryAt` (milliseconds of the clock). */
  failure: { readonly reason: string; readonly failures: number; readonly retryAt: number } | null;
  /** Batch size limit in events; shrinks to isolate the one that a store refuses. */
  batchMax: number;
  /**
   * Set when it was emptied at the start: the reason, and the position from which it is complete
   * again.
   */
  readonly refill: { readonly reason: string; readonly until: Position } | null;
  /** The store works but refuses events: batches shrink at once until the event is isolated. */
  isBisecting: boolean;
};

export type SubscriptionNeeds = {
  readonly parking: Parking;
  readonly bus: NotificationBus;
  readonly clock: Clock;
  /**
   * Called when another projector has taken over: stores refuse all writes of this one from then
   * on.
   */
  readonly onFenced?: () => void;
};

/** Subject of the notification that a read model has moved: `{ name, position }`. */
export const movedSubject = 'projection.moved';
/** Content of such a notification; null when it is malformed. */
export const parseMoved = (
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

/** Attempts before the stream of a poison event is parked. */
export const attemptsMax = 3;
/**
 * Batch size: about 5,000 rows of records, enough for bulk writes; blocks the event loop for a
 * tenth of a second only.
 */
export const batchEventsMax = 500;
const retryFirstMs = 50;
const retryMaxMs = 5_000;

/**
 * Events that the subscription has to fold: without parked streams, and with a placeholder for
 * skipped events.
 */
const withoutParked = (
  parking: Parking,
  projection: string,
  events: readonly StoredEvent[],
): readonly StoredEvent[] => {
  const { parked, skipped } = parking.of(projection);
  if (parked.size === 0 && skipped.size === 0) return events;
  return events
    .filter((event) => {
      const from = parked.get(event.stream)?.revision;
      return from === undefined || event.revision < from;
    })
    .map((event) =>
      skipped.has(skippedKey(event.stream, event.revision))
        ? { ...event, type: skippedType, data: {} }
        : event,
    );
};

export const failWithBackoff = (subscription: Subscription, clock: Clock, reason: string): void => {
  const failures = (subscription.failure?.failures ?? 0) + 1;
  const wait = Math.min(retryMaxMs, retryFirstMs * 2 ** Math.min(failures - 1, 10));
  subscription.failure = { reason, failures, retryAt: clock.milliseconds() + wait };
};

/** A folded batch of one subscription, to be written. */
export type FoldedBatch = {
  readonly subscription: Subscription;
  readonly events: readonly StoredEvent[];
  readonly from: Position;
  readonly through: Position;
  readonly folded: FoldResult;
};

/**
 * Folds the events of the page after `from` for this subscription; null when it could not be
 * folded. `applied`: the subscription's batch up to `from` is still being written.
 */
export const foldPage = async (
  subscription: Subscription,
  page: EventPage,
  from: { readonly position: Position; readonly applied: Promise<unknown> | null },
  needs: SubscriptionNeeds,
): Promise<FoldedBatch | null> => {
  const { parking, clock } = needs;
  const ahead = page.events.filter(({ position }) => position > from.position);
  const events = ahead.slice(0, subscription.batchMax);
  const isCut = events.length < ahead.length;
  const through = isCut ? (events.at(-1)?.position ?? from.position) : page.through;
  try {
    const { readModel } = subscription;
    const wanted = readModel.canPark ? withoutParked(parking, readModel.name, events) : events;
    const erased = page.erased.filter(
      ({ position }) => position > from.position && position <= through,
    );
    const folded = await readModel.fold(wanted, from.applied, erased);
    if (folded.gap === null) return { subscription, events, from: from.position, through, folded };
    const { stream, expected, found } = folded.gap;
    failWithBackoff(
      subscription,
      clock,
      `gap: ${stream} has revision ${found} where ${expected} is next`,
    );
  } catch (error) {
    // While the previous batch is being written, the store's health is not tested.
    if (from.applied !== null) failWithBackoff(subscription, clock, redactedReason(error));
    else await handleRefusedBatch({ subscription, events }, error, needs).catch(() => null);
  }
  return null;
};

/** Parks poison streams, then writes the batch with its checkpoint. Returns true if it did. */
export const applyBatch = async (step: FoldedBatch, needs: SubscriptionNeeds): Promise<boolean> => {
  const { subscription } = step;
  const { parking, bus, clock } = needs;
  try {
    for (const one of step.folded.poisons) {
      await parking.park(subscription.readModel.name, one, clock.now());
    }
    const checkpoint = { position: step.through, fence: parking.fence(), after: step.from };
    await step.folded.apply(checkpoint);
    subscription.position = step.through;
    subscription.failure = null;
    subscription.batchMax = Math.min(batchEventsMax, subscription.batchMax * 2);
    if (subscription.batchMax === batchEventsMax) subscription.isBisecting = false;
    bus.publish(movedSubject, {
      name: subscription.readModel.name,
      position: subscription.position,
    });
    return true;
  } catch (error) {
    // Even parking may fail; the subscription is marked as failing before that.
    await handleRefusedBatch(step, error, needs).catch(() => null);
    return false;
  }
};

/**
 * Poison event handling for a batch that the store refused, or that could not be folded because the
 * store could not be read. The batch is retried unchanged, with backoff. When the store accepts an
 * empty batch meanwhile, the cause is an event: bisection retries ever smaller batches at once,
 * down to the one event that the store refuses, and parks that event's stream after repeated
 * failures. Two failures never park: a disk error, since a full disk refuses large writes and
 * accepts an empty batch, and a conflict, which concerns the writer and the store's position.
 */
const handleRefusedBatch = async (
  { subscription, events }: Pick<FoldedBatch, 'subscription' | 'events'>,
  error: unknown,
  needs: SubscriptionNeeds,
): Promise<void> => {
  failWithBackoff(subscription, needs.clock, redactedReason(error));
  if (isDiskError(error)) return;
  if (error instanceof Fault && error.code === 'conflict') {
    if (await needs.parking.isReplaced()) needs.onFenced?.();
    return;
  }
  const isLasting = (subscription.failure?.failures ?? 0) >= attemptsMax;
  const [single] = events;
  if (!subscription.readModel.canPark) return;
  if (!isLasting && (!subscription.isBisecting || events.length <= 1)) return;
  if (single === undefined || !(await acceptsEmptyBatch(subscription, needs))) return;
  subscription.failure = null;
  if (events.length > 1) {
    subscription.isBisecting = true;
    subscription.batchMax = Math.ceil(events.length / 2);
    return;
  }
  await needs.parking.park(subscription.readModel.name, poison(single, error), needs.clock.now());
  subscription.isBisecting = false;
};

/**
 * True if the store can write at all: an empty batch, at its own position, under a newer fencing
 * token.
 */
const acceptsEmptyBatch = async (
  { readModel, position }: Subscription,
  { parking }: SubscriptionNeeds,
) => {
  try {
    const nothing = await readModel.fold([], null, []);
    await nothing.apply({ position, fence: await parking.raiseFence(), after: position });
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads the store's checkpoint again: it may have lost data, or kept a batch that it reported as
 * failed.
 */
export const rereadCheckpoint = async (subscription: Subscription): Promise<void> => {
  subscription.position = await subscription.readModel.checkpoint();
};
