import type { DuckDBConnection, DuckDBInstance, DuckDBUUIDValue } from '@duckdb/node-api';
import { boundedMap, type BoundedMap } from '../../kernel/bounded-map.js';
import { foldCase, caseFoldings } from '../../kernel/case-fold.js';
import { logStart, type Position } from '../../kernel/ports.js';
import type { MetricType } from '../../kernel/records/record.js';
import { openChangedRuns, type ChangedRuns } from './changed-runs.js';
import { openConnections, type ModelConnections, type Statements } from './connections.js';
import { memoryLimitOf } from './memory-limit.js';
import { openColumnCache, type ColumnCache } from './column-cache.js';
import { schemaVersion, tables } from './schema.js';
import { textConstant } from './sql.js';

/** What was found of the types of a project's metrics outside the registry, as of a position. */
export type CachedMetricTypes = {
  readonly position: Position;
  /** Null = the metric has none. */
  readonly types: Map<string, MetricType | null>;
  /** Every metric that has one is among them. */
  isWhole: boolean;
};

/** Projects whose metric types are remembered. */
const typedProjectsMax = 100;

/** One file: its connections and what is kept of it in memory. */
export type RecordsModel = {
  /** What its tables are called by from elsewhere. */
  readonly catalog: string;
  readonly path: string;
  readonly connections: ModelConnections;
  /** Numbers that stand for the ids of projects that have rows. */
  readonly projects: Map<string, number>;
  /** What some row has or had: ids of schema.ts, a few for each standard column. */
  readonly markers: Set<string>;
  readonly columnCache: ColumnCache;
  readonly deletedRuns: Set<string>;
  readonly deletedProjects: Set<string>;
  readonly changedRuns: ChangedRuns;
  /** By project; see metric-types.ts. */
  readonly metricTypes: BoundedMap<string, CachedMetricTypes>;
  /**
   * A text with one of these must be stored folded: the engine's `lower` would not fold it as
   * `foldCase` does.
   */
  readonly misfolded: RegExp;
  /** So many rows more lie in the file. */
  readonly recordGrowth: (rows: number) => Promise<void>;
  checkpoint: { readonly position: Position; readonly fence: number };
  /**
   * Counts batches after which the rows of others may have to look different (see
   * batch-prefetch.ts).
   */
  invalidations: number;
  /**
   * The rows of the batch that is being applied are with the engine. False: they never will be, or
   * others may have to look different once they are committed.
   */
  rowsAppended: Promise<boolean>;
  nextGroup: number;
  nextProject: number;
  nextColumn: number;
  close(): Promise<void>;
  /** Lets go of a file that the engine has given up. */
  abandon(): Promise<void>;
};

// Small row groups: a checkpoint writes the last, half-filled one again, and windows skip whole
// groups by their time.
const rowGroupSize = 20_480;

/**
 * Opens the file or makes an empty one; a file of another schema is emptied, so that its projection
 * starts over.
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
    await control.run(
      `ATTACH ${textConstant(path)} AS ${catalog} (ROW_GROUP_SIZE ${rowGroupSize})`,
    );
    isAttached = true;
    connections = await openConnections(instance, catalog);
    const read = await readModel(connections);
    // One of them at a time: a connection that is closed under its statement ends the process.
    let ending: Promise<void> | null = null;
    const close = (): Promise<void> => (ending ??= closeModel(read, control, catalog));
    const leave = async (): Promise<void> => {
      if (ending === null) return (ending = abandon());
      await read.connections.abandon().catch(() => undefined);
      await ending.catch(() => undefined);
      control.closeSync();
    };
    const grew = async (rows: number): Promise<void> => memoryLimitOf(instance)?.recordGrowth(rows);
    return { catalog, path, ...read, recordGrowth: grew, close, abandon: leave };
  } catch (error) {
    await connections?.abandon().catch(() => undefined);
    // The next one who opens the file attaches it under this name again.
    if (isAttached) await control.run(`DETACH ${catalog}`).catch(() => undefined);
    // An open connection would keep the engine and its file.
    control.closeSync();
    throw error;
  }
};

const readModel = async (connections: ModelConnections) => {
  const misfolded = await readMisfoldedOnce(connections);
  await connections.write((statements) => prepareTables(statements, misfolded));
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
  { connections }: Pick<RecordsModel, 'connections'>,
  control: DuckDBConnection,
  catalog: string,
): Promise<void> => {
  // Only saves the next opening some reading: what is not in the file is in the log beside it.
  await connections.maintain(`CHECKPOINT ${catalog}`).catch(() => undefined);
  await connections.close();
  await control.run(`DETACH ${catalog}`);
  control.closeSync();
};

/** `readMisfolded` once per thread: it depends on the engine and not on the file. */
const readMisfoldedOnce = async (connections: ModelConnections): Promise<string> => {
  if (misfoldedCache !== null) return misfoldedCache;
  const misfolded = await connections.read(readMisfolded);
  misfoldedCache = misfolded;
  return misfolded;
};
let misfoldedCache: string | null = null;

/**
 * The code points that `lower` of this engine and `foldCase` of this runtime treat differently, as
 * a character class.
 */
const readMisfolded = async ({ rows }: Statements): Promise<string> => {
  const lowered = await rows(
    `SELECT one, lower(one) FROM (
       SELECT chr(CAST(unnest(range(1, 55296) || range(57344, 131072)) AS INTEGER)) AS one
     ) WHERE lower(one) <> one`,
  );
  const lower = new Map(lowered.map(([character, lower]) => [String(character), String(lower)]));
  return [...new Set([...lower.keys(), ...caseFoldings().keys()])]
    .filter((character) => (lower.get(character) ?? character) !== foldCase(character))
    .sort()
    .map((character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .join('');
};

const prepareTables = async ({ rows }: Statements, misfolded: string): Promise<void> => {
  const version = `${schemaVersion} ${misfolded}`;
  const existing = await rows(
    'SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()',
  );
  if (existing.length > 0) {
    const [stored] = await rows('SELECT version FROM schema_version');
    if (stored?.[0] === version) return;
    for (const [name] of existing) await rows(`DROP TABLE ${String(name)}`);
  }
  for (const table of tables) await rows(table);
  await rows(`INSERT INTO schema_version VALUES ('${version}')`);
  await rows(`INSERT INTO mark VALUES ('${logStart}', 0)`);
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
