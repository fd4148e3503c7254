import { editsMax, type Edit } from '../../contract/dataset-content.js';
import {
  columnNameMax,
  datasetColumnsMax,
  datasetRowsMax,
  compactCells,
  cellEntries,
  type ContentCell,
  type StoredCells,
  type ChunkName,
  type DatasetColumn,
  type ContentRow,
  type RowId,
} from '../../kernel/dataset-content.js';
import { codePointCount } from '../../kernel/code-points.js';
import { type Complaint, extraForbidden, valueComplaint } from '../../kernel/fault.js';
import { isPairwiseEqual, hasSameCells, hasSameRows } from './row-equality.js';

/** A chunk of the edited version; its rows are immutable. */
export type Chunk = ChunkName & { readonly rows: readonly ContentRow[] };
type EditedContent = {
  readonly columns: readonly DatasetColumn[];
  /** Unchanged chunks and rows to store, in order. */
  readonly stretches: readonly (Chunk | readonly ContentRow[])[];
  readonly counts: Counts;
  /** Old column name to new one, null for a removed column. */
  readonly renamedColumns: ReadonlyMap<string, string | null>;
};
export type Counts = {
  readonly rows_added: number;
  readonly rows_removed: number;
  readonly rows_edited: number;
  readonly columns_added: number;
  readonly columns_removed: number;
  readonly columns_renamed: number;
};

type EditContext = {
  /** True if values may name existing columns only (contract 1.2, rule 3). */
  readonly isStrict: boolean;
  readonly version: number;
  /** Key of the first new column. */
  readonly nextKey: number;
  /** Mints a row id; the index distinguishes the rows of one request. */
  readonly rowId: (index: number) => RowId;
};

/**
 * Applies the edits in order, all or none: any complaint means none. Rows that no edit names are
 * visited once and copied only with their chunk when it changes (copy on write), so that a few
 * edits of 100,000 rows are quick.
 */
export const applyEdits = (
  before: ContentBefore,
  edits: readonly Edit[],
  editing: EditContext,
): EditedContent | readonly Complaint[] => {
  const work = startEditing(before, edits, editing);
  for (const [index, edit] of edits.slice(0, editsMax).entries()) {
    const complaint = applyEdit(work, edit, index);
    if (complaint !== null) return [complaint];
  }
  const unlike = settleRows(work);
  if (unlike !== null) return [unlike];
  const edited = finishEdits(work, before);
  const { rows_added, rows_removed } = edited.counts;
  const rows = work.rowsBefore + rows_added - rows_removed;
  return rows > datasetRowsMax ? [valueError(['edits'], tooManyRows(rows))] : edited;
};
type ContentBefore = {
  readonly columns: readonly DatasetColumn[];
  readonly chunks: readonly Chunk[];
};

const tooManyRows = (rows: number): string =>
  `a dataset has at most ${datasetRowsMax} rows, this would have ${rows}`;

/** Rows in order; null for a removed row. */
type RowSlots = (ContentRow | null)[];
/** Place of a row: a chunk by its index, or the rows added before or after all chunks. */
type RowPlace = { readonly list: RowSlots | number; readonly index: number };
type EditState = EditContext & {
  columns: DatasetColumn[];
  keys: number;
  made: number;
  readonly front: RowSlots;
  readonly back: RowSlots;
  readonly before: readonly Chunk[];
  readonly rowsBefore: number;
  /** Copies of the changed chunks (copy on write). */
  readonly touched: Map<number, RowSlots>;
  /** Places of rows that edits name or made; the slot may have been emptied since. */
  readonly places: Map<RowId, RowPlace>;
  /** Rows that edits name, as they were before the edits. */
  readonly known: ReadonlyMap<RowId, ContentRow>;
  /**
   * Existing rows that an edit adds with other values, with the complaint. Valid only if later
   * edits lead back to the existing values, as they do when a whole request is repeated.
   */
  readonly repeated: Map<RowId, Complaint>;
};

const startEditing = (
  { columns, chunks }: ContentBefore,
  edits: readonly Edit[],
  editing: EditContext,
): EditState => {
  const named = new Set(
    edits.flatMap((edit) => {
      if ('row_ids' in edit) return edit.row_ids;
      return 'row_id' in edit && edit.row_id != null ? [edit.row_id] : [];
    }),
  );
  const places = new Map<RowId, RowPlace>();
  const known = new Map<RowId, ContentRow>();
  let rowsBefore = 0;
  for (const [chunk, { rows }] of chunks.entries()) {
    rowsBefore += rows.length;
    for (const [index, row] of rows.entries()) {
      if (!named.has(row.id)) continue;
      places.set(row.id, { list: chunk, index });
      known.set(row.id, row);
    }
  }
  return {
    ...editing,
    columns: [...columns],
    keys: editing.nextKey,
    made: 0,
    front: [],
    back: [],
    before: chunks,
    rowsBefore,
    touched: new Map(),
    places,
    known,
    repeated: new Map(),
  };
};

