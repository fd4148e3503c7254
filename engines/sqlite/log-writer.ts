import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { openForWriting } from './log-schema.js';
import type { Order, Outcome, Written } from './log-orders.js';

/**
 * The one writer, in a thread of its own. Whatever waits goes into one transaction: one sync serves every append that
 * waits (group commit). Answers leave after the commit.
 */
const orders = parentPort;
if (orders === null) throw new Error('this file is the entry of the log writer’s thread');

/** Bytes and appends of one transaction: enough to share a sync, little enough to keep the wait short. */
const transactionBytesMax = 16 * 1024 * 1024;
const transactionOrdersMax = 1_024;
/** WAL pages after which the log file is brought up to date, between commits and never waiting for readers. */
const checkpointPages = 4_000;

const { dir } = workerData as { dir: string };
const database: Database.Database = openForWriting(dir);

const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
const headOf = database.prepare('SELECT max(rev) AS rev FROM events WHERE stream = ?');
const isErased = database.prepare('SELECT 1 FROM erased WHERE stream = ?');
const byId = database.prepare('SELECT pos, stream, rev, type, data FROM events WHERE id = ?');
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const rollback = database.prepare('ROLLBACK');
const highWater = database.prepare('SELECT pos FROM high_water');
const lastRow = database.prepare('SELECT max(pos) AS pos FROM events');
const raise = database.prepare('UPDATE high_water SET pos = max(pos, ?)');
const removeStream = database.prepare('DELETE FROM events WHERE stream = ?');
const bury = database.prepare('INSERT OR IGNORE INTO erased VALUES (?, ?)');

/** The last events may have been erased; a position is never given twice all the same. */
let last = Math.max(
  (highWater.get() as { pos: number }).pos,
  (lastRow.get() as { pos: number | null }).pos ?? 0,
);

/** Heads of the streams written lately, so that most appends need no look-up. */
const headsMax = 50_000;
const heads = new Map<string, number>();

const head = (stream: string): number => {
  const known = heads.get(stream);
  if (known !== undefined) return known;
  if (isErased.get(stream) !== undefined) return Number.POSITIVE_INFINITY;
  return (headOf.get(stream) as { rev: number | null }).rev ?? -1;
};

const append = (entry: Order['batch'][number]): Written => {
  const first = entry.events[0];
  const current = head(entry.stream);
  if (first === undefined) return current === entry.expected ? last : 'conflict';
  if (current !== entry.expected) return repeated(entry);
  const stored = entry.events.some((event) => byId.get(event.id) !== undefined);
  if (stored || new Set(entry.events.map((event) => event.id)).size < entry.events.length) {
    return 'conflict';
  }
  let revision = current;
  for (const event of entry.events) {
    revision += 1;
    last += 1;
    insert.run(last, entry.stream, revision, event.id, event.type, event.data, event.metadata);
  }
  heads.delete(entry.stream);
  heads.set(entry.stream, revision);
  return last;
};

/** The same ids with the same payload at the same place are one append, however often they come (target A8). */
const repeated = (entry: Order['batch'][number]): Written => {
  let position = 0;
  for (const [index, event] of entry.events.entries()) {
    const known = byId.get(event.id) as
      { pos: number; stream: string; rev: number; type: string; data: string } | undefined;
    const same =
      known !== undefined &&
      known.stream === entry.stream &&
      known.rev === entry.expected + 1 + index &&
      known.type === event.type &&
      known.data === event.data;
    if (!same) return 'conflict';
    position = known.pos;
  }
  return position;
};

const waiting: Order[] = [];

const takeBatch = (): readonly Order[] => {
  let bytes = 0;
  let count = 0;
  while (count < waiting.length && count < transactionOrdersMax && bytes < transactionBytesMax) {
    bytes += waiting[count]?.bytes ?? 0;
    count += 1;
  }
  return waiting.splice(0, count);
};

const answer = (outcomes: readonly Outcome[]): void => orders.postMessage(outcomes);

const write = (batch: readonly Order[]): void => {
  const before = last;
  try {
    begin.run();
    const written = batch.map((order) => order.batch.map(append));
    for (const order of batch) if (order.erase !== null) erase(order.erase);
    commit.run();
    answer(batch.map((order, index) => ({ id: order.id, written: written[index] ?? [], last })));
    if (batch.some((order) => order.erase !== null)) shred();
  } catch (error) {
    last = before;
    heads.clear();
    if (database.inTransaction) rollback.run();
    const { code, message } = error as { code?: string; message: string };
    // A full disk is rolled back cleanly and can be tried again. After any other failure of a write or sync nobody
    // knows what is on the disk: the page may be clean and gone, and a retry would succeed and mean nothing.
    const full = code === 'SQLITE_FULL';
    answer(
      batch.map((order) => ({ id: order.id, failed: { full, cause: `${code}: ${message}` } })),
    );
  }
};

const erase = (stream: string): void => {
  raise.run(last);
  removeStream.run(stream);
  bury.run(stream, last);
  heads.delete(stream);
};

/** Deleted content also lies in the WAL until that is emptied. */
const shred = (): void => {
  database.pragma('wal_checkpoint(TRUNCATE)');
};

const tidy = (): void => {
  while (heads.size > headsMax) {
    const oldest = heads.keys().next();
    if (oldest.done === true) return;
    heads.delete(oldest.value);
  }
};

let pages = 0;
const keepWalShort = (): void => {
  pages += 1;
  if (pages % 8 !== 0) return;
  const [state] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number }];
  if (state.log > checkpointPages) database.pragma('wal_checkpoint(PASSIVE)');
};

orders.on('message', (order: Order) => {
  waiting.push(order);
  for (let more = receiveMessageOnPort(orders); more; more = receiveMessageOnPort(orders)) {
    waiting.push(more.message as Order);
  }
  while (waiting.length > 0) write(takeBatch());
  keepWalShort();
  tidy();
});

orders.postMessage([{ id: 0, written: [], last }] satisfies readonly Outcome[]);
