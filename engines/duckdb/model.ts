import { hash } from 'node:crypto';
import type { DuckDBConnection, DuckDBInstance, DuckDBUUIDValue } from '@duckdb/node-api';
import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import { logStart, type Position } from '../../kernel/ports.js';
import type { MetricType } from '../../kernel/records/record.js';
import { openChangedRuns, type ChangedRuns } from './changed-runs.js';
import { openConnections, type ModelConnections, type Statements } from './connections.js';
import { openModelFlush, type ModelFlush } from './flush.js';
import { openFlushMarker } from './flush-marker.js';
import { memoryLimitOf } from './memory-limit.js';
import { misfolded } from './misfolded.js';
import { openColumnCache, type ColumnCache } from './column-cache.js';
import { schemaVersion, tables } from './schema.js';
import { textConstant } from './sql.js';

/** Cached types of a project's metrics outside the registry, at a position. */
export type CachedMetricTypes = {
  readonly position: Position;
  /** Type by name; null = the metric has none. */
  readonly types: Map<string, MetricType | null>;
  /** True if every metric with a type is included. */
  isWhole: boolean;
};

/** Projects whose metric types are cached. */
const typedProjectsMax = 100;

/** One database file: its connections and its in-memory state. */
export type RecordsModel = {
  /** Name of the attached file in qualified table names. */
  readonly catalog: string;
  readonly path: string;
  readonly connections: ModelConnections;
  /** Numbers of the projects that have rows, by id. */
  readonly projects: Map<string, number>;
  /** Markers of features that some row has or had: ids of schema.ts, a few per standard column. */
  readonly markers: Set<string>;
  readonly columnCache: ColumnCache;
  readonly deletedRuns: Set<string>;
  readonly deletedProjects: Set<string>;
  readonly changedRuns: ChangedRuns;
  /** Metric types by project; see metric-types.ts. */
  readonly metricTypes: BoundedMap<string, CachedMetricTypes>;
  /**
   * Characters whose texts must be stored folded, since the engine's `lower` differs from
   * `foldCase`.
   */
  readonly misfolded: RegExp;
  /** Records a committed batch and the rows that it added. */
  readonly recordGrowth: (rows: number) => Promise<void>;
  readonly flush: ModelFlush;
  checkpoint: { readonly position: Position; readonly fence: number };
  /** Counts batches that may change the rows of prefetched ones (see batch-prefetch.ts). */
  invalidations: number;
  /**
   * Resolves once the engine has the rows of the current batch; with false if the batch failed, or
   * if its commit may change the rows of prefetched ones.
   */
  rowsAppended: Promise<boolean>;
  nextGroup: number;
  nextProject: number;
  nextColumn: number;
  close(): Promise<void>;
  /** Releases a file whose engine instance was invalidated. */
  abandon(): Promise<void>;
};

// Small row groups: a checkpoint rewrites the last, half-filled one, and time windows skip whole
// groups.
const rowGroupSize = 20_480;

/**
 * Opens or creates the file; empties a file of another schema, so that its projection starts over.
 */
export const openModel = async (
  instance: DuckDBInstance,
  catalog: string,
  path: string,
): Promise<RecordsModel> => {
  const control = await instance.connect();
  let isAttached = false;
  let connections: ModelConnections | null = null;
  const abandon = async (): Promise<void> => {
    await connections?.abandon().catch(() => undefined);
    control.closeSync();
  };
  try {
    // Without a write-ahead log, which stores each row a second time (D-231).
    const options = `ROW_GROUP_SIZE ${rowGroupSize}, RECOVERY_MODE 'no_wal_writes'`;
    await control.run(`ATTACH ${textConstant(path)} AS ${catalog} (${options})`);
    isAttached = true;
    connections = await openConnections(instance, catalog);
    const marker = await openFlushMarker(path);
    const flush = openModelFlush(connections, { catalog, path, marker });
    const read = { ...(await readModel(connections)), flush };
    // One close at a time: closing a connection under its statement ends the process.
    let ending: Promise<void> | null = null;
    const close = (): Promise<void> => (ending ??= closeModel(read, control, catalog));
    const leave = async (): Promise<void> => {
      if (ending === null) return (ending = abandon());
      await read.connections.abandon().catch(() => undefined);
      await ending.catch(() => undefined);
      control.closeSync();
    };
    const grew = async (rows: number): Promise<void> => {
      await flush.recordWrite(rows);
      await memoryLimitOf(instance)?.recordGrowth(rows);
    };
    return { catalog, path, ...read, recordGrowth: grew, close, abandon: leave };
  } catch (error) {
    await connections?.abandon().catch(() => undefined);
    // The next opening attaches the file under this name again.
    if (isAttached) await control.run(`DETACH ${catalog}`).catch(() => undefined);
    // An open connection would keep the engine and its file.
    control.closeSync();
    throw error;
  }
};

