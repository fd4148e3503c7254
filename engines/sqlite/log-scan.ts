import type { Position } from '../../kernel/ports.js';
import { digestOf } from '../node/digest.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { dataLengthOf, type EventRow } from './log-evidence.js';
import { hasChecksums, eventChecksum } from './event-checksums.js';
import { positionOf, fullColumns } from './log-schema.js';

/** A row of the log with all that it has. */
export type FullEventRow = EventRow & {
  readonly salt: Uint8Array | null;
  /** Null: stored by a build without checksums, and not looked at since. */
  readonly sum: number | null;
  /** Whether the stream of erased content is marked as erased; 0 where there is content. */
  readonly marked: 0 | 1;
};
/** A position whose event is not what was stored there. */
export type DamagedPosition = { readonly position: Position; readonly why: string };
export type ScannedRows = {
  readonly rows: readonly FullEventRow[];
  readonly unreadable: readonly DamagedPosition[];
  /** Everything up to here was looked at. */
  readonly through: number;
  /** The last position of the log then; Infinity where it cannot be read. */
  readonly end: number;
};

/** How much one piece has at most. */
type PieceSize = { readonly events: number; readonly bytes: number };
const usualPiece: PieceSize = { events: 500, bytes: 8 * 1024 * 1024 };

/**
 * The log after a position, piece by piece and each in a snapshot of its own, so that nothing waits
 * for it. Each event is held against its checksum and its digest. Where a page of the file is
 * damaged, its positions are tried one by one.
 */
export function* scanLog(
  database: Database,
  after: number,
  piece: PieceSize = usualPiece,
): Generator<ScannedRows, void> {
  const { from, one, ends, highWater } = statementsOf(database);
  for (let at = after; ;) {
    const known = ends.flatMap((end) => nullIfDamaged(() => [Number(end.get() ?? 0)]) ?? []);
    // Where even the end cannot be read, it is where nothing comes any more.
    const end = known.length === 0 ? Infinity : Math.max(...known);
    if (at >= end) return;
    const found = nullIfDamaged(() => takePiece(from.iterate(at, piece.events), piece.bytes));
    const gone = nullIfDamaged(() => Number(highWater.get() ?? 0)) ?? 0;
    const until = Math.min(end, at + piece.events);
    const looked =
      found !== null && found.length > 0
        ? checkPiece(at, found, gone)
        : checkOneByOne(at, until, gone, (pos) => one.get(pos));
    yield { ...looked, end };
    if (looked.rows.length === 0 && end === Infinity) return;
    at = looked.through;
  }
}

const statementsOf = (database: Database) => {
  const all = `SELECT ${fullColumns(database)} FROM events`;
  // The second has the end where the table of events lost it.
  const tables = hasChecksums(database) ? ['events', 'sums'] : ['events'];
  return {
    from: database.prepare<[number, number], FullEventRow>(
      `${all} WHERE pos > ? ORDER BY pos LIMIT ?`,
    ),
    one: database.prepare<[number], FullEventRow>(`${all} WHERE pos = ?`),
    ends: tables.map((name) => database.prepareValue(`SELECT max(pos) FROM ${name}`)),
    highWater: database.prepareValue('SELECT pos FROM high_water'),
  };
};

/** Null: what was asked is damaged. */
const nullIfDamaged = <T>(work: () => T): T | null => {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
};

const takePiece = (rows: Iterable<FullEventRow>, bytesMax: number): readonly FullEventRow[] => {
  const found: FullEventRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    found.push(row);
    bytes += dataLengthOf(row);
    if (bytes >= bytesMax) break;
  }
  return found;
};

type ScannedPiece = Omit<ScannedRows, 'end'>;

const checkPiece = (after: number, found: readonly FullEventRow[], gone: number): ScannedPiece => {
  const rows: FullEventRow[] = [];
  const unreadable: DamagedPosition[] = [];
  let at = after;
  for (const row of found) {
    for (let missing = at + 1; missing < row.pos; missing += 1)
      recordMissing(missing, gone, unreadable);
    at = row.pos;
    const why = rowDamage(row);
    if (why === null) rows.push(row);
    else unreadable.push({ position: positionOf(row.pos), why });
  }
  return { rows, unreadable, through: at };
};

const checkOneByOne = (
  after: number,
  until: number,
  gone: number,
  read: (pos: number) => FullEventRow | undefined,
): ScannedPiece => {
  const rows: FullEventRow[] = [];
  const unreadable: DamagedPosition[] = [];
  for (let pos = after + 1; pos <= until; pos += 1) {
    const row = nullIfDamaged(() => read(pos));
    if (row === null) unreadable.push({ position: positionOf(pos), why: 'its page is damaged' });
    else if (row === undefined) recordMissing(pos, gone, unreadable);
    else {
      const why = rowDamage(row);
      if (why === null) rows.push(row);
      else unreadable.push({ position: positionOf(pos), why });
    }
  }
  return { rows, unreadable, through: until };
};

/** Erasures of the first layout took whole events; later nothing leaves its place. */
const recordMissing = (pos: number, gone: number, unreadable: DamagedPosition[]): void => {
  if (pos > gone) unreadable.push({ position: positionOf(pos), why: 'it is not there' });
};

const unmarkedErasure = 'its content is gone, its stream is not';

/** Whether the list of erased streams lacks the event's: it would be answered as if it lived. */
export const isUnmarked = ({ why }: DamagedPosition): boolean => why === unmarkedErasure;

/** Null: the event is what was stored, or what an erasure left of that. */
export const rowDamage = (row: FullEventRow): string | null => {
  if (!hasOwnTypes(row)) return 'a cell is not of its type';
  if (row.sum !== null && row.sum !== eventChecksum(row)) return 'its checksum is of another event';
  if (row.data === '') return row.marked === 1 ? null : unmarkedErasure;
  if (row.digest === null) return null;
  return digestOf(row.salt, row.data).equals(row.digest) ? null : 'its digest is of other data';
};

/** A byte of a record's header that changed can make a text of what is bytes, or null of either. */
const hasOwnTypes = ({ data, digest }: FullEventRow): boolean =>
  typeof data === 'string' && (digest === null || digest instanceof Uint8Array);
