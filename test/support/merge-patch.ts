import type { Json, JsonObject } from '../../kernel/schema-types.js';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Independent implementation of RFC 7396. */
export const mergePatched = (target: Json, patch: Json): Json => {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, one] of Object.entries(patch)) {
    if (one === null) members.delete(name);
    else members.set(name, mergePatched(members.get(name) ?? null, one));
  }
  return Object.fromEntries(members);
};

/** Drops null members, which a patch cannot distinguish from absent ones. */
export const withoutNulls = (value: Json): Json =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, one]) => one !== null)
          .map(([name, one]) => [name, withoutNulls(one)]),
      )
    : value;
