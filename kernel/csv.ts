import type { Json } from './schema-types.js';

/** Encodes a CSV row (contract 5.7, rule 4): RFC 4180, with its line end. */
export const encodeCsvRow = (cells: readonly (Json | undefined)[], escapes: boolean): string =>
  `${cells.map((cell) => formatCell(cell, escapes)).join(',')}\r\n`;

/** Formats a cell: null and absence as empty, text as it is, other values as JSON. */
const formatCell = (cell: Json | undefined, escapes: boolean): string => {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return quoteField(JSON.stringify(cell));
  return quoteField(escapes ? escapeFormula(cell) : cell);
};

const quoteField = (text: string): string =>
  mustQuote.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const mustQuote = /[",\r\n]/;

/**
 * Protects against spreadsheet formulas (contract 5.7, rule 5): prefixes a text that a spreadsheet
 * would run with `'`. The escape is reversible: a leading `'` was added exactly where the rest
 * would be escaped itself.
 */
export const escapeFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);

const isFormula = (text: string): boolean => {
  const [, rest = ''] = /^'*([^]*)$/.exec(text) ?? [];
  return formulaStart.test(rest) && !plainNumber.test(rest);
};
/** Full-width signs count too: some spreadsheets read them as the usual ones. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
