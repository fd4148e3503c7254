import { openLastSeen } from '../kernel/last-seen.js';
import type { Clock, NotificationBus } from '../kernel/ports.js';

/**
 * Wait after which a read is announced. A few events are folded within it, so reads of a quiet
 * service are not.
 */
export const waitingReadMs = 25;
/** Duration of an announcement's effect: a few batches. */
const effectMs = 500;
/** Subject of the notification: `{ project }`. */
export const waitingReadSubject = 'read.waiting';

/** Announces to all processes that a read of this project waits for its read models. */
export const announceWaitingRead = (
  bus: Pick<NotificationBus, 'publish'>,
  project: string,
): void => {
  bus.publish(waitingReadSubject, { project });
};

/** Reads that wait in any process, as announced. */
export type WaitingReads = {
  /** True while a read of another project waits, and shortly after. */
  readonly hasOtherThan: (project: string) => boolean;
};

export const openWaitingReads = (
  bus: Pick<NotificationBus, 'subscribe'>,
  clock: Pick<Clock, 'milliseconds'>,
): WaitingReads => {
  const waiting = openLastSeen(clock.milliseconds);
  bus.subscribe(waitingReadSubject, (message) => {
    const { project } = (message ?? {}) as { readonly project?: unknown };
    if (typeof project === 'string') waiting.see(project);
  });
  return { hasOtherThan: (project) => waiting.sinceOther(project) < effectMs };
};
