import { datasetColumnsMax, datasetRowsMax } from '../../kernel/dataset-content.js';
import { valueFault, type Fault } from '../../kernel/fault.js';

/**
 * Nesting limit: deeper values are not table rows, and serializing them would overflow the stack.
 */
const levelsMax = 128;

export const lineFault = (line: number, what: string): Fault =>
  valueFault(['body', 'file'], `line ${line} ${what}`);

export const tooManyRowsFault = (): Fault =>
  valueFault(['body', 'file'], `a dataset has at most ${datasetRowsMax} rows`);

/**
 * Throws for a record of more cells than a dataset has columns, before a parser makes thirty
 * million strings of thirty million delimiters. Unmatched quotes are left to the parser.
 */
export const checkCsvLimits = (text: string, delimiter = ','): void => {
  const separator = delimiter.charCodeAt(0);
  let line = 1;
  let begin = 1;
  let commas = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) isQuoted = !isQuoted;
    else if (code === newline || code === carriageReturn) {
      if (code === carriageReturn && text.charCodeAt(at + 1) === newline) at += 1;
      line += 1;
      if (!isQuoted) [commas, begin] = [0, line];
    } else if (code === separator && !isQuoted) {
      commas += 1;
      if (commas >= datasetColumnsMax) throw tooWideFault(begin);
    }
  }
};

/**
 * Line in which a record begins, counted from 1; empty lines between records do not count. All
 * earlier records are complete. The parser's own line is unusable: it counts a CRLF within quotes
 * twice, and for unmatched quotes gives only where it stopped, maybe the end of the file.
 */
export const recordLine = (text: string, record: number): number => {
  let line = 1;
  let records = 0;
  let isQuoted = false;
  let isBetween = true;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === newline || code === carriageReturn) {
      if (code === carriageReturn && text.charCodeAt(at + 1) === newline) at += 1;
      line += 1;
      if (!isQuoted) isBetween = true;
      continue;
    }
    if (isBetween) records += 1;
    if (records === record) return line;
    isBetween = false;
    if (code === quote) isQuoted = !isQuoted;
  }
  return line;
};

/**
 * Throws for JSON beyond a dataset's limits, before a parser builds it: too many rows, too many
 * members of a row, values too deep. `lines`: one row per line.
 */
export const checkJsonLimits = (text: string, lines: boolean): void => {
  const rowDepth = lines ? 1 : 2;
  let [line, depth, rows, members] = [1, 0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at);
        break;
      case newline:
        line += 1;
        if (lines) [depth, members] = [0, 0];
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        if (depth > levelsMax) throw lineFault(line, `is nested deeper than ${levelsMax} levels`);
        if (depth === rowDepth) members = 0;
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case colon:
        if (depth !== rowDepth) break;
        members += 1;
        if (members > datasetColumnsMax) throw tooWideFault(line);
        break;
      case comma:
        if (depth !== rowDepth - 1) break;
        rows += 1;
        if (rows > datasetRowsMax) throw tooManyRowsFault();
    }
  }
};

const tooWideFault = (line: number): Fault =>
  lineFault(line, `has more cells than the ${datasetColumnsMax} columns that a dataset may have`);

const quote = 0x22;
const comma = 0x2c;
const newline = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const backslash = 0x5c;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Index of the quote that ends the string, or of the last character. */
export const stringEnd = (text: string, begin: number): number => {
  for (let at = begin + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote || code === newline) return code === quote ? at : at - 1;
  }
  return text.length - 1;
};
