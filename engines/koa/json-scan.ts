import { randomInt } from 'node:crypto';
import { parseJsonText } from '../../kernel/json-text.js';

/** Parse cost of a JSON text beside its length. */
export type JsonComplexity = {
  /** Members and items, and each object and list once more. */
  readonly values: number;
  /** Members of all objects; a parsed value with fewer had duplicate names. */
  readonly members: number;
  /** Distinct member names: each new one costs a hundred times as much as a byte. */
  readonly names: number;
  /** Nesting depth of objects and lists. */
  readonly levels: number;
};

/** Scan of a JSON text before it is parsed. For invalid JSON its results mean nothing. */
type JsonScan = {
  /**
   * Goes on to about this byte; returns the complexity up to there. `names` may be a few too low,
   * and counts spellings: `"a"` and `"\u0061"` are two.
   */
  readonly upTo: (byte: number) => JsonComplexity;
  /**
   * First byte and end of each object or list in the list that the root object has under the given
   * name; of several such members the last counts, as in `JSON.parse`.
   */
  readonly itemBounds: readonly number[];
};

/** `listName`: the member of the root object whose items are located; null: none. */
export const openJsonScan = (bytes: Buffer, listName: string | null = null): JsonScan => {
  const isNew = openNameSet(bytes.length < shortTextMax ? fewSlotBits : manySlotBits);
  const isListName = nameTest(bytes, listName);
  const itemBounds: number[] = [];
  let [values, members, names, levels, open] = [0, 0, 0, 0, 0];
  let [next, textFrom, textEnd, itemFrom] = [0, 0, 0, 0];
  let [isInText, isInList] = [false, false];

  const upTo = (byte: number): JsonComplexity => {
    // Local copies in the loop: a variable of the enclosing function is slower.
    const until = Math.min(byte, bytes.length);
    let at = next;
    let from = textFrom;
    let end = textEnd;
    while (at < until) {
      const read = isInText ? quote : (bytes[at++] ?? 0);
      if (read === quote) {
        if (!isInText) from = at;
        const found = endOfText(bytes, at, until);
        isInText = found < 0;
        at = isInText ? ~found : found + 1;
        if (!isInText) end = found;
      } else if (read === colon) {
        members += 1;
        if (isNew(hashOf(bytes, from, end))) names += 1;
        if (open === 1 && listName !== null) {
          isInList = isListName(from, end);
          if (isInList) itemBounds.length = 0;
        }
      } else if (read === comma) values += 1;
      else if (read === brace || read === bracket) {
        values += 1;
        open += 1;
        if (open > levels) levels = open;
        if (open === itemLevel) itemFrom = at - 1;
        else if (open === itemLevel - 1 && read === brace) isInList = false;
      } else if (read === braceEnd || read === bracketEnd) {
        if (open === itemLevel && isInList) itemBounds.push(itemFrom, at);
        open -= 1;
      }
    }
    next = at;
    textFrom = from;
    textEnd = end;
    return { values, members, names, levels };
  };
  return { upTo, itemBounds };
};

/** Nesting depth of an item of a list of the root object. */
const itemLevel = 3;

/**
 * Index of the quote that ends the text, searched from a byte of it that is not escaped. Not found
 * before `until`: the complement (`~`) of the byte from which to search on.
 */
const endOfText = (bytes: Buffer, from: number, until: number): number => {
  let at = from;
  while (at < until) {
    const near = Math.min(at + shortMax, bytes.length);
    for (; at < near; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    const end = bytes.indexOf(quote, at);
    if (end < 0) return ~bytes.length;
    let first = end;
    while (first > at && bytes[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    at = end + 1;
  }
  return ~at;
};

/** Bytes that are read one by one before a native search: more than ids and times have. */
const shortMax = 40;

/** Test of a member's name, which may be spelt with escapes. */
const nameTest = (bytes: Buffer, name: string | null): ((from: number, end: number) => boolean) => {
  const plain = Buffer.from(name ?? '');
  const escapedMax = plain.length * escapeBytes;
  return (from, end) => {
    if (end - from === plain.length) return plain.compare(bytes, from, end) === 0;
    if (end - from > escapedMax) return false;
    if (!bytes.subarray(from, end).includes(backslash)) return false;
    try {
      return parseJsonText(bytes.toString('utf8', from - 1, end + 1)) === name;
    } catch {
      return false;
    }
  };
};

/** Hash of a name. Names that are equal in their first 4 KiB count as one: a body has few. */
const hashOf = (bytes: Buffer, from: number, end: number): number => {
  const to = Math.min(end, from + hashedMax);
  let hash = 1;
  for (let at = from; at < to; at += 1) {
    hash = (Math.imul(hash, hashFactor) + (bytes[at] ?? 0)) | 0;
  }
  return hash;
};
const hashedMax = 4_096;
/** Bytes of `\u0061`. */
const escapeBytes = 6;
const openNameSet = (slotBits: number): ((hash: number) => boolean) => {
  const seen = new Uint32Array(2 ** slotBits / wordBits);
  const slotShift = wordBits - slotBits;
  return (hash) => {
    const slot = Math.imul(hash ^ (hash >>> halfShift), goldenRatio32) >>> slotShift;
    const [at, bit] = [slot >>> 5, 1 << (slot & 31)];
    const word = seen[at] ?? 0;
    seen[at] = word | bit;
    return (word & bit) === 0;
  };
};

/** A million slots, so that some 300 of 25,000 names collide; it takes 128 KiB. */
const manySlotBits = 20;
/** Shorter texts have 1,400 names at most, of which some 60 collide. */
const shortTextMax = 8_192;
const fewSlotBits = 14;
const wordBits = 32;
const halfShift = 16;
/**
 * Random, so that clients cannot choose colliding names; 5 beyond a multiple of 8, so that each bit
 * of a name affects many.
 */
const hashFactor = randomInt(2 ** 29) * 8 + 5;
const goldenRatio32 = 0x9e3779b1;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [brace, braceEnd, bracket, bracketEnd] = [0x7b, 0x7d, 0x5b, 0x5d];
