import { canonicalInstant } from '../../kernel/uuid-and-instant.js';

/** An instant as it is shown: short in its place, whole on hover, and as it is copied. */
type InstantFigure = {
  readonly text: string;
  /** Date, time to the microsecond and zone. */
  readonly title: string;
  /** Canonical form: UTC, to the microsecond. */
  readonly copied: string;
};

/** The clock and the zone in which instants are shown, such as `Europe/Berlin`. */
export type InstantScale = { readonly nowMs: number; readonly zone: string };

/**
 * An instant in the zone: `22 Nov 18:06:28`, with the year when that is another. `fraction` shows
 * milliseconds. Null for a text that is not an instant.
 */
export const instantFigure = (
  written: string,
  { nowMs, zone }: InstantScale,
  fraction: 'none' | 'milliseconds' = 'none',
): InstantFigure | null => {
  const copied = canonicalInstant(written);
  if (copied === null) return null;
  const { day, time, year, offset } = partsOf(Date.parse(copied), zone);
  const digits = copied.slice(20, 26);
  const shown = fraction === 'none' ? time : `${time}.${digits.slice(0, 3)}`;
  const isOtherYear = year !== partsOf(nowMs, zone).year;
  return {
    text: `${day}${isOtherYear ? ` ${year}` : ''} ${shown}`,
    title: `${day} ${year} ${time}.${digits} ${offset} ${zone}`,
    copied,
  };
};

/**
 * As `instantFigure`, but for the last 24 hours how long ago it was: `2 min`. Later instants, of a
 * clock that is ahead, are shown as they are.
 */
export const relativeInstant = (written: string, scale: InstantScale): InstantFigure | null => {
  const figure = instantFigure(written, scale);
  if (figure === null) return null;
  const seconds = Math.floor((scale.nowMs - Date.parse(figure.copied)) / 1_000);
  if (seconds < 0 || seconds >= dayMs / 1_000) return figure;
  return { ...figure, text: agoText(seconds) };
};

const dayMs = 86_400_000;

/** Milliseconds until `relativeInstant` has another text; null: it keeps its text. */
export const ageChangeMs = (written: string, nowMs: number): number | null => {
  const copied = canonicalInstant(written);
  if (copied === null) return null;
  const ageMs = nowMs - Date.parse(copied);
  if (Math.abs(ageMs) >= dayMs) return null;
  if (ageMs < 0) return -ageMs;
  const unitMs = ageMs < 60_000 ? 1_000 : ageMs < 3_600_000 ? 60_000 : 3_600_000;
  return unitMs - (ageMs % unitMs);
};

const agoText = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
};

type InstantParts = {
  readonly day: string;
  readonly time: string;
  readonly year: string;
  readonly offset: string;
};

const partsOf = (ms: number, zone: string): InstantParts => {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value] as const),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    day: `${part('day')} ${part('month')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    year: part('year'),
    offset: part('timeZoneName').replace(/^GMT$/, 'GMT+00:00').replace('GMT', ''),
  };
};

const formats = new Map<string, Intl.DateTimeFormat>();
/** Makes a format once per zone: making one takes longer than a hundred uses. */
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
  formats.set(zone, format);
  return format;
};
