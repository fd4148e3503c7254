/** Candidate delimiters by priority; the first is that of RFC 4180. */
const delimiters = [',', ';', '\t'] as const;
type Delimiter = (typeof delimiters)[number];

/** Part of a file that is sampled: a longer line without a delimiter is one column. */
const sampleCharacters = 65_536;

/**
 * Delimiter of a CSV file (contract 5.11): a comma, unless the header has none and both it and the
 * line after it, if any, have a semicolon or a tab. Quoted text does not count.
 */
export const detectDelimiter = (text: string): Delimiter => {
  const [header = '', next = ''] = firstLines(text.slice(0, sampleCharacters));
  const [comma, ...others] = delimiters;
  if (header.includes(comma)) return comma;
  const found = others.find((one) => header.includes(one) && (next === '' || next.includes(one)));
  return found ?? comma;
};

/** The first two non-empty lines, without quoted text. */
const firstLines = (text: string): readonly string[] =>
  text
    .replaceAll(/"[^"]*(?:"|$)/g, '"')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
    .slice(0, 2);
