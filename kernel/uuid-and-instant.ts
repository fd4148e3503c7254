import type { Instant } from './schema-types.js';

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Canonical lower-case RFC 9562 uuid of any version, null for anything else (contract 1.3). */
export const canonicalUuid = (text: string): string | null => {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return uuidForm.test(lower) ? lower : null;
};

const dateTimeForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?([Zz+-].*))?)?$/;
const offsetForm = /^[+-]\d\d(?::?\d\d)?$/;

/**
 * Parses RFC 3339 and the variants of contract 1.3: any separator, optional seconds, fraction and
 * zone (none is UTC), a bare date is midnight. Digits after the sixth are cut off. Null outside
 * that grammar, for days and times that do not exist and for years outside 0001 to 9999.
 */
export const canonicalInstant = (text: string): Instant | null => {
  const parts = dateTimeForm.exec(text);
  if (parts === null) return null;
  const [, yyyy = '', mm = '', dd = '', hh = '00', mi = '00', ss = '00'] = parts;
  const [year, month, day] = [Number(yyyy), Number(mm), Number(dd)];
  const offset = offsetMinutes(parts[8]);
  if (!isDay(year, month, day) || hh > '23' || mi > '59' || ss > '59' || offset === null) {
    return null;
  }
  const fraction = (parts[7] ?? '').slice(0, 6).padEnd(6, '0');
  // Fast path for the most common case, above all in ingest: needs no calendar.
  if (offset === 0) return `${yyyy}-${mm}-${dd}T${hh}:${mi}:${ss}.${fraction}Z` as Instant;
  const moved = utcMidnight(year, month, day);
  moved.setUTCHours(Number(hh), Number(mi) - offset, Number(ss));
  if (moved.getTime() < firstMs || moved.getTime() > lastMs) return null;
  return `${moved.toISOString().slice(0, 19)}.${fraction}Z` as Instant;
};

/** Canonical form of a text that `canonicalInstant` accepted; costs nothing for a canonical one. */
export const acceptedInstant = (text: Instant): Instant =>
  isCanonical(text) ? text : (canonicalInstant(text) ?? text);

/** Only for texts of the grammar: 27 characters, the fraction from the 21st to the 26th. */
const isCanonical = (text: string): boolean =>
  text.length === 27 &&
  text[10] === 'T' &&
  text[19] === '.' &&
  text[25] !== ' ' &&
  text[26] === 'Z';

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isDay = (year: number, month: number, day: number): boolean => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = (monthDays[month - 1] ?? 0) + (isLeap && month === 2 ? 1 : 0);
  return year > 0 && day > 0 && day <= days;
};

const utcMidnight = (year: number, month: number, day: number): Date => {
  // Date.UTC reads years below 100 as 19xx, so the year is set on its own.
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date;
};

const offsetMinutes = (zone: string | undefined): number | null => {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  if (!offsetForm.test(zone)) return null;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
