import { join } from 'node:path';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { openDatabase, type Database } from './database.js';
import { corruptionError } from './document-checksums.js';
import { hasChecksums, checksumsSchema } from './event-checksums.js';
import { schemaDifference, schemaShapeOf, type SchemaShape } from './log-schema-check.js';

export const logFile = (dir: string): string => join(dir, 'log.sqlite');

/** Oldest safe SQLite version: below it the WAL-reset bug can corrupt a WAL database. */
const sqliteFloor = '3.51.3';
/**
 * Layout of the file. A build rejects an unknown layout; events of layout 1 had no salt and no
 * digest, and are migrated when the log is opened for writing.
 */
const layout = 2;
const unsaltedLayout = 1;
/**
 * Events of 10 KB take two pages of 8 KiB but three of 4, each with a write and a checksum of its
 * own: measured, a fifth less processor time per event; 1 KB events cost the same.
 */
const pageBytes = 8_192;
/**
 * Size to which a WAL that grew under load is truncated: below it, it is overwritten in place,
 * which is faster.
 */
const walBytesKept = 64 * 1024 * 1024;

/**
 * One table of events, with an index that finds those of a few types without reading the others,
 * which may be millions. `pos` is assigned under the single writer's lock inside the commit, so a
 * reader never sees a later position before an earlier one. An erased stream is listed in `erased`,
 * with the position of the erasure; its events keep all but data, which is empty then, and salt.
 * `high_water` is the last position where erasures of layout 1 removed whole events; `probe` is
 * written to test a full disk. `salt` and `digest` are null for events of layout 1.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS events (
    pos INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    rev INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    salt BLOB,
    digest BLOB,
    UNIQUE (stream, rev)
  );
  CREATE INDEX IF NOT EXISTS events_type ON events (type);
  CREATE TABLE IF NOT EXISTS erased (stream TEXT PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS high_water (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    pos INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY CHECK (one = 1), filler BLOB NOT NULL);
  INSERT OR IGNORE INTO high_water VALUES (1, 0);
  ${checksumsSchema}
`;

const saltColumns = `
  ALTER TABLE events ADD COLUMN salt BLOB;
  ALTER TABLE events ADD COLUMN digest BLOB;
`;
const withoutSalts = `
  ALTER TABLE events DROP COLUMN digest;
  ALTER TABLE events DROP COLUMN salt;
`;
/** Entries that a log of an earlier build may lack until it is opened for writing. */
const laterEntries: ReadonlySet<string> = new Set([
  'index events_type',
  'table probe',
  'table sums',
]);

const shapeOfSchema = (sql: string): SchemaShape => {
  const database = openDatabase(':memory:');
  try {
    database.exec(sql);
    return schemaShapeOf(database);
  } finally {
    database.close();
  }
};
let knownShapes: Readonly<Record<number, SchemaShape>> | null = null;

/**
 * Throws for a file whose schema or layout is not one that a build creates: SQLite accepts many
 * changed bytes of its text, and names that differ in case, where this service finds no column.
 * Throws Fault `unavailable` for the layout of a newer build. A file without tables is accepted.
 */
const checkSchema = (dir: string, database: Database): void => {
  const { found, number, pages } = database.transaction('deferred', () => ({
    found: schemaShapeOf(database),
    number: Number(database.pragma('user_version')),
    pages: Number(database.pragma('page_count')),
  }));
  if (number > layout) {
    throw new Fault('unavailable', `${logFile(dir)} has layout ${number}, not ${layout}`);
  }
  if (found.size === 0 && pages <= 1) return;
  knownShapes ??= {
    [unsaltedLayout]: shapeOfSchema(`${schema}; ${withoutSalts}`),
    [layout]: shapeOfSchema(schema),
  };
  const shape = knownShapes[number];
  const difference =
    shape === undefined
      ? `user_version is ${number}, not ${layout}`
      : schemaDifference(found, shape, laterEntries);
  if (difference !== null) throw corruptionError(`malformed database schema (${difference})`);
};

/**
 * True if events have salts: a log of layout 1 may be read before it is first opened for writing.
 */
export const isSalted = (database: Database): boolean =>
  Number(database.pragma('user_version')) > unsaltedLayout;

