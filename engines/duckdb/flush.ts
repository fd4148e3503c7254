import { statfs, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ModelConnections } from './connections.js';
import { mapEngineErrors } from './connections.js';
import type { FlushMarker } from './flush-marker.js';
import { tableOf } from './schema.js';

// A file has no write-ahead log (D-231): a batch is in memory until the next flush, a CHECKPOINT
// statement, writes all rows and the position into the file. A crash takes both back to the last
// flush together, and the log is folded again from there.

/** Flushes of one file. */
export type ModelFlush = {
  /**
   * Makes all applied batches durable; no-op if they are. Throws Fault `unavailable`; without
   * trying if the disk lacks room, since a flush that fails costs the engine its file.
   */
  readonly run: () => Promise<void>;
  /** Runs if a crash would cost more than `unflushedMax`; to be called before a write. */
  readonly runIfDue: () => Promise<void>;
  /**
   * True if a flush of this file was cut off by a crash or a full disk: it has bytes of rows that
   * may never be folded again, such as those of a trace that was erased meanwhile.
   */
  readonly wasCutOff: boolean;
  /** Throws Fault `unavailable` if the disk may lack room for a copy of the rows of this file. */
  readonly requireRoomForCopy: () => Promise<void>;
  /** Refuses to flush for so long: the disk refused a flush although `statfs` showed room. */
  readonly postpone: (delayMs: number) => void;
  /** Records a committed batch. */
  readonly recordWrite: (rows: number) => Promise<void>;
};

/**
 * Limits of what a crash takes back. `rows`: about a row group, the unit that a flush writes, and a
 * second of folding; with fewer, a flush would mostly rewrite the half-filled group of the one
 * before. `bytes`: they are in the engine's memory until the flush.
 */
const unflushedMax = { rows: 20_000, bytes: 48 * 1024 * 1024 };
/** Rows that a batch counts as at least: it may skip up to 500 events that a crash repeats. */
const batchRowsMin = 10;
/** Writes between two measurements of the bytes: a batch is folded from 2 MiB of the log. */
const measureEvery = { rows: 2_000, batches: 16 };

export const openModelFlush = (
  connections: Pick<ModelConnections, 'checkpoint' | 'maintain'>,
  { catalog, path, marker }: FlushedFile,
): ModelFlush => {
  let unflushed = nothing;
  let unmeasured = nothing;
  let bytes = 0;
  /** Bytes after the first batch since the flush: each column of a table has a block by then. */
  let base: number | null = null;
  let postponedUntil = -Infinity;
  const requireNotPostponed = async (): Promise<void> => {
    const seconds = Math.ceil((postponedUntil - performance.now()) / 1_000);
    if (seconds <= 0) return;
    throw noRoom(`the disk or its quota refused the last flush; the next one is in ${seconds} s`);
  };
  const measure = async (): Promise<void> => {
    unmeasured = nothing;
    const [row] = await connections.maintain(unflushedBytesSql);
    const measured = Number(row?.[0] ?? 0);
    base ??= measured;
    bytes = Math.max(0, measured - base);
  };
  const run = async (): Promise<void> => {
    if (unflushed.batches === 0) return;
    // Also before a refusal: the engine flushes once more when the file is closed.
    await mapEngineErrors(marker.write);
    await mapEngineErrors(requireNotPostponed);
    await measure();
    await mapEngineErrors(() => requireRoom(path, bytes));
    const { batches, rows } = unflushed;
    await connections.checkpoint();
    await mapEngineErrors(marker.clear);
    // Batches that were committed meanwhile may not be in the file.
    unflushed = { batches: unflushed.batches - batches, rows: unflushed.rows - rows };
    [bytes, base] = [0, null];
  };
  return {
    run,
    runIfDue: async () => {
      if (unflushed.rows >= unflushedMax.rows || bytes >= unflushedMax.bytes) await run();
    },
    wasCutOff: marker.wasCutOff,
    requireRoomForCopy: async () => {
      await mapEngineErrors(requireNotPostponed);
      await measure();
      const [row] = await connections.maintain(copyBytesSql(catalog));
      const wanted = bytes + Number(row?.[0] ?? 0) + copyMarginBytes;
      await mapEngineErrors(() => requireRoom(path, wanted, 0));
    },
    postpone: (delayMs) => {
      postponedUntil = performance.now() + delayMs;
    },
    recordWrite: async (rows) => {
      const counted = Math.max(rows, batchRowsMin);
      unflushed = { batches: unflushed.batches + 1, rows: unflushed.rows + counted };
      unmeasured = { batches: unmeasured.batches + 1, rows: unmeasured.rows + rows };
      const isDue =
        base === null ||
        unmeasured.batches >= measureEvery.batches ||
        unmeasured.rows >= measureEvery.rows;
      // Never fails the batch, which is committed already.
      if (isDue) await measure().catch(() => undefined);
    },
  };
};

type FlushedFile = {
  readonly catalog: string;
  readonly path: string;
  readonly marker: FlushMarker;
};

const nothing = { batches: 0, rows: 0 };

/** Bytes of rows that no file has yet, of all files of the engine. */
const unflushedBytesSql = `
  SELECT sum(memory_usage_bytes + temporary_storage_bytes) FROM duckdb_memory()
  WHERE tag IN ('IN_MEMORY_TABLE', 'OVERFLOW_STRINGS')`;

/**
 * Bytes of the blocks in use, deleted rows left out: a block keeps those. Twice the share of rows
 * that are left is counted, at most all, since rows differ in size.
 */
const copyBytesSql = (catalog: string): string => {
  const names = Object.values(tableOf);
  const counts = names.map((name) => `SELECT count(*) AS rows FROM ${catalog}.${name}`);
  return `
    SELECT (used_blocks * block_size * least(1, 2 * live / greatest(stored, 1)))::BIGINT
    FROM pragma_database_size(),
      (SELECT sum(rows) AS live FROM (${counts.join(' UNION ALL ')})),
      (SELECT sum(estimated_size) AS stored FROM duckdb_tables()
        WHERE database_name = '${catalog}' AND table_name IN ('${names.join("', '")}'))
    WHERE database_name = '${catalog}'`;
};
/** Bytes that a copy of few rows takes: each column of each table begins a block. */
const copyMarginBytes = 8 * 1024 * 1024;

/** Most bytes of the half-filled row groups and indexes that a flush rewrites. */
const rewrittenBytesMax = 32 * 1024 * 1024;

/** Throws ENOSPC if the disk may lack room for so many bytes and those that are rewritten. */
const requireRoom = async (
  path: string,
  bytes: number,
  rewrittenMax = rewrittenBytesMax,
): Promise<void> => {
  const [{ bavail, bsize }, { size }] = await Promise.all([statfs(dirname(path)), stat(path)]);
  const wanted = bytes + Math.min(size, rewrittenMax);
  const free = bavail * bsize;
  if (free >= wanted) return;
  throw noRoom(
    `the records need ${wanted} bytes of disk for a flush or copy, and ${free} are free`,
  );
};

const noRoom = (problem: string): Error =>
  Object.assign(new Error(`ENOSPC: ${problem}. Make room for the data folder`), { code: 'ENOSPC' });
