import { statSync } from 'node:fs';
import { join } from 'node:path';
import { cancellationFault } from '../../kernel/query-context.js';
import { Fault } from '../../kernel/fault.js';
import type { Instant } from '../../kernel/schema-types.js';
import { startQuarantineCleanup, markDamaged } from '../node/file-quarantine.js';
import { makeFolder } from '../node/files.js';
import { openDatabase, type Database, type Statement } from './database.js';
import { checkRows, catalogDamage } from './document-check.js';
import { recordedDamage, isDamage, prepareOrRebuild, type DamagedFile } from './document-damage.js';
import { corruptionError, defineRowChecksum, stampSchema } from './document-checksums.js';
import { addChecksumColumns, dropTable, generationsSchema } from './document-tables.js';
import { openWalTruncation } from './wal-truncation.js';

/** Compiled statements cached; filters and sorts differ in shape, so the cache is bounded. */
const statementsMax = 500;

/**
 * Page cache: searching the names of 50,000 documents reads some 20 MB of index, which the default
 * of 2 MB does not hold.
 */
const cacheKib = 64 * 1_024;

export const documentsFile = (dir: string): string => join(dir, 'documents.sqlite');

type CellStatement = Statement<readonly unknown[], readonly unknown[]>;

/** Connection to the documents of a folder. */
export type DocumentStore = {
  readonly database: Database;
  /** Compiled statement from the cache; its rows are lists of cells. */
  readonly statement: (sql: string) => CellStatement;
  /** Runs in one snapshot: the live generation and its rows belong together. */
  readonly snapshot: <T>(work: () => T) => T;
  /** Generation that a shadow reads and writes; null for the live one. */
  readonly pinnedGeneration: number | null;
  /** Schedules truncation of the write-ahead log, since deleted content must leave the files. */
  readonly truncateWalSoon: () => void;
  /** Time since which deleted content has been in the files; null when they are clean. */
  readonly erasingSince: () => Instant | null;
  /** Damage of the file found by any connection; null when none was found. */
  readonly damage: () => string | null;
  readonly close: () => void;
};

export type DocumentStoreOptions = {
  readonly dir: string;
  readonly readOnly?: boolean;
  /** Longest time that deleted or replaced content may stay in the write-ahead log. */
  readonly truncateWalAfterMs?: number;
  /** Called for an unreadable file: it is quarantined, and a new one is created. */
  readonly broken?: (file: DamagedFile) => void;
  /** Polled while a search runs, which then ends with Fault `unavailable`. */
  readonly isCancelled?: () => boolean;
};

// Each truncation costs a checkpoint, so one serves many deletions (contract 5.13).
const defaultTruncateAfterMs = 10_000;

/**
 * Opens or creates the file; a damaged one is replaced. Without `readOnly` it also drops shadows
 * that a crash left unfinished, except lasting ones, and superseded versions.
 */
export const openDocumentStore = async ({
  dir,
  readOnly = false,
  truncateWalAfterMs = defaultTruncateAfterMs,
  isCancelled = () => false,
  broken = () => undefined,
}: DocumentStoreOptions): Promise<DocumentStore> => {
  await makeFolder(dir);
  const file = documentsFile(dir);
  if (readOnly) prepareFile(file, false);
  const found = readOnly ? null : await prepareOrRebuild(file, () => prepareFile(file, true));
  if (found !== null) broken(found);
  const endCleanup = readOnly ? () => undefined : startQuarantineCleanup(dir);
  const database = openDatabase(file, { readOnly });
  // Set per connection, not per file: a commit that a power cut undoes is folded again from the
  // log.
  if (!readOnly) database.pragma('synchronous = NORMAL');
  database.pragma(`cache_size = -${cacheKib}`);
  // Deleted content is overwritten at once in the file, and gradually in its write-ahead log.
  if (!readOnly) database.pragma('secure_delete = ON');
  defineCancellation(database, isCancelled);
  defineRowChecksum(database);
  const endChecking = readOnly ? () => undefined : startChecking(database, file);
  const truncation = openWalTruncation(database, truncateWalAfterMs);
  const statements = new Map<string, CellStatement>();
  const checkOpen = (): void => {
    if (!database.isOpen()) throw new Fault('unavailable', 'The service is stopping');
  };
  const statement = (sql: string): CellStatement => {
    checkOpen();
    const known = statements.get(sql);
    if (known !== undefined) return known;
    if (statements.size >= statementsMax) statements.clear();
    const compiled = database.prepareCells(sql);
    statements.set(sql, compiled);
    return compiled;
  };
  return {
    database,
    statement,
    snapshot: <T>(work: () => T) => {
      checkOpen();
      return database.transaction('deferred', work);
    },
    pinnedGeneration: null,
    truncateWalSoon: truncation.soon,
    erasingSince: truncation.since,
    damage: () => recordedDamage(file),
    close: () => {
      truncation.end();
      endCleanup();
      endChecking();
      database.close();
    },
  };
};

