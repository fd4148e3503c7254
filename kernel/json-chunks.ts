import { parseJsonText } from './json-text.js';
import { throwIfAborted } from './query-context.js';
import type { QueryContext } from './ports.js';
import type { RunInSlice } from './concurrency.js';

/** JSON text in UTF-8, in consecutive pieces. */
export type JsonChunks = readonly Uint8Array[];

export const parseJsonChunks = (pieces: JsonChunks): unknown => {
  const decoder = new TextDecoder();
  const texts = pieces.map((piece) => decoder.decode(piece, { stream: true }));
  return parseJsonText(texts.join(''));
};

/** Parts of a JSON text, in order: literal text, and values that are still to be encoded. */
export type JsonParts<T extends object> = (T | string)[];

/** Text length after which a chunk is encoded. */
const jsonChunkCharacters = 65_536;

/**
 * Encodes the parts in slices. Clears each part once encoded, so that none is in memory twice.
 * Throws Fault `unavailable` as soon as the request is cancelled.
 */
export const encodeJsonChunks = async <T extends object>(
  parts: JsonParts<T>,
  write: (thing: T) => string,
  inSlices: RunInSlice,
  context: QueryContext,
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
    throwIfAborted(context);
    pieces.push(await inSlices(next));
  }
  return pieces;
};
