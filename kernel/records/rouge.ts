/** Word tokens (contract 3.5): the lower-cased text's maximal runs of letters and digits. */
const wordTokens = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** ROUGE-L F1 (contract 3.5), in [0, 1]. Null: no tokens on either side. */
export const rouge = (output: string, reference: string): number | null => {
  const said = wordTokens(output);
  const expected = wordTokens(reference);
  if (said.length === 0 || expected.length === 0) return null;
  const common = lcsLength(said, expected);
  if (common === 0) return 0;
  const precision = common / said.length;
  const recall = common / expected.length;
  return (2 * precision * recall) / (precision + recall);
};

/**
 * Length of the longest common subsequence. Takes some nanoseconds for each 31 pairs of a token of
 * one side and a token of the other; callers limit the texts (`overlapTextMax`).
 */
export const lcsLength = (one: readonly string[], other: readonly string[]): number => {
  const { left, right, tokens } = numberSharedTokens(one, other);
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin += 1;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > begin && rightEnd > begin && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const same = begin + (left.length - leftEnd);
  return (
    same + bitParallelLcs(left.subarray(begin, leftEnd), right.subarray(begin, rightEnd), tokens)
  );
};

type NumberedTokens = {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Number of distinct tokens. */
  readonly tokens: number;
};

/**
 * Numbers both lists, without the tokens that only one side has: they are in no common subsequence.
 */
const numberSharedTokens = (one: readonly string[], other: readonly string[]): NumberedTokens => {
  const present = new Set(one);
  const numbers = new Map<string, number>();
  const right = new Int32Array(other.length);
  let rights = 0;
  for (const token of other) {
    if (!present.has(token)) continue;
    const number = numbers.get(token) ?? numbers.size;
    if (number === numbers.size) numbers.set(token, number);
    right[rights] = number;
    rights += 1;
  }
  const left = new Int32Array(one.length);
  let lefts = 0;
  for (const token of one) {
    const number = numbers.get(token);
    if (number === undefined) continue;
    left[lefts] = number;
    lefts += 1;
  }
  return {
    left: left.subarray(0, lefts),
    right: right.subarray(0, rights),
    tokens: numbers.size,
  };
};

/** Bits of a word: with a sum of two words and a carry, the next carry is the sign. */
const wordBits = 31;
const allBits = 0x7fff_ffff;

/** Bit mask of the columns of each token, as `count` words; the last row is for no token. */
const columnsOf = (columns: Int32Array, tokens: number, count: number): Int32Array => {
  const masks = new Int32Array((tokens + 1) * count);
  columns.forEach((token, at) => {
    const word = Math.floor(at / wordBits);
    const place = token * count + word;
    masks[place] = (masks[place] ?? 0) | (1 << (at - word * wordBits));
  });
  return masks;
};

/**
 * Hyyrö's bit-vector recurrence V' = (V + (V & M)) | (V & ~M) in words of 31 bits: the zero bits of
 * V count the subsequence. Two rows at a time, because the carries of one row wait for each other.
 */
const bitParallelLcs = (columns: Int32Array, rows: Int32Array, tokens: number): number => {
  const count = Math.ceil(columns.length / wordBits);
  const masks = columnsOf(columns, tokens, count);
  const vector = new Int32Array(count).fill(allBits);
  for (let row = 0; row < rows.length; row += 2) {
    const first = (rows[row] ?? 0) * count;
    const second = (row + 1 < rows.length ? (rows[row + 1] ?? 0) : tokens) * count;
    let carry = 0;
    let secondCarry = 0;
    for (let word = 0; word < count; word += 1) {
      const before = vector[word] ?? 0;
      const hit = before & (masks[first + word] ?? 0);
      const sum = (before + hit + carry) | 0;
      const between = (sum | (before ^ hit)) & allBits;
      carry = sum >>> wordBits;
      const secondHit = between & (masks[second + word] ?? 0);
      const secondSum = (between + secondHit + secondCarry) | 0;
      vector[word] = (secondSum | (between ^ secondHit)) & allBits;
      secondCarry = secondSum >>> wordBits;
    }
  }
  return zeroBits(vector);
};

const zeroBits = (vector: Int32Array): number =>
  vector.reduce((zeros, word) => {
    let bits = ~word & allBits;
    let count = 0;
    while (bits !== 0) {
      bits &= bits - 1;
      count += 1;
    }
    return zeros + count;
  }, 0);
