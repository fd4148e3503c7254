import type {
  DatasetCell,
  DatasetRow,
} from '../../clients/typescript/src/generated/datasets-types.js';
import { cellOfText, kindOfCells, type CellKind } from './cells.js';
import type { DatasetChange, DraftColumn, FoldedDraft } from './changes.js';

/** Rows of the version, as far as they came. */
type LoadedRows = {
  readonly total: number;
  readonly at: (index: number) => DatasetRow | undefined;
};

type GridCell = {
  readonly cell: DatasetCell;
  /** Cell of the version; the same where nothing changed. */
  readonly before: DatasetCell;
  readonly isChanged: boolean;
};

type GridRowPlace = {
  readonly row: string;
  /** Place in the version; null: a new row. */
  readonly index: number | null;
  readonly isGone: boolean;
};

/** Rows from which the kind of a column is told. */
const sampleRows = 50;

/** The rows of a version with the changes to them: those of the version, then the new ones. */
export const openGridModel = (rows: LoadedRows, folded: FoldedDraft) => {
  const { columns, cells, newRows, goneRows } = folded;
  const places = new Map(
    columns.filter(({ base }) => base !== null).map(({ key }, place) => [key, place]),
  );
  const baseCell = (row: DatasetRow | undefined, column: DraftColumn): DatasetCell => {
    const place = places.get(column.key);
    return place === undefined ? null : (row?.values[place] ?? null);
  };
  /** Null: the row did not come yet. */
  const placeOf = (index: number): GridRowPlace | null => {
    const isNew = index >= rows.total;
    const row = isNew ? newRows[index - rows.total] : rows.at(index)?.row_id;
    if (row === undefined) return null;
    return { row, index: isNew ? null : index, isGone: goneRows.has(row) };
  };
  const cellAt = (index: number, column: DraftColumn): GridCell | null => {
    const place = placeOf(index);
    if (place === null) return null;
    const before = place.index === null ? null : baseCell(rows.at(index), column);
    const change = cells.get(place.row)?.get(column.key);
    const isChanged = change !== undefined && place.index !== null;
    return { cell: change === undefined ? before : change.after, before, isChanged };
  };
  const kindAt = (column: DraftColumn): CellKind => {
    const sampled = Math.min(sampleRows, rows.total);
    return kindOfCells(
      Array.from({ length: sampled }, (_row, index) => baseCell(rows.at(index), column)),
    );
  };
  /** Null: the cell has this value, or its row did not come yet. */
  const setCell = (
    index: number,
    column: DraftColumn,
    after: DatasetCell,
  ): DatasetChange | null => {
    const place = placeOf(index);
    const shown = cellAt(index, column);
    if (place === null || shown === null || place.isGone || shown.cell === after) return null;
    const { row, index: at } = place;
    return { type: 'cell-set', row, index: at, column: column.key, before: shown.before, after };
  };
  return {
    rowCount: rows.total + newRows.length,
    placeOf,
    cellAt,
    kindAt,
    setCell,
  };
};

export type GridModel = ReturnType<typeof openGridModel>;

/** Where a block of texts goes, and the columns from there on. */
type BlockTarget = {
  readonly row: number;
  readonly columns: readonly DraftColumn[];
  readonly newId: () => string;
};

/**
 * Changes that put a block of texts into the grid, its first text at the target. Rows beyond the
 * last one are new; texts beyond the last column are left out, and counted.
 */
export const blockChanges = (
  grid: GridModel,
  block: readonly (readonly string[])[],
  { row, columns, newId }: BlockTarget,
): { readonly changes: readonly DatasetChange[]; readonly leftOut: number } => {
  const changes: DatasetChange[] = [];
  let leftOut = 0;
  const kinds = columns.map((column) => grid.kindAt(column));
  for (const [offset, texts] of block.entries()) {
    const index = row + offset;
    leftOut += Math.max(0, texts.length - columns.length);
    const added = index < grid.rowCount ? null : newId();
    if (added !== null) changes.push({ type: 'row-added', row: added });
    for (const [place, text] of texts.slice(0, columns.length).entries()) {
      const [column, kind] = [columns[place], kinds[place] ?? 'text'];
      if (column === undefined) continue;
      if (added !== null) {
        const after = cellOfText(text, null, kind);
        const at = { row: added, index: null, column: column.key, before: null };
        if (after !== null) changes.push({ type: 'cell-set', ...at, after });
        continue;
      }
      const shown = grid.cellAt(index, column);
      if (shown === null) continue;
      const change = grid.setCell(index, column, cellOfText(text, shown.cell, kind));
      if (change !== null) changes.push(change);
    }
  }
  return { changes, leftOut };
};
