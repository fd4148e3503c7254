import { randomInt } from 'node:crypto';

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

/**
 * Counts the complexity of a JSON text in pieces, before it is parsed. `names` may be a few too
 * low, and counts spellings: `"a"` and `"\u0061"` are two. For invalid JSON the counts mean
 * nothing. `bytes`: of all pieces together.
 */
export const openComplexityCounter = (bytes = Infinity): ((piece: Buffer) => JsonComplexity) => {
  const isNew = openNameSet(bytes < shortTextMax ? fewSlotBits : manySlotBits);
  let [values, members, names, levels, open] = [0, 0, 0, 0, 0];
  let state = { inText: false, escaped: false, hash: 0, length: 0 };

  return (piece) => {
    // Local copies in the loop: a variable of the enclosing function is slower.
    let { inText, escaped, hash, length } = state;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (!inText) {
        if (byte === quote) {
          inText = true;
          hash = 1;
          length = 0;
        } else if (byte === colon) {
          members += 1;
          names += isNew(hash) ? 1 : 0;
        } else if (byte === comma) values += 1;
        else if (byte === brace || byte === bracket) {
          values += 1;
          open += 1;
          if (open > levels) levels = open;
        } else if (byte === braceEnd || byte === bracketEnd) open -= 1;
      } else if (byte === quote && !escaped) inText = false;
      else if (length < shortMax) {
        escaped = byte === backslash && !escaped;
        hash = mixHash(hash, byte);
        length += 1;
      } else {
        const end = endOfText(piece, at, escaped);
        const hashedTo = isNoName(piece, end) ? at : Math.min(end, at + hashedMax - length);
        for (let next = at; next < hashedTo; next += 1) hash = mixHash(hash, piece[next] ?? 0);
        escaped = end === piece.length && isEscaped(piece, at, end, escaped);
        length += end - at;
        at = end - 1;
      }
    }
    state = { inText, escaped, hash, length };
    return { values, members, names, levels };
  };
};

/** Longer texts are most of the bytes, and are only searched for their end. */
const shortMax = 24;
/** Names that are equal so far count as one: a body has few that long. */
const hashedMax = 4_096;

const mixHash = (hash: number, byte: number): number => (Math.imul(hash, hashFactor) + byte) | 0;

/** Index of the quote that ends a text, from within it; the end of the piece when there is none. */
const endOfText = (piece: Buffer, from: number, escaped: boolean): number => {
  let end = piece.indexOf(quote, from);
  while (end >= 0 && isEscaped(piece, from, end, escaped)) end = piece.indexOf(quote, end + 1);
  return end < 0 ? piece.length : end;
};

/** `escaped`: true if the byte at `from` is. */
const isEscaped = (piece: Buffer, from: number, at: number, escaped: boolean): boolean => {
  let first = at;
  while (first > from && piece[first - 1] === backslash) first -= 1;
  return (at - first + (first === from && escaped ? 1 : 0)) % 2 === 1;
};

/** True if the next byte after the text shows that it is not a member name. */
const isNoName = (piece: Buffer, end: number): boolean => {
  let next = end + 1;
  while ((piece[next] ?? colon) <= space) next += 1;
  return next < piece.length && piece[next] !== colon;
};

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
const space = 0x20;
