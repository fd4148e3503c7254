/**
 * Code points, and ranges of them, that the engine's `lower` and `foldCase` treat differently, in
 * the order of their UTF-16 units. Written down, since asking the engine delays every start; a test
 * asks it.
 */
const misfoldedCodes = `
  b5 130 17f 345 3c2 3d0 3d1 3d5 3d6 3f0 3f1 3f5 1c80-1c89 1e9b 1fbe 1fd3 1fe3 a7cb a7cc a7ce a7d2
  a7d4 a7da a7dc 10d50-10d65 16ea0-16eb8 fb06
`;

const codesOf = (range: string): readonly number[] => {
  const [first = 0, last = first] = range.split('-').map((code) => Number.parseInt(code, 16));
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

/** The code points as the inside of a character class. */
export const misfolded = misfoldedCodes
  .trim()
  .split(/\s+/)
  .flatMap(codesOf)
  .map((code) => `\\u{${code.toString(16)}}`)
  .join('');
