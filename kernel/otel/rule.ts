import { isJsonObject, parseIfJson, nonEmptyText } from './values.js';
import type { SpanView } from './span.js';
import type { Json } from '../schema-types.js';

/**
 * How one convention says one member of a record. `names`: the attributes, events and fields that
 * it looks at; one that ends with `.` stands for all that begin so.
 */
export type Rule<T> = {
  readonly names: readonly string[];
  /** Undefined: the span does not say it this way. Never throws. */
  readonly read: (span: SpanView) => T | undefined;
};

/** The first rule that has an answer. */
export const firstMatch = <T>(rules: readonly Rule<T>[], span: SpanView): T | undefined => {
  for (const { read } of rules) {
    const value = read(span);
    if (value !== undefined) return value;
  }
  return undefined;
};

/** One attribute; `as` reads what it makes nothing of as undefined. */
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

/** A text, or the JSON of what is none; an empty text says nothing. */
export const text = (name: string): Rule<string> => attribute(name, (value) => nonEmptyText(value));
/** A number, or a text that is one. */
export const number = (name: string): Rule<number> => attribute(name, parseNumber);
/** A count of tokens and the like: never negative. */
export const count = (name: string): Rule<number> =>
  attribute(name, (value) => {
    const found = parseNumber(value);
    return found !== undefined && found >= 0 ? found : undefined;
  });
/** By what the attribute says in lower case. */
export const oneOf = <T>(name: string, meanings: Readonly<Record<string, T>>): Rule<T> =>
  attribute(name, (value) => {
    const said = nonEmptyText(value)?.toLowerCase() ?? '';
    return Object.hasOwn(meanings, said) ? meanings[said] : undefined;
  });
/** A member of an attribute that is a map, or the JSON text of one. */
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
