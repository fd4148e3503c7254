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
  /** Full chunks, already handed to the engine. */
  readonly fullChunks: DuckDBDataChunk[];
  columns: Columns;
  /** Index of the current row in `columns`; -1 before the first. */
  rowIndex: number;
};

export const openChunkBuffer = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): ChunkBuffer => ({ table, layout: layoutOf(columns), fullChunks: [], columns: [], rowIndex: -1 });

/** Starts the next row, for `setCell`. */
export const beginRow = (chunks: ChunkBuffer): void => {
  chunks.rowIndex += 1;
  if (chunks.rowIndex < chunkRows) return;
  chunks.fullChunks.push(buildChunk(chunks, chunkRows));
  chunks.columns = [];
  chunks.rowIndex = 0;
};

export const setCell = (
  { columns, layout, rowIndex }: ChunkBuffer,
  column: number,
  value: CellValue,
): void => {
  const cells = (columns[column] ??= openColumnVector(layout.types[column] as DuckDBType));
  cells.put(rowIndex, value);
};

export const addRow = (chunks: ChunkBuffer, values: readonly (CellValue | null)[]): void => {
  beginRow(chunks);
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column];
    if (value !== null && value !== undefined) setCell(chunks, column, value);
  }
};

/** Hands the last, partial chunk to the engine; the buffer then holds no rows. */
export const flushRows = (chunks: ChunkBuffer): void => {
  if (chunks.rowIndex < 0) return;
  chunks.fullChunks.push(buildChunk(chunks, chunks.rowIndex + 1));
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

const buildChunk = ({ layout, columns }: ChunkBuffer, rows: number): DuckDBDataChunk => {
  const { types, logical } = layout;
  const chunk = new DuckDBDataChunk(bindings.create_data_chunk(logical));
  chunk.rowCount = rows;
  for (const [column, type] of types.entries()) {
    const cells = columns[column];
    if (cells !== undefined) cells.copyTo(chunk, column, rows);
    else writeNulls(chunk, column, type);
  }
  return chunk;
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
