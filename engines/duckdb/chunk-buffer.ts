import { DuckDBDataChunk, type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';
import bindings, { type LogicalType } from '@duckdb/node-bindings';
import {
  openColumnVector,
  chunkRows,
  writeNulls,
  type CellValue,
  type ColumnVector,
} from './column-vector.js';
import { mapEngineErrors } from './connections.js';

type Layout = { readonly types: readonly DuckDBType[]; readonly logical: readonly LogicalType[] };
/** Cells by column; undefined = all null. */
type Columns = (ColumnVector | undefined)[];

/** Column-wise buffer of the rows to append to a table; unset cells are null. */
export type ChunkBuffer = {
  readonly table: string;
  readonly layout: Layout;
  readonly fullChunks: DuckDBDataChunk[];
  /** The chunk of the current row; null before the first. */
  chunk: DuckDBDataChunk | null;
  columns: Columns;
  /** Index of the current row in `chunk`; -1 before the first. */
  rowIndex: number;
};

export const openChunkBuffer = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): ChunkBuffer => ({
  table,
  layout: layoutOf(columns),
  fullChunks: [],
  chunk: null,
  columns: [],
  rowIndex: -1,
});

/** Starts the next row, for `setCell`. */
export const beginRow = (chunks: ChunkBuffer): void => {
  if (chunks.rowIndex === chunkRows - 1) flushRows(chunks);
  chunks.chunk ??= new DuckDBDataChunk(bindings.create_data_chunk(chunks.layout.logical));
  chunks.rowIndex += 1;
};

/** Sets a cell of the current row. Texts are copied into the engine's memory at once. */
export const setCell = (
  { chunk, columns, layout, rowIndex }: ChunkBuffer,
  column: number,
  value: CellValue,
): void => {
  const type = layout.types[column] as DuckDBType;
  const cells = (columns[column] ??= openColumnVector(type, chunk as DuckDBDataChunk, column));
  cells.put(rowIndex, value);
};

export const addRow = (chunks: ChunkBuffer, values: readonly (CellValue | null)[]): void => {
  beginRow(chunks);
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column];
    if (value !== null && value !== undefined) setCell(chunks, column, value);
  }
};

/** Completes the current chunk; the next row begins another. */
export const flushRows = (chunks: ChunkBuffer): void => {
  const { chunk, columns, layout, rowIndex } = chunks;
  if (chunk === null) return;
  const rows = rowIndex + 1;
  chunk.rowCount = rows;
  for (const [column, type] of layout.types.entries()) {
    const cells = columns[column];
    if (cells === undefined) writeNulls(chunk, column, type);
    else cells.finish(rows);
  }
  chunks.fullChunks.push(chunk);
  chunks.chunk = null;
  chunks.columns = [];
  chunks.rowIndex = -1;
};

/** Appends all chunks or none, within the current transaction. */
export const appendChunks = async (
  connection: DuckDBConnection,
  chunks: ChunkBuffer,
): Promise<void> => {
  if (chunks.fullChunks.length === 0 && chunks.rowIndex < 0) return;
  await mapEngineErrors(async () => {
    flushRows(chunks);
    const appender = await connection.createAppender(chunks.table);
    try {
      for (const chunk of chunks.fullChunks) appender.appendDataChunk(chunk);
      appender.closeSync();
    } catch (error) {
      // An appender left open would flush when it is garbage-collected, into whatever transaction
      // is open then.
      appender.clear();
      throw error;
    }
  });
};

const layouts = new WeakMap<object, Layout>();
const layoutOf = (columns: readonly { readonly type: DuckDBType }[]): Layout => {
  const known = layouts.get(columns);
  if (known !== undefined) return known;
  const types = columns.map(({ type }) => type);
  const layout = { types, logical: types.map((type) => type.toLogicalType().logical_type) };
  layouts.set(columns, layout);
  return layout;
};
