import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';
import { isSameCell } from './cells.js';

/** A row as the comparison takes it: cells in the order of its version's columns. */
export type ComparedDatasetRow = {
  readonly row_id: string;
  readonly index: number;
  readonly values: readonly DatasetCell[];
};

type CellDifference = {
  /** Name in the later version. */
  readonly column: string;
  readonly before: DatasetCell;
  readonly after: DatasetCell;
};

export type RowDifference = {
  readonly rowId: string;
  readonly kind: 'added' | 'removed' | 'edited';
  /** Places in the versions; null: not there. */
  readonly from: number | null;
  readonly to: number | null;
  /** Cells that differ; of a row that came or went, its cells with a value. */
  readonly cells: readonly CellDifference[];
};

export type DatasetDifference = {
  readonly counts: Readonly<Record<RowDifference['kind'] | 'same', number>>;
  /** In the order of the later version; a row that went is at its former place. */
  readonly rows: readonly RowDifference[];
};

/** Columns of two versions; `renames` are pairs of the names of one column. */
export type ComparedColumns = {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly renames: readonly (readonly [string, string])[];
};

/**
 * Compares two versions by row id. A row is edited where a cell differs in a column that both
 * versions have, or has a value in a column that came; cells of a column that went are left out,
 * since the column is named.
 */
export const openDatasetDiff = (columns: ComparedColumns) => {
  const sides = {
    from: new Map<string, ComparedDatasetRow>(),
    to: new Map<string, ComparedDatasetRow>(),
  };
  return {
    add: (side: 'from' | 'to', rows: readonly ComparedDatasetRow[]): void => {
      for (const row of rows) sides[side].set(row.row_id, row);
    },
    result: (): DatasetDifference => compareRows(columns, sides.from, sides.to),
  };
};

type RowsById = ReadonlyMap<string, ComparedDatasetRow>;

const compareRows = (columns: ComparedColumns, from: RowsById, to: RowsById): DatasetDifference => {
  const pairs = columnPairs(columns);
  const counts = { added: 0, removed: 0, edited: 0, same: 0 };
  const rows: RowDifference[] = [];
  const add = (row: RowDifference): void => {
    counts[row.kind] += 1;
    rows.push(row);
  };
  for (const [rowId, after] of to) {
    const before = from.get(rowId);
    const cells = pairs.flatMap(({ column, from: old, to: now }) => {
      const one = before?.values[old] ?? null;
      const other = after.values[now] ?? null;
      return isSameCell(one, other) ? [] : [{ column, before: one, after: other }];
    });
    const place = { rowId, from: before?.index ?? null, to: after.index, cells };
    if (before === undefined) add({ ...place, kind: 'added' });
    else if (cells.length > 0) add({ ...place, kind: 'edited' });
    else counts.same += 1;
  }
  for (const [rowId, before] of from) {
    if (to.has(rowId)) continue;
    const cells = columns.from.flatMap((column, place) => {
      const one = before.values[place] ?? null;
      return one === null ? [] : [{ column, before: one, after: null }];
    });
    add({ rowId, kind: 'removed', from: before.index, to: null, cells });
  }
  return { counts, rows: rows.sort(byPlace) };
};

/** Places of each later column in both versions; -1: it is new. */
const columnPairs = ({ from, to, renames }: ComparedColumns) => {
  const old = new Map(from.map((name, place) => [name, place]));
  const former = new Map(renames.map(([before, after]) => [after, before]));
  const renamed = new Set(renames.map(([before]) => before));
  return to.map((column, place) => {
    const name = former.get(column) ?? (renamed.has(column) ? null : column);
    return { column, from: name === null ? -1 : (old.get(name) ?? -1), to: place };
  });
};

const byPlace = (one: RowDifference, other: RowDifference): number =>
  placeOf(one) - placeOf(other) || Number(one.to !== null) - Number(other.to !== null);
const placeOf = ({ from, to }: RowDifference): number => to ?? from ?? 0;

/** Rows that an answer to the page has; the counts are whole. */
const shownRowsMax = 5_000;

/** Methods of the worker that compares versions, by name. */
export const datasetMethods = () => {
  let diff = openDatasetDiff({ from: [], to: [], renames: [] });
  return {
    begin: (columns: ComparedColumns) => {
      diff = openDatasetDiff(columns);
    },
    add: ({ side, rows }: { side: 'from' | 'to'; rows: readonly ComparedDatasetRow[] }) => {
      diff.add(side, rows);
    },
    result: (_input: null): DatasetDifference => {
      const { counts, rows } = diff.result();
      return { counts, rows: rows.slice(0, shownRowsMax) };
    },
  };
};

export type DatasetMethods = ReturnType<typeof datasetMethods>;

/** Names of columns that came and went between two versions, renamed ones apart. */
export const columnDifference = ({ from, to, renames }: ComparedColumns) => {
  const known = new Set([...from].filter((name) => !renames.some(([before]) => before === name)));
  const shown = new Set([...to].filter((name) => !renames.some(([, after]) => after === name)));
  return {
    came: [...shown.difference(known)],
    went: [...known.difference(shown)],
    renames,
  };
};
