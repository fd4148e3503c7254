import type { DuckDBInstance } from '@duckdb/node-api';

// Where somebody looked into an index, it stays in memory and counts against the limit of the
// engine. Under a limit that stays, looking up records one after the other would leave nothing to
// any question, and at last not to the next batch either (D-182).

/** What an index takes for a row of its table once all of it is in memory. */
const indexBytes: Readonly<Record<string, number>> = {
  sessions: 40,
  traces: 40,
  spans: 20,
  texts: 20,
  groups: 120,
};
/** Of indexes there is room for so much in what the engine is given anyway. */
const includedMb = 32;
/** More rows than these take no more than that room. */
const unrecordedRowsMax = 100_000;

/** The memory of one engine: what it was given, and on top of that what its indexes may take. */
type MemoryLimit = {
  /** So many rows more lie in its files. */
  readonly recordGrowth: (rows: number) => Promise<void>;
  /** As its files are now. */
  readonly adjust: () => Promise<void>;
};

const limitsByInstance = new WeakMap<DuckDBInstance, MemoryLimit>();

/** Of an engine that was opened with that limit. */
export const openMemoryLimit = (instance: DuckDBInstance, megabytes: number): MemoryLimit => {
  let unnoticed = 0;
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
  const fit = async (): Promise<void> => {
    unnoticed = 0;
    // Less than what is in use cannot be set: another time. Nothing of it is the batch's failure,
    // which is committed by then.
    await set().catch(() => undefined);
  };
  const memory: MemoryLimit = {
    recordGrowth: async (rows) => {
      unnoticed += rows;
      if (unnoticed >= unrecordedRowsMax) await fit();
    },
    adjust: fit,
  };
  limitsByInstance.set(instance, memory);
  return memory;
};

export const memoryLimitOf = (instance: DuckDBInstance): MemoryLimit | null =>
  limitsByInstance.get(instance) ?? null;
