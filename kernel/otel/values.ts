import { parseJsonText } from '../json-text.js';
import type { Json, JsonObject } from '../schema-types.js';

export const isJsonList = (value: Json | undefined): value is readonly Json[] =>
  Array.isArray(value);
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Exporters that cannot send structures send their JSON: read where it is one, else as it is. */
export const parseIfJson = (value: Json): Json => {
  if (typeof value !== 'string') return value;
  const first = value.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return value;
  try {
    const read = parseJsonText(value) as Json;
    // What JSON writes as an escape may be half a character (contract 1.2); it is one rule for all.
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

/** Undefined for an empty text, and for null. */
export const nonEmptyText = (value: Json | undefined): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};
