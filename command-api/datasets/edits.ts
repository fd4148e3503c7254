import { editsMax, type Edit } from '../../contract/dataset-content.js';
import {
  columnNameMax,
  datasetColumnsMax,
  datasetRowsMax,
  cellsOf,
  entriesOf,
  type Cell,
  type Cells,
  type ChunkName,
  type Column,
  type Row,
  type RowId,
} from '../../kernel/dataset-content.js';
import { codePoints } from '../../kernel/code-points.js';
import type { Complaint } from '../../kernel/fault.js';

/** A chunk of the version that is edited; its rows are never changed in place. */
export type Chunk = ChunkName & { readonly rows: readonly Row[] };
export type Edited = {
  readonly columns: readonly Column[];
  /** In order: chunks that stay as they are, and rows that have to be stored. */
  readonly stretches: readonly (Chunk | readonly Row[])[];
  readonly counts: Counts;
  /** Old name to new one, null for a column that is gone; names as they were before. */
  readonly renamed: ReadonlyMap<string, string | null>;
};
export type Counts = {
  readonly rows_added: number;
  readonly rows_removed: number;
  readonly rows_edited: number;
  readonly columns_added: number;
  readonly columns_removed: number;
  readonly columns_renamed: number;
};

type Editing = {
  readonly version: number;
  /** Of the first new column. */
  readonly nextKey: number;
  /** A new id; the index tells rows of one request apart. */
  readonly rowId: (index: number) => RowId;
};

/**
 * The content after the edits, in their order, all or none: any complaint means none. An edit costs
 * its row, whatever the size of the dataset, except `filter_rows`, which looks at all.
 */
export const applyEdits = (
  before: { readonly columns: readonly Column[]; readonly chunks: readonly Chunk[] },
  edits: readonly Edit[],
  editing: Editing,
): Edited | readonly Complaint[] => {
  const work = startWork(before, editing);
  for (const [index, edit] of edits.slice(0, editsMax).entries()) {
    const complaint = applied(work, edit, index);
    if (complaint !== null) return [complaint];
  }
  const rows = [...work.places.values()].length;
  if (rows > datasetRowsMax) return [valueError(['edits'], tooManyRows(rows))];
  return finished(work, before);
};

const tooManyRows = (rows: number): string =>
  `a dataset has at most ${datasetRowsMax} rows, this would have ${rows}`;

/** Where a row is now: before, in a chunk of, or after what was there. */
type Place = { readonly list: (Row | null)[]; readonly index: number; readonly chunk: number };
type Work = Editing & {
  columns: Column[];
  keys: number;
  made: number;
  readonly front: (Row | null)[];
  readonly chunks: (Row | null)[][];
  readonly touched: Set<number>;
  readonly back: (Row | null)[];
  readonly places: Map<RowId, Place>;
  /** As the version before has them. */
  readonly known: ReadonlyMap<RowId, Row>;
};
const outside = -1;

const startWork = (
  { columns, chunks }: Parameters<typeof applyEdits>[0],
  editing: Editing,
): Work => {
  const work: Work = {
    ...editing,
    columns: [...columns],
    keys: editing.nextKey,
    made: 0,
    front: [],
    chunks: chunks.map(({ rows }) => [...rows]),
    touched: new Set(),
    back: [],
    places: new Map(),
    known: new Map(chunks.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const))),
  };
  for (const [chunk, list] of work.chunks.entries()) {
    for (const [index, row] of list.entries()) {
      if (row !== null) work.places.set(row.id, { list, index, chunk });
    }
  }
  return work;
};

const applied = (work: Work, edit: Edit, index: number): Complaint | null => {
  const at = (member: string, sentence: string): Complaint =>
    valueError(['edits', String(index), member], sentence);
  switch (edit.edit_type) {
    case 'prepend_row':
    case 'append_row':
      return added(work, edit, at);
    case 'update_row': {
      const place = work.places.get(edit.row_id);
      const row = place?.list[place.index] ?? null;
      if (place === undefined || row === null) return at('row_id', unknownRow);
      const filled = fill(work, row.cells, edit.values, at);
      if ('complaint' in filled) return filled.complaint;
      const { cells } = filled;
      if (!sameCells(cells, row.cells)) put(work, place, { ...row, edited: work.version, cells });
      return null;
    }
    case 'delete_row': {
      const place = work.places.get(edit.row_id);
      if (place === undefined) return at('row_id', unknownRow);
      removeRow(work, edit.row_id, place);
      return null;
    }
    case 'filter_rows': {
      const unknown = edit.row_ids.findIndex((id) => !work.places.has(id));
      if (unknown >= 0) {
        return valueError(['edits', String(index), 'row_ids', String(unknown)], unknownRow);
      }
      const kept = new Set(edit.row_ids);
      for (const [id, place] of work.places) if (!kept.has(id)) removeRow(work, id, place);
      return null;
    }
    case 'remove_column':
      if (!work.columns.some(({ name }) => name === edit.column_name)) {
        return at('column_name', unknownColumn);
      }
      work.columns = work.columns.filter(({ name }) => name !== edit.column_name);
      return null;
    case 'rename_column':
      return renamed(work, edit, at);
  }
};

