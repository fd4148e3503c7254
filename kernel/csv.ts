import type { Json } from './schema-types.js';

/** A row of contract 5.7, rule 4: RFC 4180, with its line end. */
export const encodeCsvRow = (cells: readonly (Json | undefined)[], escapes: boolean): string =>
  `${cells.map((cell) => formatCell(cell, escapes)).join(',')}\r\n`;

/** Null and absence are empty, text is as it is, anything else is its JSON. */
const formatCell = (cell: Json | undefined, escapes: boolean): string => {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return quoteField(JSON.stringify(cell));
  return quoteField(escapes ? escapeFormula(cell) : cell);
};

const quoteField = (text: string): string =>
  mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const mustQuote = /[",\r\n]/;

/**
 * Contract 5.7, rule 5: a text that a spreadsheet would run has a `'` before it. What was escaped
 * can be told: a leading `'` is ours exactly where what follows would be escaped itself.
 */
export const escapeFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);

const isFormula = (text: string): boolean => {
  const [, rest = ''] = /^'*([^]*)$/.exec(text) ?? [];
  return formulaStart.test(rest) && !plainNumber.test(rest);
};
/** Full-width signs are read as their usual ones in some places. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
