import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';

/** Kind of the cells of a column, for alignment and for what a typed text means. */
export type CellKind = 'text' | 'number';

/** Text of a cell as it is shown and edited: an object is JSON, null the empty text. */
export const cellText = (cell: DatasetCell): string => {
  if (cell === null) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
};

/** True for equal cells; the members of objects may have another order. */
export const isSameCell = (one: DatasetCell, other: DatasetCell): boolean => {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  const members = Object.entries(one);
  return (
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => Object.hasOwn(other, name) && other[name] === value)
  );
};

/** `number` where all cells with a value are numbers. */
export const kindOfCells = (cells: Iterable<DatasetCell>): CellKind => {
  let kind: CellKind = 'text';
  for (const cell of cells) {
    if (cell === null) continue;
    if (typeof cell !== 'number') return 'text';
    kind = 'number';
  }
  return kind;
};

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Cell of an edited text. The empty text is null. Numbers stay numbers and objects stay objects
 * where the text still is one; any other text is itself.
 */
export const cellOfText = (text: string, before: DatasetCell, kind: CellKind): DatasetCell => {
  if (text === cellText(before)) return before;
  if (text === '') return null;
  const wantsNumber = typeof before === 'number' || (before === null && kind === 'number');
  if (wantsNumber && numberForm.test(text) && Number.isFinite(Number(text))) return Number(text);
  const wantsObject = typeof before === 'object' && before !== null;
  return (wantsObject ? flatObject(text) : null) ?? text;
};

/** The object of strings, numbers and nulls that a JSON text has; else null. */
const flatObject = (text: string): DatasetCell => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const isFlat = Object.values(value).every(
      (member) => member === null || typeof member === 'string' || typeof member === 'number',
    );
    return isFlat ? (value as DatasetCell) : null;
  } catch {
    return null;
  }
};

const quotedCell = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
const plainCell = /[^\t\r\n]*/y;

/**
 * Cells of a block that was copied from a spreadsheet: rows between line ends, cells between tabs,
 * in quotes where a cell has one of these. A line end at the end begins no row.
 */
export const parseBlock = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  for (;;) {
    quotedCell.lastIndex = at;
    const quoted = quotedCell.exec(text);
    plainCell.lastIndex = at;
    const raw = quoted?.[0] ?? plainCell.exec(text)?.[0] ?? '';
    row.push(quoted === null ? raw : (quoted[1] ?? '').replaceAll('""', '"'));
    at += raw.length;
    if (text[at] === '\t') {
      at += 1;
      continue;
    }
    rows.push(row);
    row = [];
    if (at >= text.length) break;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (at >= text.length) break;
  }
  return rows;
};
