import type { Instant } from '../shapes.js';

/**
 * Microseconds since 1970-01-01T00:00:00Z; negative before. `instant` is canonical
 * (kernel/shapes.ts).
 */
export const microsecondsOf = (instant: Instant): bigint =>
  BigInt(millisecondsOf(instant)) * 1_000n + BigInt(instant.slice(23, 26));

/**
 * Whole milliseconds, the last three digits cut off: for engines that write both halves themselves.
 */
export const millisecondsOf = (instant: Instant): number => Date.parse(`${instant.slice(0, 23)}Z`);

/**
 * Outside the years 0001 to 9999, which no canonical text can express, the nearest instant inside.
 */
export const instantOf = (microseconds: bigint): Instant => {
  if (microseconds <= first) return firstInstant;
  if (microseconds >= last) return lastInstant;
  const within = ((microseconds % 1_000n) + 1_000n) % 1_000n;
  const milliseconds = Number((microseconds - within) / 1_000n);
  const digits = String(within).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${digits}Z` as Instant;
};

const firstInstant = '0001-01-01T00:00:00.000000Z' as Instant;
const lastInstant = '9999-12-31T23:59:59.999999Z' as Instant;
const first = microsecondsOf(firstInstant);
const last = microsecondsOf(lastInstant);

const microsecondsPerMinute = 60_000_000n;

/**
 * Which bucket an instant falls into: whole multiples of the interval since 1970, negative before
 * (contract 4.5, rule 5).
 */
export const bucketOf = (microseconds: bigint, intervalMinutes: number): bigint => {
  const width = BigInt(intervalMinutes) * microsecondsPerMinute;
  const whole = microseconds / width;
  return microseconds < 0n && microseconds % width !== 0n ? whole - 1n : whole;
};

/** `start` ≤ t < `end`, not clipped by any window; the outermost ones end with the calendar. */
export const bucketBounds = (
  bucket: bigint,
  intervalMinutes: number,
): { readonly start: Instant; readonly end: Instant } => {
  const width = BigInt(intervalMinutes) * microsecondsPerMinute;
  return { start: instantOf(bucket * width), end: instantOf((bucket + 1n) * width) };
};
