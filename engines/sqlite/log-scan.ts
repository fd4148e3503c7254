import type Database from 'better-sqlite3';
import type { Position } from '../../kernel/ports.js';
import { digestOf } from '../node/digest.js';
import { isDamage } from './document-damage.js';
import type { Row } from './log-evidence.js';
import { isSalted, positionOf } from './log-schema.js';

/** A row of the log with all that it has. */
export type WholeRow = Row & { readonly salt: Buffer | null };
/** A position whose event is not what was stored there. */
export type BadPlace = { readonly position: Position; readonly why: string };
export type ScannedRows = {
  readonly rows: readonly WholeRow[];
  readonly unreadable: readonly BadPlace[];
  /** Everything up to here was looked at. */
  readonly through: number;
};

const stepEvents = 500;
const stepBytes = 8 * 1024 * 1024;

/**
 * The log after a position, piece by piece and each in a snapshot of its own, so that nothing waits
 * for it. Each event is held against its digest. Where a page of the file is damaged, its positions
 * are tried one by one.
 */
export function* scan(database: Database.Database, after: number): Generator<ScannedRows, void> {
  const { from, one, last, highWater } = statementsOf(database);
  for (let at = after; ;) {
    const end = attempt(() => Number(last.get() ?? 0));
    // Where even the end cannot be read, it is where nothing comes any more.
    if (typeof end === 'number' && at >= end) return;
    const found = attempt(() => taken(from.iterate(at, stepEvents)));
    const floor = attempt(() => Number(highWater.get() ?? 0));
    const gone = typeof floor === 'number' ? floor : 0;
    const until = Math.min(typeof end === 'number' ? end : Infinity, at + stepEvents);
    const scanned = Array.isArray(found)
      ? judged(at, found, gone)
      : oneByOne(at, until, gone, (pos) => one.get(pos));
    if (scanned.rows.length === 0 && typeof end !== 'number') return yield scanned;
    yield scanned;
    at = scanned.through;
  }
}

const statementsOf = (database: Database.Database) => {
  const salted = isSalted(database) ? 'salt, digest' : 'NULL AS salt, NULL AS digest';
  const all = `SELECT pos, stream, rev, id, type, data, metadata, ${salted} FROM events`;
  return {
    from: database.prepare<[number, number], WholeRow>(`${all} WHERE pos > ? ORDER BY pos LIMIT ?`),
    one: database.prepare<[number], WholeRow>(`${all} WHERE pos = ?`),
    last: database.prepare('SELECT max(pos) FROM events').pluck(),
    highWater: database.prepare('SELECT pos FROM high_water').pluck(),
  };
};

/** Null: what was asked is damaged. */
const attempt = <T>(work: () => T): T | null => {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
};

const taken = (rows: Iterable<WholeRow>): readonly WholeRow[] => {
  const found: WholeRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    found.push(row);
    bytes += row.data.length;
    if (bytes >= stepBytes) break;
  }
  return found;
};

const judged = (after: number, found: readonly WholeRow[], gone: number): ScannedRows => {
  const rows: WholeRow[] = [];
  const unreadable: BadPlace[] = [];
  let at = after;
  for (const row of found) {
    for (let missing = at + 1; missing < row.pos; missing += 1) note(missing, gone, unreadable);
    at = row.pos;
    const why = whyWrong(row);
    if (why === null) rows.push(row);
    else unreadable.push({ position: positionOf(row.pos), why });
  }
  return { rows, unreadable, through: Math.max(at, after + 1) };
};

const oneByOne = (
  after: number,
  until: number,
  gone: number,
  read: (pos: number) => WholeRow | undefined,
): ScannedRows => {
  const rows: WholeRow[] = [];
  const unreadable: BadPlace[] = [];
  for (let pos = after + 1; pos <= until; pos += 1) {
    const row = attempt(() => read(pos));
    if (row === null) unreadable.push({ position: positionOf(pos), why: 'its page is damaged' });
    else if (row === undefined) note(pos, gone, unreadable);
    else {
      const why = whyWrong(row);
      if (why === null) rows.push(row);
      else unreadable.push({ position: positionOf(pos), why });
    }
  }
  return { rows, unreadable, through: until };
};

/** Erasures of the first layout took whole events; later nothing leaves its place. */
const note = (pos: number, gone: number, unreadable: BadPlace[]): void => {
  if (pos > gone) unreadable.push({ position: positionOf(pos), why: 'it is not there' });
};

/** Null: the event is what its digest was made of, or it was erased. */
export const whyWrong = (row: Pick<WholeRow, 'data' | 'salt' | 'digest'>): string | null => {
  if (row.data === '' || row.digest === null) return null;
  return row.digest.equals(digestOf(row.salt, row.data)) ? null : 'its digest is of other data';
};
