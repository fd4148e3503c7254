/**
 * Selected rows of a grid by their keys, in the order in which they were selected. `rows` are the
 * keys of all rows, in the order of the grid.
 */
type RowSelection = ReadonlySet<string>;

/** Rows between two indexes, both included, in any order. */
const rowsBetween = (rows: readonly string[], one: number, other: number): readonly string[] =>
  rows.slice(Math.min(one, other), Math.max(one, other) + 1);

const without = (selection: RowSelection, keys: readonly string[]): RowSelection => {
  const removed = new Set(keys);
  return new Set([...selection].filter((key) => !removed.has(key)));
};

const withKeys = (selection: RowSelection, keys: readonly string[]): RowSelection =>
  new Set([...selection, ...keys]);

/** Selects a row, or no longer; with `from`, the rows from there on as well, in its new state. */
export const toggledRow = (
  selection: RowSelection,
  rows: readonly string[],
  key: string,
  from: string | null = null,
): RowSelection => {
  const [begin, end] = [rows.indexOf(from ?? key), rows.indexOf(key)];
  const keys = begin < 0 ? [key] : rowsBetween(rows, begin, end);
  return selection.has(key) ? without(selection, keys) : withKeys(selection, keys);
};

/** Moves the end of a range that begins at the index `anchor` from one row to another. */
export const extendedRange = (
  selection: RowSelection,
  rows: readonly string[],
  anchor: number,
  [from, to]: readonly [from: number, to: number],
): RowSelection =>
  withKeys(without(selection, rowsBetween(rows, anchor, from)), rowsBetween(rows, anchor, to));

/** Number of the rows that are selected; the selection may have others, too. */
export const selectedCount = (selection: RowSelection, rows: readonly string[]): number =>
  selection.size === 0 ? 0 : rows.filter((key) => selection.has(key)).length;

/** Selects all rows; where all are selected, none of them. */
export const toggledRows = (selection: RowSelection, rows: readonly string[]): RowSelection =>
  selectedCount(selection, rows) === rows.length
    ? without(selection, rows)
    : withKeys(selection, rows);
