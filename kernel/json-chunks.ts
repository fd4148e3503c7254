import { parseJsonText } from './json-text.js';
import { throwIfAborted } from './query-context.js';
import type { QueryContext } from './ports.js';
import type { JsonObject } from './schema-types.js';
import type { RunInSlice } from './concurrency.js';

/** A JSON text in UTF-8, in pieces that follow each other. */
export type JsonChunks = readonly Uint8Array[];

export const parseJsonChunks = (pieces: JsonChunks): unknown => {
  const decoder = new TextDecoder();
  const texts = pieces.map((piece) => decoder.decode(piece, { stream: true }));
  return parseJsonText(texts.join(''));
};

/**
 * What a JSON text is made of, in order: text as it is, and values that are still to be written.
 */
export type JsonParts<T extends object> = (T | string)[];

/** The object without its `}`. */
export const unclosedObject = (value: JsonObject): string => JSON.stringify(value).slice(0, -1);

/** Longer texts than this are encoded before the next thing is written. */
const jsonChunkCharacters = 65_536;

/**
 * The text of the parts, made in slices. Takes the parts out of the list as they are made, so that
 * they are not in memory twice. Throws Fault `unavailable` as soon as the asker no longer waits.
 */
export const encodeJsonChunks = async <T extends object>(
  parts: JsonParts<T>,
  write: (thing: T) => string,
  inSlices: RunInSlice,
  asking: QueryContext,
): Promise<JsonChunks> => {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let at = 0;
  const next = (): Uint8Array => {
    let text = '';
    while (at < parts.length && text.length < jsonChunkCharacters) {
      const part = parts[at] ?? '';
      text += typeof part === 'string' ? part : write(part);
      parts[at] = '';
      at += 1;
    }
    return encoder.encode(text);
  };
  while (at < parts.length) {
    throwIfAborted(asking);
    pieces.push(await inSlices(next));
  }
  return pieces;
};
