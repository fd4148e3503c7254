import {
  DuckDBDataChunk,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { attempt } from './connections.js';

// What the engine takes in one chunk.
const chunkRows = 2_048;
/** Most batches are small: columns begin with so many rows and grow. */
const firstRows = 64;

/** Rows on their way into a table, column by column: what is not set is null. */
export type Chunks = {
  readonly table: string;
  readonly types: readonly DuckDBType[];
  readonly full: DuckDBValue[][][];
  columns: DuckDBValue[][];
  /** Row of `columns` that `set` fills; -1 before the first. */
  at: number;
};

export const chunksFor = (
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
): Chunks => ({ table, types: columns.map(({ type }) => type), full: [], columns: [], at: -1 });

/** Opens the next row; its cells are `columns[…][at]`. */
export const nextRow = (chunks: Chunks): number => {
  chunks.at += 1;
  if (chunks.at === chunkRows) {
    chunks.full.push(chunks.columns);
    chunks.columns = [];
    chunks.at = 0;
  }
  const rows = chunks.columns[0]?.length ?? 0;
  if (chunks.at === rows) {
    const more = Array<null>(Math.min(chunkRows, Math.max(firstRows, 4 * rows)) - rows).fill(null);
    chunks.columns = chunks.types.map((_, column) => (chunks.columns[column] ?? []).concat(more));
  }
  return chunks.at;
};

export const addRow = (chunks: Chunks, values: readonly DuckDBValue[]): void => {
  const at = nextRow(chunks);
  values.forEach((value, column) => {
    const cells = chunks.columns[column];
    if (cells !== undefined) cells[at] = value;
  });
};

/** Within the transaction at hand. */
export const append = async (connection: DuckDBConnection, chunks: Chunks): Promise<void> => {
  if (chunks.at < 0) return;
  const last = chunks.columns.map((cells) => cells.slice(0, chunks.at + 1));
  await attempt(async () => {
    const appender = await connection.createAppender(chunks.table);
    for (const columns of [...chunks.full, last]) {
      const chunk = DuckDBDataChunk.create(chunks.types);
      chunk.setColumns(columns);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  });
};
