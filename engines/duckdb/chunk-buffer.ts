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
/** Of each column its cells; none: all of them are null. */
type Columns = (ColumnVector | undefined)[];

/** Rows on their way into a table, column by column: what is not set is null. */
export type ChunkBuffer = {
  readonly table: string;
  readonly layout: Layout;
  /** With the engine already. */
  readonly fullChunks: DuckDBDataChunk[];
  columns: Columns;
  /** The row at hand, of `columns`; -1 before the first. */
  rowIndex: number;
};

export const openChunkBuffer = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): ChunkBuffer => ({ table, layout: layoutOf(columns), fullChunks: [], columns: [], rowIndex: -1 });

/** Opens the next row, for `setCell`. */
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

/** Gives the engine the rows that fill no chunk: none of them is held here any more. */
export const flushRows = (chunks: ChunkBuffer): void => {
  if (chunks.rowIndex < 0) return;
  chunks.fullChunks.push(buildChunk(chunks, chunks.rowIndex + 1));
  chunks.columns = [];
  chunks.rowIndex = -1;
};

/** Within the transaction at hand, all of them or none. */
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
      // It would write what it holds when it is collected, in whatever transaction there is then.
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
