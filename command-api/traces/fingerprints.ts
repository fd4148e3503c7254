import type { RecordContent } from '../../events/traces.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { jsonBytes, estimateCharacters } from './event-packing.js';

/**
 * Shortens a record for the cache: long members become fingerprints, which are equal for equal
 * members and include their size in bytes. So a trace of 40 MB takes a few hundred KB of memory,
 * and a repeat or change can still be compared.
 */
export const fingerprintLongValues = <R extends RecordContent>(record: R): R => {
  let short: Record<string, unknown> | null = null;
  for (const [member, value] of Object.entries(record)) {
    // Tags and metrics are added to one by one; both are bounded.
    if (member === 'tags' || member === 'metrics') continue;
    const shorter = fingerprintIfLong(value);
    if (shorter === value) continue;
    short ??= { ...record };
    short[member] = shorter;
  }
  return (short ?? record) as R;
};

/** Far longer than a fingerprint; ids, times and most names are shorter. */
const verbatimWeightMax = 200;

/** The value itself if short, else its fingerprint. */
export const fingerprintIfLong = (value: Json): Json =>
  estimateCharacters(value) <= verbatimWeightMax ? value : fingerprintOf(value);

/** Bytes of a record as JSON, also of a shortened one. */
export const recordBytes = (record: RecordContent): number => {
  let bytes = 1;
  for (const [member, value] of Object.entries(record)) {
    bytes += member.length + 4 + valueBytes(value);
  }
  return bytes;
};

const valueBytes = (value: unknown): number =>
  typeof value === 'string' && value.startsWith(fingerprintMark)
    ? Number.parseInt(value.slice(fingerprintMark.length), 10)
    : jsonBytes(value);

/** Clients cannot send this: unpaired surrogates are replaced on arrival (contract 1.2). */
const fingerprintMark = '\ud800';

/** Fingerprint of an object, independent of the order of members. */
export const objectFingerprint = (value: object): string => fingerprintOf(value as JsonObject);

const fingerprintOf = (value: Json): string =>
  fingerprintMark + sizeAndHash(JSON.stringify(sortedMembers(value)));

/** Members sorted by name, since their order is not content. */
const sortedMembers = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortedMembers);
  const members = Object.entries(value as Readonly<Record<string, Json>>);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    members.map(([name, one]): [string, Json] => [name, sortedMembers(one)]),
  );
};

/**
 * Bytes of the text and a 64-bit hash, in one pass, since all content of long traces is hashed
 * here. Only versions of one record are compared by it; a client that constructs a collision gets
 * the answer that the second is recorded already.
 */
const sizeAndHash = (text: string): string => {
  let bytes = text.length;
  let one = 0x9e3779b1;
  let other = 0x85ebca77;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    other = Math.imul(other ^ unit, 0x5f356495);
    // As utf8Bytes counts; an unpaired surrogate is escaped in JSON.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  const mixed = [
    Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35),
    Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35),
  ];
  const hash = mixed.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  return `${bytes} ${hash}`;
};