/**
 * Defines `not_cancelled(rowid)`, which is true and ends the statement once its caller aborted. It
 * costs a call out of SQLite, 0.2 µs; the read of shared memory adds next to nothing.
 */
const defineCancellation = (database: Database, isCancelled: () => boolean): void => {
  database.define('not_cancelled', { deterministic: false }, (_row: unknown) => {
    if (isCancelled()) throw cancellationFault();
    return 1;
  });
};

/**
 * Files up to this size are checked whole when they are opened, each row and index, in a tenth of a
 * second. A larger one is checked in the background, or when a read finds damage.
 */
const checkedBytesMax = 16 * 1024 * 1024;

const refuseDamaged = (database: Database, file: string): void => {
  if (statSync(file).size > checkedBytesMax) return;
  const found = database.pragma('integrity_check(1)');
  if (found !== 'ok') throw corruptionError(String(found));
  const pieces = checkRows(database, { indexes: false, fills: true });
  while (pieces.next().done !== true);
};

/**
 * Interval between batches, which take a millisecond each: 100 rows a second, in an endless loop.
 */
const checkEveryMs = 1_000;

/** Background check of rows and indexes; the first damage is recorded and ends it. */
const startChecking = (database: Database, file: string): (() => void) => {
  const options = { indexes: true, fills: true };
  let pieces = checkRows(database, options);
  const timer = setInterval(() => {
    try {
      if (pieces.next().done === true) pieces = checkRows(database, options);
    } catch (error) {
      if (isDamage(error)) {
        markDamaged(file);
        clearInterval(timer);
      }
      // A busy or full file is checked again later.
      pieces = checkRows(database, options);
    }
  }, checkEveryMs).unref();
  return () => clearInterval(timer);
};

const prepareFile = (file: string, isWriter: boolean): void => {
  const database = openDatabase(file);
  try {
    database.pragma('journal_mode = WAL');
    defineRowChecksum(database);
    const known = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'generations'`).get();
    const frame = known === undefined ? null : catalogDamage(database);
    if (frame !== null) throw corruptionError(frame);
    if (isWriter || known === undefined)
      database.transaction('immediate', () => makeTables(database));
    if (!isWriter) return;
    refuseDamaged(database, file);
    database.transaction('immediate', () => dropLeftovers(database));
  } finally {
    database.close();
  }
};

const makeTables = (database: Database): void => {
  database.exec(generationsSchema);
  addChecksumColumns(database);
  stampSchema(database);
};

const dropLeftovers = (database: Database): void => {
  const left = database.prepareValue<[], number>(`SELECT generation FROM generations AS one WHERE
    (is_live = 0 AND generation NOT IN (SELECT generation FROM lasting_generations)) OR
    EXISTS (SELECT 1 FROM generations WHERE name = one.name AND version > one.version)`);
  for (const generation of left.all()) dropTable(database, generation);
};
