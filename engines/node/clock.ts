import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';

/**
 * Largest drift between the two clocks before the wall clock is believed: its resolution and some
 * event-loop ticks.
 */
const driftMaxMs = 2;

/**
 * System clocks. `now` is the wall clock, which may be set back or forth, with the microseconds of
 * the monotonic clock in between; `milliseconds` never goes back.
 */
const openClock = (): Clock => {
  let wallAnchor = Date.now();
  let monotoneAnchor = performance.now();
  return {
    now: () => {
      const wall = Date.now();
      const monotone = performance.now();
      let fine = wallAnchor + (monotone - monotoneAnchor);
      if (Math.abs(fine - wall) > driftMaxMs) {
        [wallAnchor, monotoneAnchor, fine] = [wall, monotone, wall];
      }
      const microseconds = Math.floor(fine * 1_000);
      const second = new Date(Math.floor(microseconds / 1_000)).toISOString().slice(0, -1);
      return `${second}${String(microseconds % 1_000).padStart(3, '0')}Z` as Instant;
    },
    milliseconds: () => performance.now(),
    wait,
  };
};

const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(Math.max(0, milliseconds), undefined, { signal }).catch(() => undefined);

export const systemClock: Clock = openClock();
