/** Tokens of contract 3.5: the lower-cased text's maximal runs of letters and digits. */
export const wordTokens = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The longest common subsequence costs a step of about 12 ns for each token of one side and word of
 * 32 tokens of the other in which it occurs. Beyond this bound, about a second, `rouge` is not
 * computed, so that a hostile pair of texts cannot hold up the projections. English texts of 600 KB
 * on both sides stay below it.
 */
export const stepsMax = 100_000_000;

/**
 * ROUGE-L F1 (contract 3.5), in [0, 1]. Null: no tokens on either side, or two texts beyond
 * `stepsMax` after all reductions that keep the answer exact.
 */
export const rouge = (output: string, reference: string): number | null => {
  const said = wordTokens(output);
  const expected = wordTokens(reference);
  if (said.length === 0 || expected.length === 0) return null;
  const common = longestCommon(said, expected);
  if (common === null) return null;
  if (common === 0) return 0;
  const precision = common / said.length;
  const recall = common / expected.length;
  return (2 * precision * recall) / (precision + recall);
};

/** Length of the longest common subsequence; null beyond `stepsMax`. */
export const longestCommon = (one: readonly string[], other: readonly string[]): number | null => {
  const { left, right, tokens } = shared(one, other);
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin += 1;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > begin && rightEnd > begin && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const rest = [left.subarray(begin, leftEnd), right.subarray(begin, rightEnd)] as const;
  const same = begin + (left.length - leftEnd);
  const [shorter, longer] = rest[0].length <= rest[1].length ? rest : [rest[1], rest[0]];
  const places = placesOf(shorter, tokens);
  if (stepsOf(places, longer) > stepsMax) return null;
  return same + bitParallel(places, shorter.length, longer);
};

type Numbered = {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** How many numbers there are. */
  readonly tokens: number;
};

/**
 * Both lists as numbers, without the tokens that only one side has: they are in no common
 * subsequence.
 */
const shared = (one: readonly string[], other: readonly string[]): Numbered => {
  const present = new Set(one);
  const numbers = new Map<string, number>();
  const numberOf = (token: string): number => {
    const number = numbers.get(token) ?? numbers.size;
    numbers.set(token, number);
    return number;
  };
  const right = Int32Array.from(
    other.filter((token) => present.has(token)),
    numberOf,
  );
  const left = Int32Array.from(
    one.filter((token) => numbers.has(token)),
    numberOf,
  );
  return { left, right, tokens: numbers.size };
};

/**
 * For each token, from `begins[token]` to `begins[token + 1]`: the words of 32 columns it is in,
 * and where in them.
 */
type Places = {
  readonly begins: Int32Array;
  readonly words: Int32Array;
  readonly masks: Int32Array;
};

const placesOf = (columns: Int32Array, tokens: number): Places => {
  const begins = new Int32Array(tokens + 1);
  const last = new Int32Array(tokens).fill(-1);
  columns.forEach((token, at) => {
    if (last[token] !== at >>> 5) begins[token + 1] = (begins[token + 1] ?? 0) + 1;
    last[token] = at >>> 5;
  });
  for (let token = 0; token < tokens; token += 1) {
    begins[token + 1] = (begins[token + 1] ?? 0) + (begins[token] ?? 0);
  }
  const words = new Int32Array(begins[tokens] ?? 0);
  const masks = new Int32Array(words.length);
  const next = begins.map((begin) => begin - 1);
  last.fill(-1);
  columns.forEach((token, at) => {
    if (last[token] !== at >>> 5) next[token] = (next[token] ?? 0) + 1;
    last[token] = at >>> 5;
    const place = next[token] ?? 0;
    words[place] = at >>> 5;
    masks[place] = (masks[place] ?? 0) | (1 << (at & 31));
  });
  return { begins, words, masks };
};

/** How many steps `bitParallel` takes: one for each word that a row's token occurs in. */
const stepsOf = ({ begins }: Places, rows: Int32Array): number =>
  rows.reduce((steps, token) => steps + (begins[token + 1] ?? 0) - (begins[token] ?? 0), 0);

/**
 * Hyyrö's bit-vector recurrence V' = (V + (V & M)) | (V & ~M), in words of 32 bits: the zero bits
 * of V count the subsequence. Only words where the row's token occurs are visited; a carry that
 * leaves a word changes nothing until the next word with a zero bit, and `open` has a bit for each
 * such word.
 */
const bitParallel = (places: Places, width: number, rows: Int32Array): number => {
  const { begins, words, masks } = places;
  const count = Math.ceil(width / 32);
  const vector = new Int32Array(count).fill(-1);
  const open = new Int32Array((count >>> 5) + 1);
  for (const token of rows) {
    const end = begins[token + 1] ?? 0;
    let carry = 0;
    for (let at = begins[token] ?? 0; at < end; at += 1) {
      const word = words[at] ?? 0;
      const mask = masks[at] ?? 0;
      const value = vector[word] ?? 0;
      const hit = value & mask;
      const sum = (value + hit + carry) | 0;
      const next = sum | (value & ~mask);
      if ((value === -1) !== (next === -1))
        open[word >>> 5] = (open[word >>> 5] ?? 0) ^ (1 << word);
      vector[word] = next;
      carry = (hit | (value & ~sum)) >>> 31;
      if (carry === 1) {
        const stop = at + 1 < end ? (words[at + 1] ?? count) : count;
        const target = nextOpen(open, word + 1, stop);
        if (target < stop) {
          const filled = (vector[target] ?? 0) | ((vector[target] ?? 0) + 1);
          if (filled === -1) open[target >>> 5] = (open[target >>> 5] ?? 0) ^ (1 << target);
          vector[target] = filled;
          carry = 0;
        }
      }
    }
  }
  return zeroBits(vector);
};

/** The first word from `from` on, below `stop`, that has a zero bit; `stop` when there is none. */
const nextOpen = (open: Int32Array, from: number, stop: number): number => {
  if (from >= stop) return stop;
  let group = from >>> 5;
  let bits = (open[group] ?? 0) & (-1 << from);
  while (bits === 0) {
    group += 1;
    if (group << 5 >= stop) return stop;
    bits = open[group] ?? 0;
  }
  return Math.min(stop, (group << 5) + 31 - Math.clz32(bits & -bits));
};

const zeroBits = (vector: Int32Array): number =>
  vector.reduce((zeros, word) => {
    let bits = ~word;
    let count = 0;
    while (bits !== 0) {
      bits &= bits - 1;
      count += 1;
    }
    return zeros + count;
  }, 0);