/** True if the log has all columns and tables of this build. */
export const isCurrent = (database: Database): boolean =>
  isSalted(database) && hasChecksums(database);

const isMarked = 'EXISTS (SELECT 1 FROM erased WHERE erased.stream = events.stream)';

/**
 * Columns of a `FullEventRow` in a query of `events`, null where a log of an earlier build has
 * none. `marked` is looked up for erased content only.
 */
export const fullColumns = (database: Database): string => {
  const digest = isSalted(database) ? 'salt, digest' : 'NULL AS salt, NULL AS digest';
  return `pos, stream, rev, id, type, data, metadata, ${digest}, ${sumColumn(database)},
    CASE WHEN data <> '' THEN 0 ELSE ${isMarked} END AS marked`;
};

/** Same without content, as if it were erased, where a digest covers it. */
export const envelopeColumns = (database: Database): string => {
  const rest = isSalted(database)
    ? `CASE WHEN digest IS NULL THEN data ELSE '' END AS data, digest`
    : 'data, NULL AS digest';
  const sum = sumColumn(database);
  return `pos, stream, rev, id, type, metadata, NULL AS salt,
    CASE WHEN data <> '' THEN 1 ELSE ${isMarked} END AS marked, ${rest}, ${sum}`;
};

const sumColumn = (database: Database): string =>
  hasChecksums(database)
    ? '(SELECT sum FROM sums WHERE sums.pos = events.pos) AS sum'
    : 'NULL AS sum';

/**
 * Opens the writer's connection. The write-ahead log mode (WAL) silently turns `synchronous` down
 * to NORMAL, which loses acknowledged events in a power cut; so FULL is set after it and asserted
 * once a first write has shown what is really in force. Throws when the library is too old, when
 * the file has another layout or a damaged schema, or when that first write fails.
 */
export const openForWriting = (dir: string): Database => {
  const database = openDatabase(logFile(dir));
  return orClosed(database, () => prepareForWriting(dir, database));
};

const prepareForWriting = (dir: string, database: Database): void => {
  const version = String(database.prepareValue('SELECT sqlite_version()').get());
  if (isOlder(version, sqliteFloor)) {
    throw new Fault('unavailable', `SQLite ${version} can corrupt a log; ${sqliteFloor} is needed`);
  }
  checkSchema(dir, database);
  const found = database.pragma('user_version');
  database.pragma(`page_size = ${pageBytes}`);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('secure_delete = ON');
  database.pragma('wal_autocheckpoint = 0');
  database.pragma(`journal_size_limit = ${walBytesKept}`);
  database.pragma('cache_size = -65536');
  const salted = found === unsaltedLayout ? saltColumns : '';
  database.exec(
    `BEGIN IMMEDIATE; ${schema}; ${salted} UPDATE high_water SET pos = pos;
     PRAGMA user_version = ${layout}; COMMIT`,
  );
  if (database.pragma('synchronous') !== 2) {
    throw new Fault('unavailable', 'the log does not sync at commit; refusing to start');
  }
};

/** Opens a connection that reads. Throws when the file has another layout or a damaged schema. */
export const openForReading = (dir: string): Database => {
  const database = openDatabase(logFile(dir), { readOnly: true });
  return orClosed(database, () => {
    checkSchema(dir, database);
    database.pragma('cache_size = -16384');
  });
};

/** Returns the connection once it is prepared; closes it when that fails. */
const orClosed = (database: Database, prepare: () => void): Database => {
  try {
    prepare();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/**
 * Statement for the position number of the last event, also when it was removed without a trace.
 */
export const prepareLast = (database: Database) =>
  database.prepareValue<[], number>(
    'SELECT max((SELECT coalesce(max(pos), 0) FROM events), (SELECT pos FROM high_water))',
  );

export const lastPosIn = (database: Database): number => prepareLast(database).get() ?? 0;

export const positionOf = (pos: number): Position => pos.toString(16).padStart(16, '0') as Position;

export const posOf = (position: Position): number => Number.parseInt(position, 16);

const isOlder = (version: string, floor: string): boolean => {
  const [have, need] = [version, floor].map((text) => text.split('.').map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (have?.[at] ?? 0) - (need?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
};
