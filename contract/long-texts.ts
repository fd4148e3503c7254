import { firstUtf8Bytes, utf8ByteLength } from '../kernel/code-points.js';
import { textBytesMax } from '../kernel/records/limits.js';
import type { TextPath } from './partial-ingest.js';

/** Shorter texts fit without counting: UTF-16 units are at most three bytes. */
const certainlyShortUnits = Math.floor(textBytesMax / 3);

/** True if the text has more bytes than a record may hold (contract 1.11). */
export const isTooLong = (text: string): boolean =>
  text.length > certainlyShortUnits && utf8ByteLength(text) > textBytesMax;

/** Path limit (contract 5.6, rule 9). */
const pathsMax = 100;

/**
 * Truncates, in place, every text below `value` that is too long, and returns the paths of the
 * first 100 of them below `at`. The caller must limit the nesting first (contract 5.6, rule 9).
 */
export const truncateLongTexts = (value: object, at: TextPath): readonly TextPath[] => {
  const paths: TextPath[] = [];
  truncateWithin(value as Record<string, unknown>, at, paths);
  return paths;
};

const truncateWithin = (holder: Record<string, unknown>, at: TextPath, paths: TextPath[]): void => {
  for (const member of Object.keys(holder)) {
    const value = holder[member];
    if (typeof value === 'string' && isTooLong(value)) {
      holder[member] = truncateLongText(value);
      if (paths.length < pathsMax) paths.push([...at, member]);
    } else if (typeof value === 'object' && value !== null) {
      truncateWithin(value as Record<string, unknown>, [...at, member], paths);
    }
  }
};

/** The mark is part of a record's content: a repeat must be truncated alike. */
const truncateLongText = (text: string): string => {
  const mark = `… [cut: ${utf8ByteLength(text)} bytes]`;
  return firstUtf8Bytes(text, textBytesMax - utf8ByteLength(mark)) + mark;
};
