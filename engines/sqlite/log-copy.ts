import type Database from 'better-sqlite3';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { openSums } from './event-sums.js';
import { openForgetting } from './log-append.js';
import { scan, type WholeRow } from './log-scan.js';
import { lastIn, logFile, openForReading, openForWriting, positionOf } from './log-schema.js';

export type CopiedLog = {
  /** Of the last event that was copied. */
  readonly position: Position;
  /** Events that this copying added. */
  readonly added: number;
};
type Wishes = {
  /** Folders with a log each. */
  readonly from: string;
  readonly to: string;
  readonly progress: (done: number, total: number) => void;
};

/**
 * Brings a copy up to the head that the log has now: what is in the copy stays, so one that broke
 * off goes on and one of yesterday takes what came since. Streams that were erased meanwhile are
 * erased in the copy. The log is read in short pieces and may be written; each event is held
 * against its digest. The copy is one file in the end. Throws Fault `conflict` when it is of
 * another log, and `log-damaged` with the position where the log cannot be read.
 */
export const copyLog = async ({ from, to, progress }: Wishes): Promise<CopiedLog> => {
  const source = within(from, () => openForReading(from));
  const copy = within(to, () => openForWriting(to));
  try {
    const head = within(from, () => lastIn(source));
    const begun = within(to, () => lastIn(copy));
    checkSame(source, copy, { begun, head, to });
    const put = inserting(copy);
    let added = 0;
    for (const { rows, unreadable, through } of scan(source, begun)) {
      const [first] = unreadable;
      if (first !== undefined) throw damagedAt(from, first.position, first.why);
      const wanted = rows.filter(({ pos }) => pos <= head);
      within(to, () => put(wanted));
      added += wanted.length;
      progress(Math.min(through, head), head);
      if (through >= head) break;
      // Whoever ends the command is heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    within(to, () => {
      forget(source, copy);
      copy.pragma('wal_checkpoint(TRUNCATE)');
      copy.pragma('journal_mode = DELETE');
    });
    return { position: positionOf(lastIn(copy)), added };
  } finally {
    copy.close();
    source.close();
  }
};

/** What fails says which of the two files it was. */
const within = <T>(dir: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    const { code = '' } = error as { readonly code?: string };
    if (!/^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code)) {
      throw Object.assign(error, { path: logFile(dir) });
    }
    const said = `${logFile(dir)} is damaged, or no log of a service (${code})`;
    const place = 'no position can be told: its lists cannot be read';
    throw new Fault('conflict', `${said}; ${place}; assay doctor says more of a data folder`, {
      cause: error,
    });
  }
};

export const damagedAt = (dir: string, position: Position, why: string): Fault =>
  new Fault('log-damaged', `${logFile(dir)} is damaged at position ${position}: ${why}`);

const checkSame = (
  source: Database.Database,
  copy: Database.Database,
  { begun, head, to }: { readonly begun: number; readonly head: number; readonly to: string },
): void => {
  if (begun === 0) return;
  const idAt = (database: Database.Database) =>
    database.prepare('SELECT id FROM events WHERE pos = ?').pluck().get(begun);
  if (begun <= head && idAt(source) === idAt(copy)) return;
  throw new Fault('conflict', `${to} has a copy of another log: choose an empty folder`);
};

const inserting = (copy: Database.Database): ((rows: readonly WholeRow[]) => void) => {
  const insert = copy.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addSum = openSums(copy);
  return copy.transaction((rows: readonly WholeRow[]) => {
    for (const row of rows) {
      const { pos, stream, rev, id, type, data, metadata, salt, digest } = row;
      insert.run(pos, stream, rev, id, type, data, metadata, salt, digest);
      addSum(row);
    }
  });
};

/** What was erased after it was copied goes from the copy, in one step with its tombstone. */
const forget = (source: Database.Database, copy: Database.Database): void => {
  const erase = openForgetting(copy);
  const isErased = copy.prepare<[string]>('SELECT 1 FROM erased WHERE stream = ?');
  const erased = source.prepare<[], { stream: string; pos: number }>('SELECT * FROM erased');
  const highWater = source.prepare<[], number>('SELECT pos FROM high_water').pluck();
  copy.transaction(() => {
    for (const { stream, pos } of erased.iterate()) {
      if (isErased.get(stream) === undefined) erase(stream, pos);
    }
    const mark = highWater.get() ?? 0;
    copy.prepare('UPDATE high_water SET pos = ?').run(mark);
    copy.prepare('UPDATE sums SET sum = ? WHERE pos = 0').run(mark);
  })();
};
