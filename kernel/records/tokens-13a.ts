const entities: readonly (readonly [RegExp, string])[] = [
  [/<skipped>/g, ''],
  [/-\n/g, ''],
  [/\n/g, ' '],
  [/&quot;/g, '"'],
  [/&amp;/g, '&'],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
];

/**
 * Tokeniser 13a (contract 3.5): each step over the whole text, left to right, without overlap. Case
 * is kept. The steps insert spaces only, so they run on arrays of one byte for each UTF-16 code
 * unit (regular expressions take ten times as long on texts of punctuation), and each token is a
 * slice of the text.
 */
export const tokens13a = (text: string): readonly string[] => {
  const plain = entities.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
  const units = kindsOf(plain);
  const apart = spacePunctuation(units);
  const marked = spacePairs(apart, { first: notDigit, second: mark, apart: 'second' });
  const marks = spacePairs(marked, { first: mark, second: notDigit, apart: 'first' });
  const spaced = spacePairs(marks, { first: digit, second: hyphen, apart: 'second' });
  return sliceTokens(plain, units, spaced);
};

// Character classes of the steps, one bit each.
const other = 1;
const space = 2;
const digit = 4;
/** `.` or `,`. */
const mark = 8;
const hyphen = 16;
/** ASCII punctuation except `'`, `,`, `-` and `.`. */
const punctuation = 32;
const notDigit = other | space | mark | hyphen | punctuation;

const kindOf = (character: string): number => {
  if (/\s/.test(character)) return space;
  if (/[0-9]/.test(character)) return digit;
  if (/[.,]/.test(character)) return mark;
  if (character === '-') return hyphen;
  return /[!-&(-+/:-@[-`{-~]/.test(character) ? punctuation : other;
};
const spacesBeyondAscii =
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
  '\u2028\u2029\u202f\u205f\u3000\ufeff';
const kinds = new Uint8Array(0x1_0000).fill(other);
for (let unit = 0; unit < 0x80; unit += 1) kinds[unit] = kindOf(String.fromCharCode(unit));
for (const character of spacesBeyondAscii) kinds[character.charCodeAt(0)] = space;

/** Classes of the text's units, with a space before and after. */
const kindsOf = (text: string): Uint8Array => {
  const result = new Uint8Array(text.length + 2);
  for (let at = 0; at < text.length; at += 1) result[at + 1] = kinds[text.charCodeAt(at)] ?? other;
  result[0] = space;
  result[text.length + 1] = space;
  return result;
};

/** Step 1: spaces around each punctuation mark. */
const spacePunctuation = (units: Uint8Array): Uint8Array => {
  const result = new Uint8Array(units.length * 3).fill(space);
  let length = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at] ?? other;
    const around = unit === punctuation ? 1 : 0;
    result[length + around] = unit;
    length += 1 + 2 * around;
  }
  return result.subarray(0, length);
};

type Pair = {
  /** Classes of its units, as bits. */
  readonly first: number;
  readonly second: number;
  /** Unit that gets spaces around it. */
  readonly apart: 'first' | 'second';
};

/** Steps 2 to 4. */
const spacePairs = (units: Uint8Array, { first, second, apart }: Pair): Uint8Array => {
  const result = new Uint8Array(units.length * 2).fill(space);
  const [firstTo, secondTo] = apart === 'first' ? [1, 3] : [0, 2];
  const last = units.length - 1;
  let length = 0;
  let at = 0;
  for (; at < last; at += 1) {
    const unit = units[at] ?? other;
    if ((unit & first) !== 0 && ((units[at + 1] ?? other) & second) !== 0) {
      result[length + firstTo] = unit;
      result[length + secondTo] = units[at + 1] ?? other;
      length += 4;
      at += 1;
    } else {
      result[length] = unit;
      length += 1;
    }
  }
  if (at === last) {
    result[length] = units[last] ?? other;
    length += 1;
  }
  return result.subarray(0, length);
};

/** Slices tokens from the text; `spaced` has its units plus spaces. */
const sliceTokens = (text: string, units: Uint8Array, spaced: Uint8Array): readonly string[] => {
  const tokens: string[] = [];
  let begin = -1;
  // Index plus one, for the leading space.
  let end = 1;
  for (let at = 0; at < spaced.length; at += 1) {
    if (spaced[at] === space) {
      if (begin !== -1) tokens.push(text.slice(begin, end - 1));
      begin = -1;
    } else {
      while (units[end] === space) end += 1;
      if (begin === -1) begin = end - 1;
      end += 1;
    }
  }
  return tokens;
};
