// Stored for ever: version 2 of TraceLogged has the first of these ids only (D-229).
import type { SpanId } from '../kernel/schema-types.js';

/**
 * Ids of the spans of one trace that were sent without one: `drawFirst` is called for the first
 * span, and each later id is the one before plus one in its last 48 bits.
 */
export const openSpanIds = (drawFirst: () => SpanId) => {
  let first: SpanId | null = null;
  let [head, tail] = ['', 0];
  return {
    next: (): SpanId => {
      if (first === null) {
        first = drawFirst();
        head = first.slice(0, headLength);
        tail = Number.parseInt(first.slice(headLength), 16);
        return first;
      }
      tail = (tail + 1) % 2 ** 48;
      return `${head}${tail.toString(16).padStart(12, '0')}` as SpanId;
    },
    /** Null while no span needed one. */
    first: (): SpanId | null => first,
  };
};

/** Length of a uuid before its last 48 bits, which are 12 digits. */
const headLength = 24;
