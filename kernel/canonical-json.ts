import type { Json } from './schema-types.js';

/** JSON with the members of objects in order of their names: equal for equal values. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(withSortedMembers(value)) ?? '';

/** The value with members in order at every depth; those without a value are left out. */
export const withSortedMembers = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(withSortedMembers);
  if (typeof value !== 'object' || value === null) return value as Json;
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, withSortedMembers(members[name])]));
};
