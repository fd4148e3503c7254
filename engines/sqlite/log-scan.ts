import type { Position } from '../../kernel/ports.js';
import { digestOf } from '../node/digest.js';
import type { Database } from './database.js';
import { isDamage } from './document-damage.js';
import { dataLengthOf, type EventRow } from './log-evidence.js';
import { hasChecksums, eventChecksum } from './event-checksums.js';
import { positionOf, fullColumns } from './log-schema.js';

/** Row of the log with all columns. */
export type FullEventRow = EventRow & {
  readonly salt: Uint8Array | null;
  /** Null: stored by a build without checksums, and not checked since. */
  readonly sum: number | null;
  /** 1 if the stream of erased content is marked as erased; 0 for content. */
  readonly marked: 0 | 1;
};
/** Position whose event is not as stored. */
export type DamagedPosition = { readonly position: Position; readonly why: string };
export type ScannedRows = {
  readonly rows: readonly FullEventRow[];
  readonly unreadable: readonly DamagedPosition[];
  /** End of the scanned range. */
  readonly through: number;
  /** Last position of the log at the time; Infinity when it cannot be read. */
  readonly end: number;
};

/** Size limit of one piece. */
type PieceSize = { readonly events: number; readonly bytes: number };
const usualPiece: PieceSize = { events: 500, bytes: 8 * 1024 * 1024 };

/**
 * Scans the log after a position, piece by piece and each in a snapshot of its own, so that it
 * blocks no other access. Each event is verified against its checksum and its digest. In a damaged
 * page its positions are tried one by one.
 */
export function* scanLog(
  database: Database,
  after: number,
  piece: PieceSize = usualPiece,
): Generator<ScannedRows, void> {
  const { from, byPosition, ends, highWater } = statementsOf(database);
  for (let at = after; ;) {
    const known = ends.flatMap((end) => nullIfDamaged(() => [Number(end.get() ?? 0)]) ?? []);
    // Without a readable end, the scan ends where no more rows come.
    const end = known.length === 0 ? Infinity : Math.max(...known);
    if (at >= end) return;
    const found = nullIfDamaged(() => takePiece(from.iterate(at, piece.events), piece.bytes));
    const gone = nullIfDamaged(() => Number(highWater.get() ?? 0)) ?? 0;
    const until = Math.min(end, at + piece.events);
    const scanned =
      found !== null && found.length > 0
        ? checkPiece(at, found, gone)
        : checkOneByOne(at, until, gone, (pos) => byPosition.get(pos));
    yield { ...scanned, end };
    if (scanned.rows.length === 0 && end === Infinity) return;
    at = scanned.through;
  }
}

const statementsOf = (database: Database) => {
  const all = `SELECT ${fullColumns(database)} FROM events`;
  // The second table has the end when the table of events lost it.
  const tables = hasChecksums(database) ? ['events', 'sums'] : ['events'];
  return {
    from: database.prepare<[number, number], FullEventRow>(
      `${all} WHERE pos > ? ORDER BY pos LIMIT ? + 0`,
    ),
    byPosition: database.prepare<[number], FullEventRow>(`${all} WHERE pos = ?`),
    ends: tables.map((name) => database.prepareValue(`SELECT max(pos) FROM ${name}`)),
    highWater: database.prepareValue('SELECT pos FROM high_water'),
  };
};

/** Null when the read met damage. */
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
    for (let pos = at + 1; pos < row.pos; pos += 1) recordMissing(pos, gone, unreadable);
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

/**
 * Records a missing position. Erasures of the first layout removed whole events; later ones keep
 * their rows.
 */
const recordMissing = (pos: number, gone: number, unreadable: DamagedPosition[]): void => {
  if (pos > gone) unreadable.push({ position: positionOf(pos), why: missingRow });
};

const unmarkedErasure = 'its content is gone, its stream is not';
/** Reason of an event that no row has. */
export const missingRow = 'it is not there';

/**
 * True if look-ups would answer as if the event had not happened, or its stream were not erased: a
 * table lacks its row, or the list of erased streams its stream.
 */
export const isUnlisted = ({ why }: DamagedPosition): boolean =>
  why === unmarkedErasure || why === missingRow;

/** Damage of a row; null when the event is as stored, or as its erasure left it. */
export const rowDamage = (row: FullEventRow): string | null => {
  if (!hasOwnTypes(row)) return 'a cell is not of its type';
  if (row.sum !== null && row.sum !== eventChecksum(row)) return 'its checksum is of another event';
  if (row.data === '') return row.marked === 1 ? null : unmarkedErasure;
  if (row.digest === null) return null;
  return digestOf(row.salt, row.data).equals(row.digest) ? null : 'its digest is of other data';
};

/** False when a changed byte of a record's header turned bytes into text, or either into null. */
const hasOwnTypes = ({ data, digest }: FullEventRow): boolean =>
  typeof data === 'string' && (digest === null || digest instanceof Uint8Array);
