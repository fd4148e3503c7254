import {
  DuckDBDataChunk,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { attempt } from './connections.js';

// What the engine takes in one chunk.
const chunkRows = 2_048;

/** Appends within the transaction at hand. `cut` gives the columns of the rows from (inclusive) to (exclusive). */
export const appendColumns = async (
  connection: DuckDBConnection,
  table: string,
  columns: readonly { readonly type: DuckDBType }[],
  count: number,
  cut: (from: number, to: number) => readonly (readonly DuckDBValue[])[],
): Promise<void> => {
  if (count === 0) return;
  const types = columns.map(({ type }) => type);
  const chunks = Array.from({ length: Math.ceil(count / chunkRows) }, (_, at) => at * chunkRows);
  await attempt(async () => {
    const appender = await connection.createAppender(table);
    for (const from of chunks) {
      const chunk = DuckDBDataChunk.create(types);
      chunk.setColumns(cut(from, Math.min(from + chunkRows, count)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  });
};
