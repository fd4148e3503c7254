import { workerData, type MessagePort } from 'node:worker_threads';
import type { StoredCells, ContentTable } from '../../kernel/dataset-content.js';
import { serveCalls } from '../node/thread-rpc.js';
import { parseTable, type TableFile, type TableFormat } from './parse-table.js';

/** Reader of one file: `read` returns its columns, then `rows` its rows. */
export type TableReader = {
  read(file: TableFile, format: TableFormat | null): Promise<readonly string[]>;
  rows(): AsyncIterable<StoredCells>;
};

let table: ContentTable = { columns: [], rows: [] };
const reader: TableReader = {
  read: async (file, format) => {
    table = await parseTable(file, format);
    return table.columns;
  },
  rows: async function* rows() {
    yield* table.rows;
  },
};
serveCalls(workerData as MessagePort, reader);
