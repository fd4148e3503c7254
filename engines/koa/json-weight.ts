import { randomInt } from 'node:crypto';

/** What parsing a JSON text costs beside its length. */
export type Weight = {
  /** Members and items, and each object and list once more. */
  readonly values: number;
  /** Names of members that differ: each new one costs a hundred times as much as a byte. */
  readonly names: number;
};

/**
 * Weighs a JSON text in pieces, before anything is made of it. `names` may be a few too low, and
 * counts spellings: `"a"` and `"\u0061"` are two. Of what is no JSON it says anything.
 */
export const openWeighing = (): ((piece: Buffer) => Weight) => {
  const isNew = openNames();
  let [values, names] = [0, 0];
  let state = { inText: false, escaped: false, hash: 0 };

  return (piece) => {
    // Its own while it goes over the bytes: a variable of the function around it is slower.
    let { inText, escaped, hash } = state;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (!inText) {
        if (byte === quote) {
          inText = true;
          hash = 1;
        } else if (byte === colon) names += isNew(hash) ? 1 : 0;
        else if (byte === comma || byte === brace || byte === bracket) values += 1;
      } else if (byte === quote && !escaped) inText = false;
      else {
        escaped = byte === backslash && !escaped;
        hash = (Math.imul(hash, factor) + byte) | 0;
      }
    }
    state = { inText, escaped, hash };
    return { values, names };
  };
};

const openNames = (): ((hash: number) => boolean) => {
  const seen = new Uint32Array(slots / slotBits);
  return (hash) => {
    const slot = Math.imul(hash ^ (hash >>> halfShift), spread) >>> slotShift;
    const [at, bit] = [slot >>> 5, 1 << (slot & 31)];
    const word = seen[at] ?? 0;
    seen[at] = word | bit;
    return (word & bit) === 0;
  };
};

/** Enough that of 25,000 names some 300 are taken for one another. */
const slots = 1 << 20;
const slotBits = 32;
const slotShift = 12;
const halfShift = 16;
/**
 * Drawn, so that nobody can choose names that are taken for one another; 5 beyond a multiple of 8,
 * so that each bit of a name reaches many.
 */
const factor = randomInt(2 ** 29) * 8 + 5;
const spread = 0x9e3779b1;

const [quote, backslash, colon, comma, brace, bracket] = [0x22, 0x5c, 0x3a, 0x2c, 0x7b, 0x5b];