type At = (member: string, sentence: string) => Complaint;
const unknownRow = 'the current version has no such row';
const unknownColumn = 'the current version has no such column';

const valueError = (place: readonly string[], sentence: string): Complaint => ({
  loc: ['body', ...place],
  msg: `Value error, ${sentence}`,
  type: 'value_error',
});

const added = (
  work: Work,
  edit: Extract<Edit, { readonly edit_type: 'append_row' | 'prepend_row' }>,
  at: At,
): Complaint | null => {
  const id = edit.row_id ?? work.rowId(work.made);
  work.made += 1;
  if (work.places.has(id)) return at('row_id', 'the current version has this row already');
  const filled = fill(work, [], edit.values, at);
  if ('complaint' in filled) return filled.complaint;
  const { cells } = filled;
  const list = edit.edit_type === 'append_row' ? work.back : work.front;
  list.push({ id, made: work.version, edited: work.version, cells });
  work.places.set(id, { list, index: list.length - 1, chunk: outside });
  return null;
};

/** Cells with the values in their columns; columns that are new come at the end. */
const fill = (
  work: Work,
  before: Cells,
  values: Readonly<Record<string, Cell>>,
  at: At,
): { readonly cells: Cells } | { readonly complaint: Complaint } => {
  const cells = new Map(entriesOf(before));
  for (const [name, value] of Object.entries(values)) {
    if (!isColumnName(name)) return { complaint: at('values', columnNameRule) };
    const column = work.columns.find((one) => one.name === name) ?? newColumn(work, name);
    if (column === null) {
      return { complaint: at('values', `a dataset has at most ${datasetColumnsMax} columns`) };
    }
    cells.set(column.key, value);
  }
  return { cells: cellsOf(cells) };
};

export const columnNameRule = `a column name has 1 to ${columnNameMax} characters`;
export const isColumnName = (name: string): boolean =>
  name !== '' && codePoints(name) <= columnNameMax;

const newColumn = (work: Work, name: string): Column | null => {
  if (work.columns.length >= datasetColumnsMax) return null;
  const column = { key: work.keys, name };
  work.keys += 1;
  work.columns.push(column);
  return column;
};

const renamed = (
  work: Work,
  edit: Extract<Edit, { readonly edit_type: 'rename_column' }>,
  at: At,
): Complaint | null => {
  const { column_name: from, new_column_name: to } = edit;
  if (!work.columns.some(({ name }) => name === from)) return at('column_name', unknownColumn);
  if (from === to) return null;
  if (!isColumnName(to)) return at('new_column_name', columnNameRule);
  if (work.columns.some(({ name }) => name === to)) {
    return at('new_column_name', 'the current version has this column already');
  }
  work.columns = work.columns.map((one) => (one.name === from ? { ...one, name: to } : one));
  return null;
};

const put = (work: Work, { list, index, chunk }: Place, row: Row | null): void => {
  list[index] = row;
  if (chunk !== outside) work.touched.add(chunk);
};

const removeRow = (work: Work, id: RowId, place: Place): void => {
  put(work, place, null);
  work.places.delete(id);
};

/** Both in the form of `cellsOf`. */
const sameCells = (one: Cells, other: Cells): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const isRow = (row: Row | null): row is Row => row !== null;

const finished = (
  work: Work,
  before: { readonly columns: readonly Column[]; readonly chunks: readonly Chunk[] },
): Edited => {
  const stretches: (Chunk | readonly Row[])[] = [
    work.front.filter(isRow).reverse(),
    ...before.chunks.map((chunk, index) =>
      work.touched.has(index) ? (work.chunks[index] ?? []).filter(isRow) : chunk,
    ),
    work.back.filter(isRow),
  ];
  const rows = { added: 0, edited: 0 };
  for (const [id, { list, index }] of work.places) {
    const known = work.known.get(id);
    if (known === undefined) rows.added += 1;
    else if (list[index] !== known) rows.edited += 1;
  }
  const names = new Map(before.columns.map(({ key, name }) => [key, name]));
  const present = new Map(work.columns.map(({ key, name }) => [key, name]));
  const moved = [...names].filter(([key, name]) => present.get(key) !== name);
  return {
    columns: work.columns,
    stretches,
    counts: {
      rows_added: rows.added,
      rows_removed: work.known.size + rows.added - work.places.size,
      rows_edited: rows.edited,
      columns_added: [...present.keys()].filter((key) => !names.has(key)).length,
      columns_removed: [...names.keys()].filter((key) => !present.has(key)).length,
      columns_renamed: moved.filter(([key]) => present.has(key)).length,
    },
    renamed: new Map(moved.map(([key, name]) => [name, present.get(key) ?? null])),
  };
};
