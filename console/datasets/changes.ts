import type { DatasetCell } from '../../clients/typescript/src/generated/datasets-types.js';
import { isSameCell } from './cells.js';

/**
 * Key of a column while it is edited: `=name` for one of the version, `+n` for a new one. It stays
 * when the column is renamed.
 */
export type ColumnKey = string;

export const baseColumnKey = (name: string): ColumnKey => `=${name}`;

/** One change that is not saved yet. `row` is an id, `index` the place of a row in the version. */
export type DatasetChange =
  | {
      readonly type: 'cell-set';
      readonly row: string;
      /** Null: a new row. */
      readonly index: number | null;
      readonly column: ColumnKey;
      readonly before: DatasetCell;
      readonly after: DatasetCell;
    }
  | { readonly type: 'row-added'; readonly row: string }
  | { readonly type: 'row-removed'; readonly row: string; readonly index: number | null }
  | { readonly type: 'row-restored'; readonly row: string }
  | { readonly type: 'column-added'; readonly column: ColumnKey; readonly name: string }
  | { readonly type: 'column-renamed'; readonly column: ColumnKey; readonly name: string }
  | { readonly type: 'column-removed'; readonly column: ColumnKey }
  | { readonly type: 'column-restored'; readonly column: ColumnKey };

/** Changes to a version in steps, each undone at once. */
export type DatasetDraft = {
  /** Version that is changed. */
  readonly version: number;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly steps: readonly (readonly DatasetChange[])[];
  /** True once it was saved, until the version that it became is shown. */
  readonly isSaved?: boolean;
};

export type DraftColumn = {
  readonly key: ColumnKey;
  /** Name in the version; null: a new column. */
  readonly base: string | null;
  readonly name: string;
  readonly isRemoved: boolean;
};

type CellChange = {
  readonly index: number | null;
  readonly before: DatasetCell;
  readonly after: DatasetCell;
};

/** A draft as the version it would become: columns and rows that go are still there, marked. */
export type FoldedDraft = {
  readonly columns: readonly DraftColumn[];
  /** Cells that differ from the version, by row and column. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<ColumnKey, CellChange>>;
  /** Ids of new rows, in order. */
  readonly newRows: readonly string[];
  /** Places of rows that go, by id. */
  readonly goneRows: ReadonlyMap<string, number | null>;
};

type Fold = {
  columns: DraftColumn[];
  readonly cells: Map<string, Map<ColumnKey, CellChange>>;
  newRows: string[];
  readonly goneRows: Map<string, number | null>;
};

export const foldDraft = ({
  columns,
  steps,
}: Pick<DatasetDraft, 'columns' | 'steps'>): FoldedDraft => {
  const fold: Fold = {
    columns: columns.map((name) => ({
      key: baseColumnKey(name),
      base: name,
      name,
      isRemoved: false,
    })),
    cells: new Map(),
    newRows: [],
    goneRows: new Map(),
  };
  for (const step of steps) for (const change of step) applyChange(fold, change);
  return fold;
};

const applyChange = (fold: Fold, change: DatasetChange): void => {
  switch (change.type) {
    case 'cell-set':
      return setCell(fold, change);
    case 'row-added':
      fold.newRows.push(change.row);
      return;
    case 'row-removed':
      if (fold.newRows.includes(change.row)) {
        fold.newRows = fold.newRows.filter((row) => row !== change.row);
        fold.cells.delete(change.row);
      } else fold.goneRows.set(change.row, change.index);
      return;
    case 'row-restored':
      fold.goneRows.delete(change.row);
      return;
    case 'column-added': {
      const { column: key, name } = change;
      fold.columns.push({ key, base: null, name, isRemoved: false });
      return;
    }
    case 'column-renamed':
      return changeColumn(fold, change.column, { name: change.name });
    case 'column-removed':
      return removeColumn(fold, change.column);
    case 'column-restored':
      return changeColumn(fold, change.column, { isRemoved: false });
  }
};

const setCell = ({ cells }: Fold, change: DatasetChange & { readonly type: 'cell-set' }): void => {
  const { row, index, column, after } = change;
  const ofRow = cells.get(row) ?? new Map<ColumnKey, CellChange>();
  const before = ofRow.get(column)?.before ?? change.before;
  if (isSameCell(before, after)) ofRow.delete(column);
  else ofRow.set(column, { index, before, after });
  if (ofRow.size === 0) cells.delete(row);
  else cells.set(row, ofRow);
};

const changeColumn = (fold: Fold, key: ColumnKey, change: Partial<DraftColumn>): void => {
  fold.columns = fold.columns.map((column) =>
    column.key === key ? { ...column, ...change } : column,
  );
};

const removeColumn = (fold: Fold, key: ColumnKey): void => {
  const column = fold.columns.find((one) => one.key === key);
  if (column?.base !== null) return changeColumn(fold, key, { isRemoved: true });
  fold.columns = fold.columns.filter((one) => one !== column);
  for (const [row, ofRow] of fold.cells) {
    ofRow.delete(key);
    if (ofRow.size === 0) fold.cells.delete(row);
  }
};

/** Counts of the changes of a draft: cells are those of rows and columns that stay. */
type ChangeCounts = {
  readonly cells: number;
  readonly rows: number;
  readonly columns: number;
};

export const countChanges = (folded: FoldedDraft): ChangeCounts => {
  const gone = new Set(folded.columns.flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])));
  const isNew = new Set(folded.newRows);
  const changed = [...folded.cells].filter(([row]) => !isNew.has(row) && !folded.goneRows.has(row));
  return {
    cells: changed.reduce(
      (sum, [, ofRow]) => sum + [...ofRow.keys()].filter((key) => !gone.has(key)).length,
      0,
    ),
    rows: folded.newRows.length + folded.goneRows.size,
    columns: folded.columns.filter(
      ({ base, name, isRemoved }) => base === null || isRemoved || base !== name,
    ).length,
  };
};

export const changeTotal = ({ cells, rows, columns }: ChangeCounts): number =>
  cells + rows + columns;

/** `3 changes not saved: 1 cell, 1 row, 1 column`. */
export const changesText = (counts: ChangeCounts): string => {
  const parts = [
    countedText(counts.cells, 'cell'),
    countedText(counts.rows, 'row'),
    countedText(counts.columns, 'column'),
  ].filter((part) => !part.startsWith('0 '));
  return `${countedText(changeTotal(counts), 'change')} not saved: ${parts.join(', ')}`;
};

/** `1 row`, `1,204 rows`. */
export const countedText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Complaint about the name of a column; null: it can be taken. */
export const columnNameFault = (
  columns: readonly DraftColumn[],
  name: string,
  own: ColumnKey | null,
): string | null => {
  if (name === '') return 'A column needs a name.';
  if (Array.from(name).length > nameMax) return `A name has at most ${nameMax} characters.`;
  const isTaken = columns.some((one) => one.name === name && !one.isRemoved && one.key !== own);
  return isTaken ? `A column ${name} is there already.` : null;
};
/** Characters of the name of a column (contract 1.11). */
const nameMax = 255;
