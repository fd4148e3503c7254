/** Looked for in this order; the first is that of RFC 4180. */
const delimiters = [',', ';', '\t'] as const;
type Delimiter = (typeof delimiters)[number];

/** As much of a file as is looked at: what has a longer line without any is one column. */
const sampleCharacters = 65_536;

/**
 * What stands between the cells of a CSV file (contract 5.11): a comma, unless the header has none
 * and both it and the line after it, where there is one, have a semicolon or a tab. What is within
 * quotes does not count.
 */
export const detectDelimiter = (text: string): Delimiter => {
  const [header = '', next = ''] = firstLines(text.slice(0, sampleCharacters));
  const [comma, ...others] = delimiters;
  if (header.includes(comma)) return comma;
  const found = others.find((one) => header.includes(one) && (next === '' || next.includes(one)));
  return found ?? comma;
};

/** The first two lines that are not empty, without what is quoted. */
const firstLines = (text: string): readonly string[] =>
  text
    .replaceAll(/"[^"]*(?:"|$)/g, '"')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
    .slice(0, 2);