const readModel = async (connections: ModelConnections) => {
  // Flushed at once: other programs, such as the doctor, find the tables in the file.
  if (await connections.write(prepareTables)) await connections.checkpoint();
  const known = await connections.read(readStoredState);
  return {
    connections,
    ...known,
    changedRuns: openChangedRuns(),
    columnCache: openColumnCache(),
    metricTypes: boundedMap<string, CachedMetricTypes>(typedProjectsMax),
    invalidations: 0,
    rowsAppended: Promise.resolve(true),
    misfolded: new RegExp(`[${misfolded}]`, 'u'),
  };
};

const closeModel = async (
  { connections, flush }: Pick<RecordsModel, 'connections' | 'flush'>,
  control: DuckDBConnection,
  catalog: string,
): Promise<void> => {
  // Optional: saves the next opening some folding.
  const isFlushed = await flush
    .run()
    .then(() => connections.checkpoint())
    .then(
      () => true,
      () => false,
    );
  await connections.close();
  try {
    await control.run(`DETACH ${catalog}`);
  } catch (error) {
    // The engine tries to flush once more, and detaches the file whether it can or not.
    if (isFlushed) throw error;
  }
  control.closeSync();
};

/** A column that is added, by whatever table, starts every file over. */
const tablesDigest = hash('sha256', tables.join('\n')).slice(0, 16);

/** Creates the tables unless this version did; returns true if it had to. */
const prepareTables = async ({ rows }: Statements): Promise<boolean> => {
  const version = `${schemaVersion} ${tablesDigest} ${misfolded}`;
  const existing = await rows(
    'SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()',
  );
  if (existing.length > 0) {
    const [stored] = await rows('SELECT version FROM schema_version');
    if (stored?.[0] === version) return false;
    for (const [name] of existing) await rows(`DROP TABLE ${String(name)}`);
  }
  for (const table of tables) await rows(table);
  await rows(`INSERT INTO schema_version VALUES ('${version}')`);
  await rows(`INSERT INTO mark VALUES ('${logStart}', 0)`);
  return true;
};

const readStoredState = async ({ rows }: Statements) => {
  const projects = await rows('SELECT id, number FROM projects');
  const seen = await rows('SELECT id FROM columns WHERE project IS NULL');
  const [numbers] = await rows(
    'SELECT (SELECT max(number) FROM projects), (SELECT max(number) FROM columns)',
  );
  const deleted = await rows('SELECT kind, id FROM deleted');
  const [checkpoint] = await rows('SELECT position, fence FROM mark');
  const [last] = await rows('SELECT max(grp) FROM groups');
  const deletedOf = (wanted: string) =>
    new Set(deleted.filter(([kind]) => kind === wanted).map(([, id]) => String(id)));
  return {
    projects: new Map(
      projects.map(([id, number]) => [String(id as DuckDBUUIDValue), Number(number)]),
    ),
    markers: new Set(seen.map(([id]) => String(id))),
    deletedRuns: deletedOf('run'),
    deletedProjects: deletedOf('project'),
    checkpoint: {
      position: String(checkpoint?.[0] ?? logStart) as Position,
      fence: Number(checkpoint?.[1] ?? 0),
    },
    nextGroup: Number(last?.[0] ?? 0) + 1,
    nextProject: Number(numbers?.[0] ?? 0) + 1,
    nextColumn: Number(numbers?.[1] ?? 0) + 1,
  };
};
