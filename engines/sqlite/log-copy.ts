import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { Database } from './database.js';
import { openChecksumWriter } from './event-checksums.js';
import { openErasure } from './log-append.js';
import { scanLog, type FullEventRow } from './log-scan.js';
import { lastPosIn, logFile, openForReading, openForWriting, positionOf } from './log-schema.js';

type CopiedLog = {
  /** Position of the last copied event. */
  readonly position: Position;
  /** Events that this run added. */
  readonly added: number;
};
type CopyOptions = {
  /** Folders with a log each. */
  readonly from: string;
  readonly to: string;
  readonly progress: (done: number, total: number) => void;
};

/**
 * Catch-up passes before the final one. Each copies what was written during the one before, which
 * is less each time unless the log grows faster than it is copied.
 */
const passesMax = 8;
/** Events that the final pass may copy, unless `passesMax` was reached before. */
const finalEvents = 500;

/**
 * Copies a log incrementally up to a head that it had meanwhile: an interrupted copy resumes, and
 * one of yesterday takes the newer events. Erased streams are erased in the copy, together with the
 * events written before each erasure. The log is read in short pieces and may be written; each
 * event is verified against its digest. The result is a single file. Throws Fault `conflict` when
 * the copy is of another log, and `log-damaged` with the position where the log cannot be read.
 */
export const copyLog = async (options: CopyOptions): Promise<CopiedLog> => {
  const { from, to } = options;
  const source = withFileContext(from, () => openForReading(from));
  const copy = withFileContext(to, () => openForWriting(to));
  try {
    const begun = withFileContext(to, () => lastPosIn(copy));
    let head = withFileContext(from, () => lastPosIn(source));
    checkSameLog(source, copy, { begun, head, to });
    const pieces = openPieceCopy(options, source, copy);
    let added = 0;
    let through = begun;
    for (let pass = 0; pass < passesMax && head - through > finalEvents; pass += 1) {
      for (const count of pieces(through, head)) {
        added += count;
        // A signal that ends the command is handled between two pieces.
        await new Promise((resolve) => setImmediate(resolve));
      }
      through = head;
      head = withFileContext(from, () => lastPosIn(source));
    }
    // One snapshot of events and erasures: no erasure is later than the last event copied.
    const finish = (): void => {
      const last = withFileContext(from, () => lastPosIn(source));
      for (const count of pieces(through, last)) added += count;
      withFileContext(to, () => copyErasures(source, copy));
    };
    withFileContext(to, () => {
      copy.transaction('deferred', () => source.transaction('deferred', finish));
      copy.pragma('wal_checkpoint(TRUNCATE)');
      copy.pragma('journal_mode = DELETE');
    });
    return { position: positionOf(lastPosIn(copy)), added };
  } finally {
    copy.close();
    source.close();
  }
};

/**
 * Copies the events after a position up to a head, piece by piece; yields the count of each piece.
 */
const openPieceCopy = ({ from, to, progress }: CopyOptions, source: Database, copy: Database) => {
  const put = openRowInsert(copy);
  return function* (after: number, head: number): Generator<number, void> {
    for (const { rows, unreadable, through } of scanLog(source, after)) {
      const [first] = unreadable;
      if (first !== undefined) throw damagedAt(from, first.position, first.why);
      const wanted = rows.filter(({ pos }) => pos <= head);
      withFileContext(to, () => put(wanted));
      progress(Math.min(through, head), head);
      yield wanted.length;
      if (through >= head) return;
    }
  };
};

/** Adds to an error which of the two files it concerns. */
const withFileContext = <T>(dir: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    const { code = '', path } = error as { readonly code?: string; readonly path?: string };
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code)) {
      throw Object.assign(error, { path: path ?? logFile(dir) });
    }
    const what = `${logFile(dir)} is damaged or not a log of this service (${code})`;
    const place = 'the position is unknown: its tables cannot be read';
    throw new Fault('conflict', `${what}; ${place}; run assay doctor on its data folder`, {
      cause: error,
    });
  }
};

const damagedAt = (dir: string, position: Position, why: string): Fault =>
  new Fault('log-damaged', `${logFile(dir)} is damaged at position ${position}: ${why}`);

const checkSameLog = (
  source: Database,
  copy: Database,
  { begun, head, to }: { readonly begun: number; readonly head: number; readonly to: string },
): void => {
  if (begun === 0) return;
  const idAt = (database: Database) =>
    database.prepareValue('SELECT id FROM events WHERE pos = ?').get(begun);
  if (begun <= head && idAt(source) === idAt(copy)) return;
  throw new Fault('conflict', `${to} has a copy of another log: choose an empty folder`);
};

const openRowInsert = (copy: Database): ((rows: readonly FullEventRow[]) => void) => {
  const insert = copy.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addSum = openChecksumWriter(copy);
  const add = (row: FullEventRow): void => {
    const { pos, stream, rev, id, type, data, metadata, salt, digest } = row;
    insert.run(pos, stream, rev, id, type, data, metadata, salt, digest);
    addSum(row);
  };
  return (rows) => copy.transaction('immediate', () => rows.forEach(add));
};

/** Erases in the copy what was erased after it was copied, in one step with its tombstone. */
const copyErasures = (source: Database, copy: Database): void => {
  const erase = openErasure(copy);
  const isErased = copy.prepare<[string]>('SELECT 1 FROM erased WHERE stream = ?');
  const erased = source.prepare<[], { stream: string; pos: number }>('SELECT * FROM erased');
  const highWater = source.prepareValue<[], number>('SELECT pos FROM high_water');
  copy.transaction('deferred', () => {
    for (const { stream, pos } of erased.iterate()) {
      if (isErased.get(stream) === undefined) erase(stream, pos);
    }
    const mark = highWater.get() ?? 0;
    copy.prepare('UPDATE high_water SET pos = ?').run(mark);
    copy.prepare('UPDATE sums SET sum = ? WHERE pos = 0').run(mark);
  });
};
