import { parseJsonText } from '../json-text.js';
import type { Json, JsonObject } from '../schema-types.js';

export const isJsonList = (value: Json | undefined): value is readonly Json[] =>
  Array.isArray(value);
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the JSON of exporters that cannot send structures; other texts stay as they are. */
export const parseIfJson = (value: Json): Json => {
  if (typeof value !== 'string') return value;
  const first = value.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return value;
  try {
    const read = parseJsonText(value) as Json;
    // An escape in JSON may be half a character (contract 1.2); one rule covers all.
    return value.includes('\\u') ? wellFormed(read) : read;
  } catch {
    return value;
  }
};
const wellFormed = (value: Json): Json => {
  if (typeof value === 'string') return value.toWellFormed();
  if (isJsonList(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, wellFormed(one)]));
};

/** Undefined for null and an empty text; JSON for other values. */
export const nonEmptyText = (value: Json | undefined): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};
