import type { JsonParts } from '../../kernel/json-chunks.js';

/** The text of the parts, made at once. */
export const textOf = <T extends object>(
  parts: JsonParts<T>,
  write: (thing: T) => string,
): string => parts.map((part) => (typeof part === 'string' ? part : write(part))).join('');
