import type { Id } from './schema-types.js';

/** A cell of a dataset (contract 5.11): flat, so that every reader can show it. */
export type Scalar = string | number | null;
export type ContentCell = Scalar | { readonly [member: string]: Scalar };

/**
 * Content of a file: column names in order, and rows whose cells are keyed by the position of their
 * column.
 */
export type ContentTable = {
  readonly columns: readonly string[];
  readonly rows: readonly StoredCells[];
};
/**
 * Cells by column key; a missing one is null. A list, or, where most would be null, members by key:
 * 100,000 rows with one cell in the 500th column must not become 50 million nulls.
 */
export type StoredCells = readonly ContentCell[] | { readonly [key: string]: ContentCell };

/** Column of a dataset. The key names its cells and survives a rename. */
export type DatasetColumn = { readonly key: number; readonly name: string };

/** Row of a dataset. `made` and `edited` are versions. Removed columns may still have a cell. */
export type ContentRow = {
  readonly id: RowId;
  readonly made: number;
  readonly edited: number;
  readonly cells: StoredCells;
};
export type RowId = Id<'RowId'>;

/**
 * Range of chunks: neighbours of one content, from `first` on, with the row count of each. Rows lie
 * in chunks, which never change once stored; a content is what one change added. A version shares
 * everything that did not change with the version before it.
 */
export type ChunkRange = {
  readonly content: ContentId;
  readonly first: number;
  readonly sizes: readonly number[];
};
export type ContentId = Id<'ContentId'>;

/**
 * Chunk limits: a few hundred rows or kilobytes are read and written at once, even for one row of
 * them.
 */
export const chunkRowsMax = 200;
export const chunkBytesMax = 65_536;

/** Dataset limits (contract 1.11). */
export const datasetRowsMax = 100_000;
export const datasetColumnsMax = 500;
export const columnNameMax = 255;

export type ChunkName = { readonly content: ContentId; readonly chunk: number };
/** Rows `from` (inclusive) to `to` of a chunk. */
type ChunkSlice = ChunkName & { readonly from: number; readonly to: number };

/** Slices of the chunks that hold the rows from `offset` on, in order, at most `limit` rows. */
export const chunkSlices = (
  parts: readonly ChunkRange[],
  offset: number,
  limit: number,
): readonly ChunkSlice[] => {
  const found: ChunkSlice[] = [];
  let at = 0;
  for (const { content, first, sizes } of parts) {
    for (const [index, size] of sizes.entries()) {
      const from = Math.max(0, offset - at);
      const to = Math.min(size, offset + limit - at);
      if (from < to) found.push({ content, chunk: first + index, from, to });
      at += size;
    }
  }
  return found;
};

export const countRows = (parts: readonly ChunkRange[]): number =>
  parts.reduce((sum, { sizes }) => sum + sizes.reduce((all, size) => all + size, 0), 0);

/** The cell of a column, null where the row has none. */
export const readCell = (
  { cells }: Pick<ContentRow, 'cells'>,
  { key }: Pick<DatasetColumn, 'key'>,
): ContentCell => (cells as { readonly [key: number]: ContentCell })[key] ?? null;

/** The shorter form of the cells; when a key repeats, the last one counts. */
export const compactCells = (
  entries: Iterable<readonly [key: number, cell: ContentCell]>,
): StoredCells => {
  const filled = [...new Map(entries)].filter(([, cell]) => cell !== null);
  const length = filled.reduce((most, [key]) => Math.max(most, key + 1), 0);
  if (length > 2 * filled.length + denseSlack) return Object.fromEntries(filled);
  const cells = Array.from<ContentCell>({ length }).fill(null);
  for (const [key, cell] of filled) cells[key] = cell;
  return cells;
};
const denseSlack = 8;

export const cellEntries = (
  cells: StoredCells,
): readonly (readonly [key: number, cell: ContentCell])[] =>
  Object.entries(cells).map(([key, cell]) => [Number(key), cell]);
