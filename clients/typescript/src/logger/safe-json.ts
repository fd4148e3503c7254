/**
 * JSON of it, with a text in place of each member that JSON refuses; nothing for what JSON has no
 * word for. Throws only when there is no room for so long a text.
 */
export const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value, plainMember);
  } catch {
    // Slower: looks at each member for itself.
    return JSON.stringify(safeCopy(value));
  }
};

/** The members of an object; of one that cannot be read, that it cannot. Never throws. */
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

/** What JSON would refuse or show as `{}`. */
const plainMember = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Set) return [...value];
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, one]) => [nameOfKey(key), one]));
};
const nameOfKey = (key: unknown): string =>
  typeof key === 'object' && key !== null ? (jsonOf(key) ?? '') : String(key);

/** A stack has its end. */
const levelsMax = 100;
/** Objects that hold one another have more ways through them than anybody can walk. */
const objectsMax = 10_000;

/** A copy with a text in place of each member that JSON cannot say. */
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
