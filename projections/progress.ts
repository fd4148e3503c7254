import type { Clock, Position } from '../kernel/ports.js';
import type { PageProgress, RebuildProgress } from './fill-shadow.js';

/**
 * Reports progress, speed and remaining time of a copy that began at `from`, after each page.
 * `rate`: events a second at most.
 */
export const openProgressMeter = (
  name: string,
  clock: Clock,
  from: Position,
  report: (progress: RebuildProgress) => void,
  rate: () => number | null = () => null,
): ((taken: PageProgress) => void) => {
  const began = clock.milliseconds();
  let folded = 0;
  return ({ position, head, events }) => {
    folded += events;
    // The pause after this page is still to come.
    const paced = folded / (rate() ?? Infinity);
    const seconds = Math.max((clock.milliseconds() - began) / 1_000, paced, 0.001);
    const done = positionDistance(from, position);
    report({
      name,
      position,
      head,
      events_per_second: Math.round(folded / seconds),
      eta_seconds:
        done === 0 ? null : Math.round((seconds * positionDistance(position, head)) / done),
    });
  };
};

/** Distance in the log's own unit: events, or bytes where positions are offsets. */
export const positionDistance = (from: Position, to: Position): number => {
  const far = Number(numberOf(to) - numberOf(from));
  return Math.max(far, 0);
};

const numberOf = (position: Position): bigint =>
  /^[0-9a-f]+$/i.test(position) ? BigInt(`0x${position}`) : 0n;