const listOf = (
  { touched, before }: EditState,
  list: RowSlots | number,
): readonly (ContentRow | null)[] =>
  typeof list === 'number' ? (touched.get(list) ?? before[list]?.rows ?? []) : list;

/** The row of this id with its place; null when missing. */
const rowAt = (
  work: EditState,
  id: RowId,
): { readonly row: ContentRow; readonly place: RowPlace } | null => {
  const place = work.places.get(id);
  const row = place === undefined ? null : (listOf(work, place.list)[place.index] ?? null);
  return place === undefined || row === null ? null : { row, place };
};

const putRow = (work: EditState, { list, index }: RowPlace, row: ContentRow | null): void => {
  if (typeof list !== 'number') list[index] = row;
  else {
    const copy = work.touched.get(list) ?? [...(work.before[list]?.rows ?? [])];
    work.touched.set(list, copy);
    copy[index] = row;
  }
};

const applyEdit = (work: EditState, edit: Edit, index: number): Complaint | null => {
  const at: ComplaintAt = (member, sentence, ...below) => {
    const place = ['edits', String(index), member, ...below];
    return sentence === null ? extraForbidden(['body', ...place]) : valueError(place, sentence);
  };
  switch (edit.edit_type) {
    case 'prepend_row':
    case 'append_row':
      return addRow(work, edit, at);
    case 'update_row': {
      const found = rowAt(work, edit.row_id);
      if (found === null) return at('row_id', unknownRow);
      const { row, place } = found;
      const filled = fillCells(work, row.cells, edit.values, at);
      if ('complaint' in filled) return filled.complaint;
      const { cells } = filled;
      if (!hasSameCells(work.columns, cells, row.cells)) {
        putRow(work, place, { ...row, edited: work.version, cells });
      }
      return null;
    }
    case 'delete_row': {
      const found = rowAt(work, edit.row_id);
      if (found === null) return at('row_id', unknownRow);
      putRow(work, found.place, null);
      return null;
    }
    case 'filter_rows': {
      const unknown = edit.row_ids.findIndex((id) => rowAt(work, id) === null);
      if (unknown >= 0) {
        return valueError(['edits', String(index), 'row_ids', String(unknown)], unknownRow);
      }
      keepOnly(work, new Set(edit.row_ids));
      return null;
    }
    case 'remove_column':
      if (!work.columns.some(({ name }) => name === edit.column_name)) {
        return at('column_name', unknownColumn);
      }
      work.columns = work.columns.filter(({ name }) => name !== edit.column_name);
      return null;
    case 'rename_column':
      return renameColumn(work, edit, at);
  }
};

/** A null sentence: the member is not allowed here (contract 1.2, rule 3). */
type ComplaintAt = (
  member: string,
  sentence: string | null,
  ...below: readonly string[]
) => Complaint;
const unknownRow = 'the current version has no such row';
const unknownColumn = 'the current version has no such column';

const valueError = (place: readonly string[], sentence: string): Complaint =>
  valueComplaint(['body', ...place], sentence);

const addRow = (
  work: EditState,
  edit: Extract<Edit, { readonly edit_type: 'append_row' | 'prepend_row' }>,
  at: ComplaintAt,
): Complaint | null => {
  const id = edit.row_id ?? work.rowId(work.made);
  work.made += 1;
  const present = rowAt(work, id);
  if (present !== null) return addRowAgain(work, present, edit.values, at);
  const filled = fillCells(work, [], edit.values, at);
  if ('complaint' in filled) return filled.complaint;
  const { cells } = filled;
  const list = edit.edit_type === 'append_row' ? work.back : work.front;
  list.push({ id, made: work.version, edited: work.version, cells });
  work.places.set(id, { list, index: list.length - 1 });
  return null;
};

/**
 * Adds a row that exists, as when a request is repeated (contract 1.8, rule 5): no effect where it
 * has these values. Another row under its id is refused: at once or, where later edits may still
 * restore the existing row, at the end.
 */
const addRowAgain = (
  work: EditState,
  { row, place }: NonNullable<ReturnType<typeof rowAt>>,
  values: Readonly<Record<string, ContentCell>>,
  at: ComplaintAt,
): Complaint | null => {
  const unlike = at('row_id', 'the current version has another row with this id');
  const names = new Set(work.columns.map(({ name }) => name));
  if (!Object.keys(values).every((name) => names.has(name))) return unlike;
  const filled = fillCells(work, [], values, at);
  if ('complaint' in filled) return filled.complaint;
  const { cells } = filled;
  if (hasSameCells(work.columns, cells, row.cells)) return null;
  if (!work.known.has(row.id)) return unlike;
  putRow(work, place, { ...row, edited: work.version, cells });
  if (!work.repeated.has(row.id)) work.repeated.set(row.id, unlike);
  return null;
};

