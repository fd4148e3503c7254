/**
 * JSON of a value, with a text in place of each member that JSON refuses; undefined if JSON has no
 * form for it. Throws only when the text exceeds the longest string.
 */
export const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value, plainMember);
  } catch {
    // Slower: checks each member on its own.
    return JSON.stringify(safeCopy(value));
  }
};

/** The members of an object, with a placeholder for unreadable ones. Never throws. */
export const membersOf = (value: unknown): Record<string, unknown> => {
  try {
    const names = Object.keys(Object(value) as object);
    return Object.fromEntries(names.map((name) => [name, memberOf(value as object, name)]));
  } catch {
    return {};
  }
};
const memberOf = (owner: object, name: string): unknown => {
  try {
    return (owner as Readonly<Record<string, unknown>>)[name];
  } catch {
    return unreadable;
  }
};
const unreadable = '[unreadable]';

/** Converts values that JSON would refuse or show as `{}`. */
const plainMember = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Set) return [...value];
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, one]) => [nameOfKey(key), one]));
};
const nameOfKey = (key: unknown): string =>
  typeof key === 'object' && key !== null ? (jsonOf(key) ?? '') : String(key);

/** Depth limit, as copying recurses. */
const levelsMax = 100;
/** Object limit, as shared references can multiply without bound. */
const objectsMax = 10_000;

/** A copy with a text in place of each member that JSON cannot represent. */
const safeCopy = (given: unknown): unknown => {
  const above = new Set<unknown>();
  let objects = 0;
  const copy = (value: unknown): unknown => {
    try {
      return copied(value);
    } catch {
      return unreadable;
    }
  };
  const copied = (value: unknown): unknown => {
    const plain = plainMember('', withOwnJson(value));
    if (typeof plain !== 'object' || plain === null) return plain;
    objects += 1;
    if (above.has(value)) return '[circular]';
    if (above.size >= levelsMax || objects > objectsMax) return '[left out]';
    above.add(value);
    const whole = Array.isArray(plain)
      ? Object.keys(plain).map((at) => copy(memberOf(plain, at)))
      : Object.fromEntries(
          Object.entries(membersOf(plain)).map(([name, one]) => [name, copy(one)]),
        );
    above.delete(value);
    return whole;
  };
  return copy(given);
};

const withOwnJson = (value: unknown): unknown => {
  try {
    const own = (value as { readonly toJSON?: unknown } | null | undefined)?.toJSON;
    return typeof own === 'function' ? (own.call(value, '') as unknown) : value;
  } catch {
    return unreadable;
  }
};
