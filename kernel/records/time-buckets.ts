import type { Instant } from '../schema-types.js';

/**
 * Microseconds since 1970-01-01T00:00:00Z; negative before. `instant` is canonical
 * (kernel/schema-types.ts).
 */
export const microsecondsOf = (instant: Instant): bigint =>
  BigInt(millisecondsOf(instant)) * 1_000n + BigInt(digitsAt(instant, 23, 26));

/** `microsecondsOf` as a number where that is exact: from 1684 to 2255. */
export const exactMicrosecondsOf = (instant: Instant): number | bigint => {
  const microseconds = millisecondsOf(instant) * 1_000 + digitsAt(instant, 23, 26);
  return Number.isSafeInteger(microseconds) ? microseconds : microsecondsOf(instant);
};

/** Microseconds between two instants; exact for less than 285 years. */
export const microsecondsBetween = (from: Instant, to: Instant): number =>
  (millisecondsOf(to) - millisecondsOf(from)) * 1_000 +
  (digitsAt(to, 23, 26) - digitsAt(from, 23, 26));

/**
 * Milliseconds of an instant, without its last three digits, for engines that write both halves
 * themselves. `Date.parse` takes three times as long.
 */
export const millisecondsOf = (instant: Instant): number => {
  const days = daysOf(digitsAt(instant, 0, 4), digitsAt(instant, 5, 7), digitsAt(instant, 8, 10));
  const hours = days * 24 + digitsAt(instant, 11, 13);
  const seconds = (hours * 60 + digitsAt(instant, 14, 16)) * 60 + digitsAt(instant, 17, 19);
  return seconds * 1_000 + digitsAt(instant, 20, 23);
};

const digitsAt = (text: string, from: number, to: number): number => {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + text.charCodeAt(at) - zero;
  return value;
};
const zero = 0x30;

/**
 * Days since 1970-01-01 in the Gregorian calendar, of which 400 years have 146,097 (Howard Hinnant,
 * "chrono-compatible low-level date algorithms", `days_from_civil`): years begin in March, so that
 * the day that comes and goes is their last.
 */
const daysOf = (year: number, month: number, day: number): number => {
  const yearOfMarch = month > 2 ? year : year - 1;
  const era = Math.floor(yearOfMarch / 400);
  const yearOfEra = yearOfMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
};

/**
 * Instant of microseconds since 1970; clamped to the years 0001 to 9999, which canonical text can
 * express.
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

/** Time buckets: their length, and the local time in minutes east of UTC. */
type BucketGrid = { readonly intervalMinutes: number; readonly offsetMinutes: number };

/**
 * Bucket of an instant: whole multiples of the interval since 1970 in local time, negative before
 * (contract 4.5, rule 5).
 */
export const bucketOf = (microseconds: bigint, grid: BucketGrid): bigint => {
  const width = BigInt(grid.intervalMinutes) * microsecondsPerMinute;
  const local = microseconds + BigInt(grid.offsetMinutes) * microsecondsPerMinute;
  const whole = local / width;
  return local < 0n && local % width !== 0n ? whole - 1n : whole;
};

/**
 * Bounds of a bucket: `start` ≤ t < `end`, not clipped by any window; the outermost ones end with
 * the calendar.
 */
export const bucketBounds = (
  bucket: bigint,
  { intervalMinutes, offsetMinutes }: BucketGrid,
): { readonly start: Instant; readonly end: Instant } => {
  const width = BigInt(intervalMinutes) * microsecondsPerMinute;
  const start = bucket * width - BigInt(offsetMinutes) * microsecondsPerMinute;
  return { start: instantOf(start), end: instantOf(start + width) };
};
