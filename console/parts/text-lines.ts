import { dataUrlForm, readDataUrl } from './data-url.js';

/** Characters of a row of the reader; longer lines go on in the next row. */
const rowCharacters = 120;

/** Rows of a text, none longer than 120 characters; `data:` URLs are their kind and size. */
export const textLines = (text: string): readonly string[] => {
  const shown = text.replaceAll(dataUrlForm, (url) => {
    const data = readDataUrl(url);
    return data === null ? url : `[${data.label}]`;
  });
  const rows: string[] = [];
  let from = 0;
  while (from <= shown.length) {
    const newline = shown.indexOf('\n', from);
    const end = newline < 0 ? shown.length : newline;
    addRows(rows, shown, from, end);
    from = end + 1;
  }
  return rows;
};

const addRows = (rows: string[], text: string, begin: number, end: number): void => {
  let from = begin;
  do {
    let to = Math.min(end, from + rowCharacters);
    // A pair of surrogates is one character.
    if (to < end && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1;
    rows.push(text.slice(from, to));
    from = to;
  } while (from < end);
};
