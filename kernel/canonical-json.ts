import type { Json } from './schema-types.js';

/** Canonical JSON: members sorted by name, so that equal values have equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(withSortedMembers(value)) ?? '';

/** The value with members sorted at every depth; members that are undefined are left out. */
export const withSortedMembers = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, withSortedMembers(members[name])]));
};
