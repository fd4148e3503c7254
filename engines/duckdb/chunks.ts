import { DuckDBDataChunk, type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';
import bindings, { type LogicalType } from '@duckdb/node-bindings';
import { cellsOf, chunkRows, fillNull, type Cell, type CellColumn } from './cells.js';
import { attempt } from './connections.js';

type Layout = { readonly types: readonly DuckDBType[]; readonly logical: readonly LogicalType[] };
/** Of each column its cells; none: all of them are null. */
type Columns = (CellColumn | undefined)[];

/** Rows on their way into a table, column by column: what is not set is null. */
export type Chunks = {
  readonly table: string;
  readonly layout: Layout;
  /** With the engine already. */
  readonly full: DuckDBDataChunk[];
  columns: Columns;
  /** The row at hand, of `columns`; -1 before the first. */
  at: number;
};

export const chunksFor = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): Chunks => ({ table, layout: layoutOf(columns), full: [], columns: [], at: -1 });

/** Opens the next row, for `setCell`. */
export const nextRow = (chunks: Chunks): void => {
  chunks.at += 1;
  if (chunks.at < chunkRows) return;
  chunks.full.push(filled(chunks, chunkRows));
  chunks.columns = [];
  chunks.at = 0;
};

export const setCell = ({ columns, layout, at }: Chunks, column: number, value: Cell): void => {
  const cells = (columns[column] ??= cellsOf(layout.types[column] as DuckDBType));
  cells.put(at, value);
};

export const addRow = (chunks: Chunks, values: readonly (Cell | null)[]): void => {
  nextRow(chunks);
  for (let column = 0; column < values.length; column += 1) {
    const value = values[column];
    if (value !== null && value !== undefined) setCell(chunks, column, value);
  }
};

/** Gives the engine the rows that fill no chunk: none of them is held here any more. */
export const finish = (chunks: Chunks): void => {
  if (chunks.at < 0) return;
  chunks.full.push(filled(chunks, chunks.at + 1));
  chunks.columns = [];
  chunks.at = -1;
};

/** Within the transaction at hand, all of them or none. */
export const append = async (connection: DuckDBConnection, chunks: Chunks): Promise<void> => {
  if (chunks.full.length === 0 && chunks.at < 0) return;
  await attempt(async () => {
    finish(chunks);
    const appender = await connection.createAppender(chunks.table);
    try {
      for (const chunk of chunks.full) appender.appendDataChunk(chunk);
      appender.closeSync();
    } catch (error) {
      // It would write what it holds when it is collected, in whatever transaction there is then.
      appender.clear();
      throw error;
    }
  });
};

const filled = ({ layout, columns }: Chunks, rows: number): DuckDBDataChunk => {
  const { types, logical } = layout;
  const chunk = new DuckDBDataChunk(bindings.create_data_chunk(logical));
  chunk.rowCount = rows;
  for (const [column, type] of types.entries()) {
    const cells = columns[column];
    if (cells !== undefined) cells.copyTo(chunk, column, rows);
    else fillNull(chunk, column, type);
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
