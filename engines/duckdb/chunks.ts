import {
  DuckDBDataChunk,
  DuckDBListType,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import { attempt } from './connections.js';

// What the engine takes in one chunk.
const chunkRows = 2_048;

/** Of each column its cells as far as they were set, null between; none: all of them are null. */
type Columns = (DuckDBValue[] | undefined)[];

/** Rows on their way into a table, column by column: what is not set is null. */
export type Chunks = {
  readonly table: string;
  readonly types: readonly DuckDBType[];
  readonly full: Columns[];
  columns: Columns;
  /** The row at hand, of `columns`; -1 before the first. */
  at: number;
};

export const chunksFor = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): Chunks => ({ table, types: columns.map(({ type }) => type), full: [], columns: [], at: -1 });

/** Opens the next row, for `setCell`. */
export const nextRow = (chunks: Chunks): void => {
  chunks.at += 1;
  if (chunks.at < chunkRows) return;
  chunks.full.push(chunks.columns);
  chunks.columns = [];
  chunks.at = 0;
};

export const setCell = ({ columns, at }: Chunks, column: number, value: DuckDBValue): void => {
  lengthened((columns[column] ??= []), at)[at] = value;
};

export const addRow = (chunks: Chunks, values: readonly DuckDBValue[]): void => {
  nextRow(chunks);
  for (const [column, value] of values.entries()) setCell(chunks, column, value);
};

/** Within the transaction at hand. */
export const append = async (connection: DuckDBConnection, chunks: Chunks): Promise<void> => {
  if (chunks.at < 0) return;
  await attempt(async () => {
    const appender = await connection.createAppender(chunks.table);
    for (const columns of chunks.full) {
      appender.appendDataChunk(filled(chunks.types, columns, chunkRows));
    }
    appender.appendDataChunk(filled(chunks.types, chunks.columns, chunks.at + 1));
    appender.closeSync();
  });
};

const filled = (types: readonly DuckDBType[], columns: Columns, rows: number): DuckDBDataChunk => {
  const chunk = DuckDBDataChunk.create(types, rows);
  for (const [column, type] of types.entries()) {
    const cells = columns[column];
    if (cells === undefined && !(type instanceof DuckDBListType)) setNull(chunk, column);
    else chunk.setColumnValues(column, lengthened(cells ?? [], rows));
  }
  return chunk;
};

const lengthened = (cells: DuckDBValue[], rows: number): DuckDBValue[] => {
  while (cells.length < rows) cells.push(null);
  return cells;
};

/** A bit for each row of a chunk, none of them valid. */
const noneValid = new ArrayBuffer(chunkRows / 8);

/** Half of a record's columns have no value, and the library asks for each cell of them. */
const setNull = ({ chunk }: DuckDBDataChunk, column: number): void => {
  const vector = bindings.data_chunk_get_vector(chunk, column);
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, noneValid, 0, noneValid.byteLength);
};
