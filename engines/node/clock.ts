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
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, milliseconds));
      signal.addEventListener('abort', done, { once: true });
    }),
};
