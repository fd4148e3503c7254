import { tokens13a } from './tokens-13a.js';

const ngramOrders = 4;

/**
 * Hash table that numbers n-grams without building them as strings: an n-gram's number is looked up
 * by the number of its first n-1 tokens and its last token. Open addressing on typed arrays, since
 * a Map takes many times as long.
 */
const ngramTable = (capacity: number) => {
  const size = 2 ** Math.ceil(Math.log2(Math.max(16, capacity * 2)));
  const prefixes = new Int32Array(size);
  const tokens = new Int32Array(size);
  /** Number plus one; 0 marks a free slot. */
  const numbers = new Int32Array(size);
  let known = 0;
  const slot = (prefix: number, token: number): number => {
    let at = (Math.imul(prefix, 0x9e3779b1) ^ Math.imul(token, 0x85ebca6b)) >>> 0;
    at = (at ^ (at >>> 15)) & (size - 1);
    while (numbers[at] !== 0 && (prefixes[at] !== prefix || tokens[at] !== token)) {
      at = (at + 1) & (size - 1);
    }
    return at;
  };
  return {
    /** The n-gram's number, or -1. */
    find: (prefix: number, token: number): number => (numbers[slot(prefix, token)] ?? 0) - 1,
    intern: (prefix: number, token: number): number => {
      const at = slot(prefix, token);
      if (numbers[at] === 0) {
        prefixes[at] = prefix;
        tokens[at] = token;
        known += 1;
        numbers[at] = known;
      }
      return (numbers[at] ?? 0) - 1;
    },
    clear: (): void => {
      numbers.fill(0);
      known = 0;
    },
  };
};

/** Numbers the tokens; -1: the output has a token that the reference lacks. */
const numberTokens = (reference: readonly string[], output: readonly string[]) => {
  const vocabulary = new Map<string, number>();
  const ofReference = new Int32Array(reference.length);
  const ofOutput = new Int32Array(output.length);
  reference.forEach((token, at) => {
    const known = vocabulary.get(token) ?? vocabulary.size;
    if (known === vocabulary.size) vocabulary.set(token, known);
    ofReference[at] = known;
  });
  output.forEach((token, at) => {
    ofOutput[at] = vocabulary.get(token) ?? -1;
  });
  return { ofReference, ofOutput };
};

/**
 * Clipped n-gram matches m_1 … m_4 (contract 3.5): output n-grams found in the reference, each at
 * most as often as it occurs there.
 */
const clippedMatches = (output: readonly string[], reference: readonly string[]): number[] => {
  const { ofReference, ofOutput } = numberTokens(reference, output);
  // Number of the (n-1)-gram that starts at each index; -1 for an output n-gram that the reference
  // lacks.
  const referenceGrams = new Int32Array(reference.length);
  const outputGrams = new Int32Array(output.length);
  const table = ngramTable(reference.length);
  const left = new Int32Array(reference.length);
  const matches: number[] = [];
  for (let n = 1; n <= ngramOrders; n += 1) {
    table.clear();
    left.fill(0);
    for (let at = 0; at + n <= reference.length; at += 1) {
      const gram = table.intern(referenceGrams[at] ?? 0, ofReference[at + n - 1] ?? -1);
      referenceGrams[at] = gram;
      left[gram] = (left[gram] ?? 0) + 1;
    }
    let found = 0;
    for (let at = 0; at + n <= output.length; at += 1) {
      const prefix = outputGrams[at] ?? -1;
      const token = ofOutput[at + n - 1] ?? -1;
      const gram = prefix === -1 || token === -1 ? -1 : table.find(prefix, token);
      outputGrams[at] = gram;
      if (gram !== -1 && (left[gram] ?? 0) > 0) {
        left[gram] = (left[gram] ?? 0) - 1;
        found += 1;
      }
    }
    matches.push(found);
    // Without a common n-gram there is no longer one either.
    if (found === 0) break;
  }
  return matches;
};

/**
 * Sentence BLEU-4 with smoothing method 1 (contract 3.5), in [0, 1]. Null: the reference has no
 * tokens. Linear in the length of the texts.
 */
export const bleu = (output: string, reference: string): number | null => {
  const said = tokens13a(output);
  const expected = tokens13a(reference);
  if (expected.length === 0) return null;
  const matches = clippedMatches(said, expected);
  if (said.length === 0 || (matches[0] ?? 0) === 0) return 0;
  let logarithms = 0;
  for (let n = 1; n <= ngramOrders; n += 1) {
    const total = Math.max(1, said.length - n + 1);
    const matched = matches[n - 1] ?? 0;
    logarithms += Math.log((matched === 0 ? 0.1 : matched) / total);
  }
  const brevity = said.length > expected.length ? 1 : Math.exp(1 - expected.length / said.length);
  return brevity * Math.exp(logarithms / ngramOrders);
};
