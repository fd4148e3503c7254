import type { Clock } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/shapes.js';

const pad = (value: number, width: number): string => String(value).padStart(width, '0');

/** The machine's clock, to the microsecond as far as it has one. */
export const systemClock: Clock = {
  now: () => {
    const microseconds = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
    const whole = new Date(Math.floor(microseconds / 1_000));
    return `${whole.toISOString().slice(0, -1)}${pad(microseconds % 1_000, 3)}Z` as Instant;
  },
  milliseconds: () => performance.now(),
};
