import { parseJsonText } from '../../kernel/json-text.js';
import type { OpenConfiguration } from '../../kernel/model-calls.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';

/** Integration that cannot be called, with the reason; error 1101. */
export type NotCallable = { readonly notCallable: string };

export const notCallable = (reason: string): NotCallable => ({ notCallable: reason });

export const textAt = (from: JsonObject, name: string): string | null => {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Texts of a map, without its other members. */
export const mapAt = (from: JsonObject, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectOf(from[name])).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

export const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** URL without a slash at its end, and with `path` if it has no path of its own. */
export const baseUrl = (url: string, path = ''): string => {
  const plain = url.replace(/[?#].*$/, '').replace(/\/+$/, '');
  return /^[a-z]+:\/\/[^/]+$/i.test(plain) ? plain + path : plain;
};

/**
 * Texts that no error may quote: all strings of the secret members, and those inside of one that is
 * JSON itself.
 */
export const secretTexts = ({ secrets }: OpenConfiguration): readonly string[] =>
  textsIn(secrets, depthMax);
const depthMax = 6;

const textsIn = (value: Json, depth: number): readonly string[] => {
  if (typeof value === 'string') return [value, ...textsIn(jsonOf(value) ?? null, depth - 1)];
  if (typeof value !== 'object' || value === null || depth <= 0) return [];
  return Object.values(value as JsonObject).flatMap((inner) => textsIn(inner, depth - 1));
};

/** Value of a text of JSON; undefined for all other texts. */
export const jsonOf = (text: string): Json | undefined => {
  try {
    return parseJsonText(text) as Json;
  } catch {
    return undefined;
  }
};
