import { crc32 } from 'node:zlib';
import { digestOf } from '../node/digest.js';
import type { Database } from './database.js';

/**
 * Checksum per event, in a table of its own: a changed byte on the disk changes one of the two. The
 * row at position 0 repeats the number in `high_water`. A build that does not know the table leaves
 * it alone, and the log check adds checksums to events without one.
 */
export const checksumsSchema = `
  CREATE TABLE IF NOT EXISTS sums (pos INTEGER PRIMARY KEY, sum INTEGER NOT NULL);
  INSERT OR IGNORE INTO sums SELECT 0, pos FROM high_water
`;

/** False for a log that no build with checksums has opened for writing. */
export const hasChecksums = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'sums'`).get() !== undefined;

type ChecksumRow = {
  readonly pos: number;
  readonly stream: string;
  readonly rev: number;
  readonly id: string;
  readonly type: string;
  readonly data: string | Uint8Array;
  readonly metadata: string;
  readonly digest: Uint8Array | null;
};

/**
 * CRC-32 of all that remains of an event once its content is erased; the digest covers the content.
 * An erasure does not change it.
 */
export const eventChecksum = ({
  pos,
  stream,
  rev,
  id,
  type,
  data,
  metadata,
  digest,
}: ChecksumRow): number =>
  crc32(digest ?? digestOf(null, data), crc32(`${pos} ${stream} ${rev} ${id} ${type} ${metadata}`));

/** Adds or replaces the checksum of an event, in the caller's transaction. */
export const openChecksumWriter = (database: Database): ((row: ChecksumRow) => void) => {
  const put = database.prepare<[number, number]>('INSERT OR REPLACE INTO sums VALUES (?, ?)');
  return (row) => void put.run(row.pos, eventChecksum(row));
};

/** Damage of the mark of erased positions; null when intact. */
export const highWaterDamage = (database: Database): string | null => {
  if (!hasChecksums(database)) return null;
  const number = (sql: string): number | null =>
    database.prepareValue<[], number>(sql).get() ?? null;
  const wanted = number('SELECT sum FROM sums WHERE pos = 0');
  const found = number('SELECT pos FROM high_water');
  if (wanted === null || wanted === found) return null;
  return `high_water is ${found}, and was ${wanted}`;
};
