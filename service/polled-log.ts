import type { Clock, EventLog, Position } from '../kernel/ports.js';

/** Maximum age of the shared head: a polling loop notices an event that much later. */
const headMaxAgeMs = 500;

/**
 * The log for polling loops: a page after the head is empty without a request to the engine. The
 * loops share one read of the head (single flight), which is at most `headMaxAgeMs` old.
 */
export const openPolledLog = (log: EventLog, clock: Pick<Clock, 'milliseconds'>): EventLog => {
  let head: { readonly position: Promise<Position>; readonly readAtMs: number } | null = null;
  const readHead = (): Promise<Position> => {
    const position = log.head();
    head = { position, readAtMs: clock.milliseconds() };
    position.catch(() => {
      if (head?.position === position) head = null;
    });
    return position;
  };
  const recentHead = (): Promise<Position> =>
    head !== null && clock.milliseconds() - head.readAtMs < headMaxAgeMs
      ? head.position
      : readHead();
  return {
    ...log,
    page: async (after, limit, types) =>
      after >= (await recentHead())
        ? { events: [], erased: [], through: after }
        : log.page(after, limit, types),
  };
};
