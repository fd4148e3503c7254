import { boundedMap } from '../../kernel/bounded-map.js';
import { digestOf, openSalts } from '../node/digest.js';
import type { Database } from './database.js';
import { openChecksumWriter } from './event-checksums.js';
import type { StreamOrder, AppendOutcome } from './log-orders.js';
import { prepareLast } from './log-schema.js';

const textOf = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : Buffer.from(data).toString('utf8');

/** Cached heads of recently written streams, so that most appends need no look-up. */
const headsMax = 50_000;
/** Equals no revision, so an erased stream rejects every append. */
const erasedHead = Number.POSITIVE_INFINITY;

type AppendedRow = {
  readonly pos: number;
  readonly stream: string;
  readonly rev: number;
  readonly type: string;
  readonly data: string;
};

const prepareStatements = (database: Database) => ({
  // Bytes become the text that they are, without a conversion.
  insert: database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?, ?)'),
  headOf: database.prepareValue<[string], number | null>(
    'SELECT max(rev) FROM events WHERE stream = ?',
  ),
  isErased: database.prepareValue<[string]>('SELECT 1 FROM erased WHERE stream = ?'),
  byId: database.prepare<[string], AppendedRow>(
    'SELECT pos, stream, rev, type, data FROM events WHERE id = ?',
  ),
  lastPosition: prepareLast(database),
});
type Statements = ReturnType<typeof prepareStatements>;

/** Erases a stream's content as of a position, within the caller's transaction. */
export const openErasure = (database: Database): ((stream: string, pos: number) => void) => {
  // Events stored before digests existed get one while their data is there.
  database.define('unsalted_digest', { deterministic: true }, (data) =>
    digestOf(null, String(data)),
  );
  const forget = database.prepare(
    `UPDATE events SET data = '', salt = NULL, digest = coalesce(digest, unsalted_digest(data))
     WHERE stream = ? AND data <> ''`,
  );
  const noteErased = database.prepare('INSERT OR IGNORE INTO erased VALUES (?, ?)');
  return (stream, pos) => {
    forget.run(stream);
    noteErased.run(stream, pos);
  };
};

/**
 * Appends and erasures of one transaction, which the caller begins and ends. An append checks its
 * expected revision before it inserts (optimistic concurrency), so a conflict leaves the
 * transaction's other appends alone. After a rollback `restart` resets the cached state.
 */
export const openAppender = (database: Database) => {
  const forget = openErasure(database);
  const statements = prepareStatements(database);
  const { insert, headOf, isErased, byId, lastPosition } = statements;
  const addSum = openChecksumWriter(database);
  const heads = boundedMap<string, number>(headsMax);
  const newSalt = openSalts();
  let last = lastPosition.get() ?? 0;

  const head = (stream: string): number => {
    const known = heads.get(stream);
    if (known !== undefined) return known;
    return isErased.get(stream) === undefined ? (headOf.get(stream) ?? -1) : erasedHead;
  };

  const append = (order: StreamOrder): AppendOutcome => {
    const { stream, expected, events } = order;
    const current = head(stream);
    if (events.length === 0) return current === expected ? last : 'conflict';
    if (current !== expected || events.some(({ id }) => byId.get(id) !== undefined)) {
      return repeatedAppend(statements, order);
    }
    if (events.length > 1 && new Set(events.map(({ id }) => id)).size < events.length) {
      return 'conflict';
    }
    let revision = current;
    for (const { id, type, data, metadata } of events) {
      revision += 1;
      last += 1;
      const salt = newSalt();
      const digest = digestOf(salt, data);
      insert.run(last, stream, revision, id, type, data, metadata, salt, digest);
      addSum({ pos: last, stream, rev: revision, id, type, data, metadata, digest });
    }
    heads.set(stream, revision);
    return last;
  };

  const erase = (stream: string): void => {
    forget(stream, last);
    heads.delete(stream);
  };

  const restart = (): void => {
    heads.clear();
    last = lastPosition.get() ?? 0;
  };

  return { append, erase, restart, last: () => last };
};

/**
 * Idempotent append: the same ids with the same payload, one after the other in the stream, are one
 * append, however often they arrive.
 */
const repeatedAppend = ({ byId }: Statements, { stream, events }: StreamOrder): AppendOutcome => {
  let before: AppendedRow | undefined;
  for (const event of events) {
    const known = byId.get(event.id);
    const isSame =
      known !== undefined &&
      known.stream === stream &&
      known.rev === (before?.rev ?? known.rev - 1) + 1 &&
      known.type === event.type &&
      known.data === textOf(event.data);
    if (!isSame) return 'conflict';
    before = known;
  }
  return before?.pos ?? 'conflict';
};
