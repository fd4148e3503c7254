import type { Instant } from './shapes.js';

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Lower-case RFC 9562 text of any version, null for anything else (contract 1.3). */
export const canonicalUuid = (text: string): string | null => {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return uuidForm.test(lower) ? lower : null;
};

const dateTimeForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

const canonicalForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const minuteMs = 60_000;

/**
 * RFC 3339 and its neighbours as contract 1.3 lists them: any separator, optional seconds, fraction and zone (none is
 * UTC), a bare date is midnight. Digits after the sixth are cut off. Null outside that grammar, for days and times that
 * do not exist and for years outside 0001 to 9999.
 */
export const canonicalInstant = (text: string): Instant | null => {
  const parts = dateTimeForm.exec(text);
  if (parts === null) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [hour, minute] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0)];
  const second = Number(parts[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 59) return null;
  const midnight = utcMidnight(year, month, day);
  const offset = offsetMinutes(parts[8]);
  if (midnight === null || offset === null) return null;
  const at = midnight + (hour * 60 + minute - offset) * minuteMs + second * 1_000;
  if (at < firstMs || at > lastMs) return null;
  const fraction = (parts[7] ?? '').slice(0, 6).padEnd(6, '0');
  if (offset === 0 && text.length === 27 && canonicalForm.test(text)) return text as Instant;
  return `${new Date(at).toISOString().slice(0, 19)}.${fraction}Z` as Instant;
};

const utcMidnight = (year: number, month: number, day: number): number | null => {
  // Date.UTC reads years below 100 as 19xx, so the year is set on its own.
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const exists =
    year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0;
  return exists ? date.getTime() : null;
};

const offsetMinutes = (zone: string | undefined): number | null => {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
