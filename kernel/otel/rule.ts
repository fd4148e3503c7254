import { isJsonObject, parseIfJson, nonEmptyText } from './values.js';
import type { SpanView } from './span.js';
import type { Json } from '../schema-types.js';

/**
 * Rule that reads one member of a record in one convention. `names`: the attributes, events and
 * fields that it reads; one that ends with `.` is a prefix.
 */
export type Rule<T> = {
  readonly names: readonly string[];
  /** Undefined if the span lacks it in this convention. Never throws. */
  readonly read: (span: SpanView) => T | undefined;
};

/** Result of the first rule that matches. */
export const firstMatch = <T>(rules: readonly Rule<T>[], span: SpanView): T | undefined => {
  for (const { read } of rules) {
    const value = read(span);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** Rule for one attribute; `as` returns undefined for values it cannot read. */
export const attribute = <T>(
  name: string,
  as: (value: Json, span: SpanView) => T | undefined,
): Rule<T> => ({
  names: [name],
  read: (span) => {
    const value = span.attributes.get(name);
    return value === undefined || value === null ? undefined : as(value, span);
  },
});

/** Rule for a text, or the JSON of another value; an empty text does not match. */
export const text = (name: string): Rule<string> => attribute(name, (value) => nonEmptyText(value));
/** Rule for a number, or a numeric text. */
export const number = (name: string): Rule<number> => attribute(name, parseNumber);
/** Rule for a count, such as tokens: never negative. */
export const count = (name: string): Rule<number> =>
  attribute(name, (value) => {
    const found = parseNumber(value);
    return found !== undefined && found >= 0 ? found : undefined;
  });
/** Rule for an enumeration, by the attribute's value in lower case. */
export const oneOf = <T>(name: string, meanings: Readonly<Record<string, T>>): Rule<T> =>
  attribute(name, (value) => {
    const said = nonEmptyText(value)?.toLowerCase() ?? '';
    return Object.hasOwn(meanings, said) ? meanings[said] : undefined;
  });
/** Rule for a member of an attribute that is a map, or the JSON text of one. */
export const memberOf = <T>(
  name: string,
  member: string,
  as: (value: Json) => T | undefined,
): Rule<T> =>
  attribute(name, (value) => {
    const map = parseIfJson(value);
    if (!isJsonObject(map) || !Object.hasOwn(map, member)) return undefined;
    const found = map[member];
    return found === undefined || found === null ? undefined : as(found);
  });

export const parseNumber = (value: Json): number | undefined => {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) {
    return undefined;
  }
  const found = Number(value);
  if (!Number.isFinite(found)) return undefined;
  // JSON has no -0.
  return found === 0 ? 0 : found;
};
