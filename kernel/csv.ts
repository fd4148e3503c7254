import type { Json } from './shapes.js';

/** A row of contract 5.7, rule 4: RFC 4180, with its line end. */
export const csvLine = (cells: readonly (Json | undefined)[], escapes: boolean): string =>
  `${cells.map((cell) => fieldOf(cell, escapes)).join(',')}\r\n`;

/** Null and absence are empty, text is as it is, anything else is its JSON. */
const fieldOf = (cell: Json | undefined, escapes: boolean): string => {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return quoted(JSON.stringify(cell));
  return quoted(escapes ? escaped(cell) : cell);
};

const quoted = (text: string): string =>
  mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const mustQuote = /[",\r\n]/;

/**
 * Contract 5.7, rule 5: a text that a spreadsheet would run has a `'` before it. What was escaped
 * can be told: a leading `'` is ours exactly where what follows would be escaped itself.
 */
export const escaped = (text: string): string => (isRun(text) ? `'${text}` : text);

const isRun = (text: string): boolean => {
  const [, rest = ''] = /^'*([^]*)$/.exec(text) ?? [];
  return beginning.test(rest) && !plainNumber.test(rest);
};
/** Full-width signs are read as their usual ones in some places. */
const beginning = /^[=+\-@\t\r\n＝＋－＠]/;
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
