import type { DuckDBInstance } from '@duckdb/node-api';

// Index blocks stay in memory once read and count against the engine's limit. Under a fixed limit,
// record look-ups would in time leave no memory for queries, and at last none for the next batch
// (D-182).

/** Bytes per row of a fully loaded index, by table. */
const indexBytes: Readonly<Record<string, number>> = {
  sessions: 40,
  traces: 40,
  spans: 20,
  texts: 20,
  groups: 120,
};
/** Index memory included in the engine's own limit. */
const includedMb = 32;
/** Growth in rows that fits the included memory: the limit is not adjusted below it. */
const unrecordedRowsMax = 100_000;

/** Memory limit of one engine: its own limit plus what its indexes may take. */
type MemoryLimit = {
  /** Counts rows added to its files. */
  readonly recordGrowth: (rows: number) => Promise<void>;
  /** Sets the limit for the present files. */
  readonly adjust: () => Promise<void>;
};

const limitsByInstance = new WeakMap<DuckDBInstance, MemoryLimit>();

/** Opens the limit of an engine that was opened with `megabytes`. */
export const openMemoryLimit = (instance: DuckDBInstance, megabytes: number): MemoryLimit => {
  let unrecordedRows = 0;
  const set = async (): Promise<void> => {
    const connection = await instance.connect();
    try {
      const found = await connection.runAndReadAll(
        'SELECT table_name, estimated_size FROM duckdb_tables()',
      );
      const bytes = found
        .getRows()
        .reduce((sum, [table, rows]) => sum + (indexBytes[String(table)] ?? 0) * Number(rows), 0);
      const more = Math.max(0, Math.ceil(bytes / 1e6) - includedMb);
      await connection.run(`SET memory_limit = '${megabytes + more}MB'`);
    } finally {
      connection.closeSync();
    }
  };
  const adjust = async (): Promise<void> => {
    unrecordedRows = 0;
    // The engine rejects a limit below current use: retried at the next growth. Never fails the
    // batch, which is committed already.
    await set().catch(() => undefined);
  };
  const memory: MemoryLimit = {
    recordGrowth: async (rows) => {
      unrecordedRows += rows;
      if (unrecordedRows >= unrecordedRowsMax) await adjust();
    },
    adjust,
  };
  limitsByInstance.set(instance, memory);
  return memory;
};

export const memoryLimitOf = (instance: DuckDBInstance): MemoryLimit | null =>
  limitsByInstance.get(instance) ?? null;
