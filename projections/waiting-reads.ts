import type { Clock, NotificationBus, Position } from '../kernel/ports.js';

/**
 * Wait after which a read is announced. A few events are folded within it, so reads of a quiet
 * service are not.
 */
export const waitingReadMs = 25;
/** Duration of an announcement's effect: the longest usual wait of a read (contract 1.7). */
const effectMs = 2_000;
/** Announcements remembered at a time; the oldest give way. */
const readsMax = 64;
/** Subject of the notification: `{ project, position }`. */
export const waitingReadSubject = 'read.waiting';

/** Announces to all processes that a read of this project waits for that position. */
export const announceWaitingRead = (
  bus: Pick<NotificationBus, 'publish'>,
  project: string,
  position: Position,
): void => {
  bus.publish(waitingReadSubject, { project, position });
};

/** Reads that wait in any process, as announced. */
export type WaitingReads = {
  /** Project whose read waits for exactly this position; null: none announced one. */
  readonly projectAt: (position: Position) => string | null;
};

export const openWaitingReads = (
  bus: Pick<NotificationBus, 'subscribe'>,
  clock: Pick<Clock, 'milliseconds'>,
): WaitingReads => {
  const reads = new Map<string, { readonly project: string; readonly at: number }>();
  bus.subscribe(waitingReadSubject, (message) => {
    const { project, position } = (message ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof project !== 'string' || typeof position !== 'string') return;
    reads.delete(position);
    reads.set(position, { project, at: clock.milliseconds() });
    const [oldest] = reads.keys();
    if (reads.size > readsMax && oldest !== undefined) reads.delete(oldest);
  });
  return {
    projectAt: (position) => {
      const read = reads.get(position);
      return read !== undefined && clock.milliseconds() - read.at < effectMs ? read.project : null;
    },
  };
};
