import { statSync } from 'node:fs';
import { join } from 'node:path';
import { cancellationFault } from '../../kernel/query-context.js';
import { Fault } from '../../kernel/fault.js';
import type { Instant } from '../../kernel/schema-types.js';
import { startQuarantineCleanup, markDamaged } from '../node/file-quarantine.js';
import { systemClock } from '../node/clock.js';
import { makeFolder } from '../node/files.js';
import { openDatabase, type Database, type Statement } from './database.js';
import { checkRows, catalogDamage } from './document-check.js';
import { recordedDamage, isDamage, prepareOrRebuild, type DamagedFile } from './document-damage.js';
import { corruptionError, defineRowChecksum, stampSchema } from './document-checksums.js';
import { addChecksumColumns, dropTable, generationsSchema } from './document-tables.js';

/** Statements kept compiled: filters and sorts differ in shape, so there is an end to it. */
const statementsMax = 500;

/**
 * Looking through the names of 50,000 documents reads some 20 MB of index, which the default of
 * 2 MB does not keep.
 */
const cacheKib = 64 * 1_024;

export const documentsFile = (dir: string): string => join(dir, 'documents.sqlite');

type CellStatement = Statement<readonly unknown[], readonly unknown[]>;

/** The connection of a folder's documents. */
export type DocumentStore = {
  readonly database: Database;
  /** Its rows are lists of cells. */
  readonly statement: (sql: string) => CellStatement;
  /** Runs in one snapshot: which generation is live, and what it holds, belong together. */
  readonly snapshot: <T>(work: () => T) => T;
  /**
   * The generation that a copy built beside the live one reads and writes; null = whatever is live.
   */
  readonly pinnedGeneration: number | null;
  /** What was deleted has to leave the files. */
  readonly truncateWalSoon: () => void;
  /** Since when some of it is there; null: none is. */
  readonly erasingSince: () => Instant | null;
  /** What was found wrong with the file by any connection; null: nothing. */
  readonly damage: () => string | null;
  readonly close: () => void;
};

export type DocumentStoreOptions = {
  readonly dir: string;
  readonly readOnly?: boolean;
  /** How long what was deleted or replaced may stay in the write-ahead log. */
  readonly truncateWalAfterMs?: number;
  /** Told of a file that could not be read: it is set aside, and a new one is begun. */
  readonly broken?: (broken: DamagedFile) => void;
  /** Looked at while a search runs, which then ends with Fault `unavailable`. */
  readonly isCancelled?: () => boolean;
};

// An empty write-ahead log costs one checkpoint, so not after each deletion (contract 5.13).
const defaultTruncateAfterMs = 10_000;

/**
 * Opens the file or makes it, anew where it is damaged. Without `readOnly` removes copies that a
 * crash left half built, but for lasting ones, and versions that a newer one replaced.
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
  const endForgetting = readOnly ? () => undefined : startQuarantineCleanup(dir);
  const database = openDatabase(file, { readOnly });
  // Of the connection, not of the file: a commit that a power cut takes back is folded again from
  // the log.
  if (!readOnly) database.pragma('synchronous = NORMAL');
  database.pragma(`cache_size = -${cacheKib}`);
  // What is deleted is overwritten at once in the file, and by and by in what is left of its past.
  if (!readOnly) database.pragma('secure_delete = ON');
  defineCancellation(database, isCancelled);
  defineRowChecksum(database);
  const endChecking = readOnly ? () => undefined : startChecking(database, file);
  let timer: NodeJS.Timeout | null = null;
  let since: Instant | null = null;
  const forget = (): void => {
    since ??= systemClock.now();
    timer ??= setTimeout(() => {
      timer = null;
      const isBusy = database.pragma('wal_checkpoint(TRUNCATE)') !== 0;
      if (!isBusy) since = null;
      else forget();
    }, truncateWalAfterMs).unref();
  };
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
    truncateWalSoon: forget,
    erasingSince: () => since,
    damage: () => recordedDamage(file),
    close: () => {
      if (timer !== null) clearTimeout(timer);
      endForgetting();
      endChecking();
      database.close();
    },
  };
};

/**
 * `still_asked(rowid)` is true, and ends the statement when nobody waits for it any more. It costs
 * a call out of SQLite, 0.2 µs; looking at shared memory then is next to nothing.
 */
const defineCancellation = (database: Database, isGivenUp: () => boolean): void => {
  database.define('still_asked', { deterministic: false }, (_row: unknown) => {
    if (isGivenUp()) throw cancellationFault();
    return 1;
  });
};

/**
 * A file of this size is looked through whole in a tenth of a second when it is opened, each row
 * and each index. A larger one is looked through while it is used, or by whoever meets damage.
 */
const checkedBytesMax = 16 * 1024 * 1024;

const refuseDamaged = (database: Database, file: string): void => {
  if (statSync(file).size > checkedBytesMax) return;
  const found = database.pragma('integrity_check(1)');
  if (found !== 'ok') throw corruptionError(String(found));
  const pieces = checkRows(database, { indexes: false, fills: true });
  while (pieces.next().done !== true);
};

/** Between two pieces, which take a millisecond each: 100 rows a second, round and round. */
const checkEveryMs = 1_000;

/** Looks through rows and indexes while the file is used; damage is noted, and that ends it. */
const startChecking = (database: Database, file: string): (() => void) => {
  const wishes = { indexes: true, fills: true };
  let pieces = checkRows(database, wishes);
  const timer = setInterval(() => {
    try {
      if (pieces.next().done === true) pieces = checkRows(database, wishes);
    } catch (error) {
      if (isDamage(error)) {
        markDamaged(file);
        clearInterval(timer);
      }
      // A busy or full file is looked at another time.
      pieces = checkRows(database, wishes);
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
