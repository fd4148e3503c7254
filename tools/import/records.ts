import { parseJsonText } from '../../kernel/json-text.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';

/** A record of a file, ready to be sent, with the line that a refusal of it names. */
export type ImportRecord = { readonly line: number } & (
  | {
      readonly kind: 'trace';
      readonly trace: JsonObject;
      /** Members of the request beside its traces: a batch has equal ones. */
      readonly request: JsonObject;
    }
  | { readonly kind: 'session'; readonly session: JsonObject }
  | { readonly kind: 'otlp'; readonly resourceSpans: JsonObject }
);
export type RefusedLine = { readonly line: number; readonly problem: string };
export type ImportedRecord = ImportRecord | RefusedLine;

export const isRefused = (one: ImportedRecord): one is RefusedLine => 'problem' in one;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** An id as text, whatever its type; the service refuses invalid ids. */
export const idText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** The object in a piece of a file, or the reason why it cannot be used. */
export const parseObject = (text: string): JsonObject | string => {
  try {
    const value = parseJsonText(text);
    if (!isObject(value)) return 'it is JSON, but not an object';
    return isDeeper(value, levelsMax) ? `it is nested deeper than ${levelsMax} levels` : value;
  } catch {
    return 'it is not JSON';
  }
};

/** Twice the depth that a tree of spans is shown with (contract 5.7), plus that of a value. */
const levelsMax = 2 * treeLevelsMax + 128;

/** Depth check before serialising, which recurses. */
const isDeeper = (value: Json, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1));
};

/** Omits empty members: null and absence mean the same (contract 1.2). */
export const withoutEmpty = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      (entry): entry is [string, Json] =>
        entry[1] !== null &&
        entry[1] !== undefined &&
        entry[1] !== '' &&
        !(typeof entry[1] === 'object' && Object.keys(entry[1]).length === 0),
    ),
  );
