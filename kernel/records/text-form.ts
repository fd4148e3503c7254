import type { Json, JsonObject } from '../schema-types.js';

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/**
 * Comparable text of the columns `input`, `output` and `dataset_*` (contract 3.6): a string is
 * itself, a message or a document its content, a list its items joined by line feeds, a control
 * result its compact JSON. Null, absence and a file part have no text; a file part in a list adds
 * not even a separator (contract 7).
 */
export const textForm = (value: Json | undefined): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (isList(value)) {
    return value
      .map(textForm)
      .filter((text) => text !== null)
      .join('\n');
  }
  return textOfObject(value);
};

const textOfObject = (value: JsonObject): string | null => {
  if (Object.hasOwn(value, 'content')) return textForm(value['content']);
  if (value['type'] === 'text') return textForm(value['text']);
  if (value['type'] === 'file') return null;
  return JSON.stringify(value);
};