/** Cells with the values in their columns; new columns are appended. */
const fillCells = (
  work: EditState,
  before: StoredCells,
  values: Readonly<Record<string, ContentCell>>,
  at: ComplaintAt,
): { readonly cells: StoredCells } | { readonly complaint: Complaint } => {
  const cells = new Map(cellEntries(before));
  for (const [name, value] of Object.entries(values)) {
    if (!isColumnName(name)) return { complaint: at('values', columnNameRule) };
    const present = work.columns.find((one) => one.name === name);
    if (present === undefined && work.isStrict) return { complaint: at('values', null, name) };
    const column = present ?? newColumn(work, name);
    if (column === null) {
      return { complaint: at('values', `a dataset has at most ${datasetColumnsMax} columns`) };
    }
    cells.set(column.key, value);
  }
  return { cells: compactCells(cells) };
};

export const columnNameRule = `a column name has 1 to ${columnNameMax} characters`;
export const isColumnName = (name: string): boolean =>
  name !== '' && codePointCount(name) <= columnNameMax;

const newColumn = (work: EditState, name: string): DatasetColumn | null => {
  if (work.columns.length >= datasetColumnsMax) return null;
  const column = { key: work.keys, name };
  work.keys += 1;
  work.columns.push(column);
  return column;
};

const renameColumn = (
  work: EditState,
  edit: Extract<Edit, { readonly edit_type: 'rename_column' }>,
  at: ComplaintAt,
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

const keepOnly = (work: EditState, kept: ReadonlySet<RowId>): void => {
  const lists = [work.front, work.back, ...work.before.keys()];
  for (const list of lists) {
    for (const [index, row] of listOf(work, list).entries()) {
      if (row !== null && !kept.has(row.id)) putRow(work, { list, index }, null);
    }
  }
};

/**
 * Restores rows whose cells ended up as before the edits; returns the complaint of a row in
 * `repeated` whose cells did not.
 */
const settleRows = (work: EditState): Complaint | null => {
  for (const [id, row] of work.known) {
    const now = rowAt(work, id);
    const isSame = now !== null && hasSameCells(work.columns, now.row.cells, row.cells);
    const complaint = work.repeated.get(id);
    if (!isSame && complaint !== undefined) return complaint;
    if (isSame && now.row !== row && typeof now.place.list === 'number')
      putRow(work, now.place, row);
  }
  return null;
};

const isRow = (row: ContentRow | null): row is ContentRow => row !== null;

const finishEdits = (work: EditState, before: ContentBefore): EditedContent => {
  const [front, back] = [work.front.filter(isRow).reverse(), work.back.filter(isRow)];
  const chunks = before.chunks.map((chunk, index) => {
    const rows = work.touched.get(index)?.filter(isRow);
    return rows === undefined || isPairwiseEqual(rows, chunk.rows, Object.is) ? chunk : rows;
  });
  const names = new Map(before.columns.map(({ key, name }) => [key, name]));
  const present = new Map(work.columns.map(({ key, name }) => [key, name]));
  const moved = [...names].filter(([key, name]) => present.get(key) !== name);
  const stretches = [front, ...chunks, back];
  const outside = [...front, ...back];
  const isAsBefore =
    outside.length > 0 &&
    outside.every(({ id }) => work.known.has(id)) &&
    hasSameRows(
      work.columns,
      stretches.flatMap((one) => ('rows' in one ? one.rows : one)),
      before.chunks.flatMap(({ rows }) => rows),
    );
  return {
    columns: work.columns,
    stretches: isAsBefore ? before.chunks : stretches,
    counts: {
      ...(isAsBefore ? noRowCounts : rowCounts(work, outside)),
      columns_added: [...present.keys()].filter((key) => !names.has(key)).length,
      columns_removed: [...names.keys()].filter((key) => !present.has(key)).length,
      columns_renamed: moved.filter(([key]) => present.has(key)).length,
    },
    renamedColumns: new Map(moved.map(([key, name]) => [name, present.get(key) ?? null])),
  };
};
const noRowCounts = { rows_added: 0, rows_removed: 0, rows_edited: 0 };

/** A row that was removed and added again under its id counts as edited. */
const rowCounts = ({ touched, before, known }: EditState, outside: readonly ContentRow[]) => {
  let removed = 0;
  let edited = 0;
  for (const [chunk, list] of touched) {
    for (const [index, row] of list.entries()) {
      if (row === null) removed += 1;
      else if (row !== before[chunk]?.rows[index]) edited += 1;
    }
  }
  const again = outside.filter(({ id }) => known.has(id)).length;
  return {
    rows_added: outside.length - again,
    rows_removed: removed - again,
    rows_edited: edited + again,
  };
};
