import { parseJsonText } from '../../kernel/json-text.js';
import { Fault, redactedReason } from '../../kernel/fault.js';
import {
  collectEvents,
  type NotificationBus,
  type Envelope,
  type EventReader,
  type LastEvent,
  type EventPage,
  type Position,
  type ReadOptions,
  type StoredEvent,
  type StreamName,
  type Decode,
} from '../../kernel/ports.js';
import { openEventLoopShare, type EventLoopShare } from '../node/event-loop-share.js';
import type { Database } from './database.js';
import {
  envelopeOf,
  isErased,
  metadataOf,
  openEvidenceReader,
  dataLengthOf,
  type EventRow,
} from './log-evidence.js';
import { noStreamEndCache, type StreamEndCache } from './stream-end-cache.js';
import {
  damagedRowFault,
  indexDamageFault,
  unlocatedDamageFault,
  withDamageFaults,
  type ReportDamage,
} from './log-damage.js';
import { isDamage } from './document-damage.js';
import { openStreamList } from './list-streams.js';
import { openGrowthWaits } from './growth-waits.js';
import { rowDamage, type FullEventRow } from './log-scan.js';
import {
  envelopeColumns,
  isCurrent,
  openForReading,
  posOf,
  positionOf,
  prepareLast,
  fullColumns,
} from './log-schema.js';

type RowPortion<E> = {
  readonly events: readonly E[];
  /** Characters of their data. */
  readonly cost: number;
  /** There are no more; else it ends where the turn did. */
  readonly isOver: boolean;
};

/**
 * A page ends early once it holds this much text, so that huge events do not pile up in memory and
 * the next page is folded while a store writes this one.
 */
const pageBytesMax = 2 * 1024 * 1024;
/**
 * Text that is read and decoded in one turn of the event loop, by everybody who reads in this
 * thread: some 3 ms, and as long again for whoever folds it. An event is not divided, and none is
 * larger than 1 MiB.
 */
const turnBytesMax = 256 * 1024;
type LogReaderOptions = {
  readonly dir: string;
  readonly bus: NotificationBus;
  readonly decode?: Decode;
  readonly damaged: ReportDamage;
  /** Why an index may hide events; null: it does not. Then only reads without an index answer. */
  readonly hidden: () => string | null;
  readonly ends?: Pick<StreamEndCache, 'of' | 'note'>;
};

/**
 * Reads in the calling thread, on a connection of its own that cannot write. Throws when there is
 * no log yet. Once it is closed, whoever still reads is told so: Fault `unavailable`.
 */
export const openLogReader = ({
  dir,
  bus,
  decode = (_type, _schema, data) => data,
  damaged,
  hidden,
  ends = noStreamEndCache,
}: LogReaderOptions): EventReader => {
  const { database, statements } = openFile(dir);
  const evidence = openEvidenceReader(database);
  const ask = (): Statements => {
    if (!database.isOpen()) throw new Fault('unavailable', 'The service is stopping');
    return statements();
  };
  const byIndex = (): Statements => {
    const cause = hidden();
    if (cause !== null) throw indexDamageFault(cause);
    return ask();
  };
  const turns = openEventLoopShare(turnBytesMax);
  const unchecked = recordedBy(decode);
  const recorded = (row: FullEventRow): StoredEvent => unchecked(checkStored(row));
  const source: ReadSource = {
    statements: ask,
    indexedStatements: byIndex,
    takePortion: portionTaker(turns),
    recorded,
    unchecked,
    ends,
  };
  const head = (): Position => headOf(source);
  const waits = openGrowthWaits(bus, head);
  const reader: EventReader = {
    read: (stream, reading) => collectEvents(portions(source, stream, reading)),
    portions: (stream, reading) => portions(source, stream, reading),
    last: async (stream) => lastOf(source, stream),
    cachedRevision: (stream) => (database.isOpen() ? ends.of(stream) : null),
    page: (from, limit, types) =>
      types === undefined
        ? readPage(source, from, limit)
        : readPageOfTypes(source, types, from, limit),
    evidence: async (from, limit) => {
      const rows = (at: number, count: number) => evidence.after(ask, at, limit - count);
      return readPageUpToHead(source, from, limit, rows, evidence.of);
    },
    evidenceAt: async (position) => {
      const row = evidence.at(ask, posOf(position));
      return row === undefined ? null : evidence.of(row);
    },
    tail: async (limit, before) => tailOf(source, limit, before),
    streams: openStreamList(database, byIndex, turns),
    head: async () => head(),
    // Pages that are free are overwritten.
    spaceReclaim: async () => ({ when: 'at-once' }),
    // Positions here have no gaps.
    lag: async (from) => Math.max(0, posOf(head()) - posOf(from)),
    waitForGrowth: async (from, signal) => {
      if (!database.isOpen() || signal?.aborted === true || head() > from) return;
      await waits.wait(from, signal);
    },
    close: async () => {
      database.close();
      waits.end();
    },
  };
  return withDamageFaults(reader, database, damaged);
};

/** Throws Fault `log-damaged` for a file that cannot be read at all. */
const openFile = (dir: string) => {
  try {
    const database = openForReading(dir);
    try {
      return { database, statements: currentStatements(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw isDamage(error)
      ? unlocatedDamageFault(`the file cannot be read (${redactedReason(error)})`)
      : error;
  }
};

/** Prepared anew once a writer has brought the log to the layout of this build. */
const currentStatements = (database: Database): (() => Statements) => {
  let isNew = isCurrent(database);
  let statements = prepareStatements(database);
  return () => {
    if (!isNew && isCurrent(database)) {
      isNew = true;
      statements = prepareStatements(database);
    }
    return statements;
  };
};

/** Beyond every position. */
const noPos = Number.MAX_SAFE_INTEGER;

/** Positions alone are sorted, and rows come one by one; without the inner question all do. */
export const positionsOfTypes = `SELECT pos FROM events
  WHERE type IN (SELECT value FROM json_each(?)) AND pos > ? AND pos <= ?`;

const prepareStatements = (database: Database) => {
  const columns = fullColumns(database);
  const envelopes = envelopeColumns(database);
  const ofIt = 'NOT EXISTS (SELECT 1 FROM erased WHERE erased.stream = ?) AND stream = ?';
  return {
    ofStream: database.prepare<[string, string, number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ? ORDER BY rev LIMIT ?`,
    ),
    ofStreamAndTypes: database.prepare<[string, string, number, string, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ?
      AND type IN (SELECT value FROM json_each(?)) ORDER BY rev LIMIT ?`,
    ),
    lastOf: database.prepare<[string, string], FullEventRow>(
      `SELECT ${envelopes} FROM events WHERE ${ofIt} ORDER BY rev DESC LIMIT 1`,
    ),
    after: database.prepare<[number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE pos > ? ORDER BY pos LIMIT ?`,
    ),
    before: database.prepare<[number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE pos < ? AND data IS NOT '' ORDER BY pos DESC LIMIT ?`,
    ),
    ofTypes: database.prepare<[string, number, number], FullEventRow>(
      `SELECT ${columns} FROM events WHERE pos IN (${positionsOfTypes})
      AND data IS NOT '' ORDER BY pos`,
    ),
    last: prepareLast(database),
  };
};
type Statements = ReturnType<typeof prepareStatements>;

type ReadSource = {
  /** Throws once the reader is closed. */
  readonly statements: () => Statements;
  /** The same for a question that is answered by an index; throws where that may hide events. */
  readonly indexedStatements: () => Statements;
  /** Refuses a row that is not what was stored. */
  readonly recorded: (row: FullEventRow) => StoredEvent;
  /** For whoever looks for changes. */
  readonly unchecked: (row: FullEventRow) => StoredEvent;
  /** What there is room for in this turn, or one event. */
  readonly takePortion: <R extends EventRow, E>(
    rows: () => Iterable<R>,
    as: (row: R) => E,
    /** Told in the same turn, when there are no more. */
    atEnd?: (events: readonly E[]) => void,
  ) => Promise<RowPortion<E>>;
  readonly ends: Pick<StreamEndCache, 'of' | 'note'>;
};

const recordedBy =
  (decode: Decode) =>
  (row: FullEventRow): StoredEvent => {
    const metadata = metadataOf(row);
    const data = decode(row.type, metadata.schema, parseJsonText(row.data));
    // A spread that members are added to costs V8 more than the rest of this.
    return Object.assign(envelopeOf(row, metadata), { data });
  };

const portionTaker =
  (turns: EventLoopShare): ReadSource['takePortion'] =>
  (rows, as, atEnd) =>
    turns.run(() => {
      const events: ReturnType<typeof as>[] = [];
      let cost = 0;
      for (const row of rows()) {
        events.push(as(row));
        cost += dataLengthOf(row);
        if (cost >= turnBytesMax) return { events, cost, isOver: false };
      }
      atEnd?.(events);
      return { events, cost, isOver: true };
    });

const tailOf = (
  { statements: ask, unchecked }: ReadSource,
  limit: number,
  before: Position | undefined,
): readonly StoredEvent[] => {
  const rows = ask().before.iterate(before === undefined ? noPos : posOf(before), limit);
  const events: StoredEvent[] = [];
  let bytes = 0;
  for (const row of rows) {
    events.push(unchecked(row));
    bytes += dataLengthOf(row);
    if (bytes >= pageBytesMax) break;
  }
  return events.reverse();
};

const headOf = ({ statements: ask }: ReadSource): Position => positionOf(ask().last.get() ?? 0);

const lastOf = ({ indexedStatements, ends }: ReadSource, stream: StreamName): LastEvent | null => {
  const row = indexedStatements().lastOf.get(stream, stream);
  if (row !== undefined) checkStored(row);
  ends.note(stream, row?.rev ?? 'none');
  if (row === undefined) return null;
  return { type: row.type, revision: row.rev, position: positionOf(row.pos) };
};

async function* portions(
  { indexedStatements, takePortion, recorded, ends }: ReadSource,
  stream: StreamName,
  { from = 0, types, limit = -1 }: ReadOptions = {},
): AsyncGenerator<readonly StoredEvent[], void> {
  const list = JSON.stringify(types ?? []);
  let next = from;
  let left = limit;
  const isWhole = types === undefined && limit < 0;
  const noteEnd = (events: readonly StoredEvent[]): void => {
    const end = events.at(-1)?.revision ?? (next === 0 ? 'none' : null);
    if (isWhole && end !== null) ends.note(stream, end);
  };
  for (;;) {
    const rows = (): Iterable<FullEventRow> =>
      types === undefined
        ? indexedStatements().ofStream.iterate(stream, stream, next, left)
        : indexedStatements().ofStreamAndTypes.iterate(stream, stream, next, list, left);
    const { events, isOver } = await takePortion(rows, recorded, noteEnd);
    if (types === undefined) checkOrder(events, next);
    const last = events.at(-1);
    const wasErased =
      last === undefined &&
      next > from &&
      indexedStatements().lastOf.get(stream, stream) === undefined;
    if (last !== undefined || wasErased) yield events;
    if (isOver || last === undefined) return;
    next = last.revision + 1;
    if (limit >= 0) left -= events.length;
  }
}

/** Revisions have no gaps: what is missing is there, and an index does not say so. */
const checkOrder = (events: readonly StoredEvent[], from: number): void => {
  for (const [at, { stream, revision, position }] of events.entries()) {
    if (revision === from + at) continue;
    throw damagedRowFault(position, `revision ${from + at} of ${stream} is missing before it`);
  }
};

/**
 * Rows in log order from a position on, as they fit into turns, until there is a page of them.
 */
const readPaged = async <R extends EventRow, E extends { readonly position: Position }>(
  { takePortion }: ReadSource,
  from: number,
  rows: (from: number, count: number) => Iterable<R>,
  as: (row: R) => E,
): Promise<Omit<RowPortion<E>, 'cost'>> => {
  const events: E[] = [];
  let bytes = 0;
  for (let at = from; ;) {
    const portion = await takePortion(() => rows(at, events.length), as);
    for (const event of portion.events) events.push(event);
    bytes += portion.cost;
    const last = portion.events.at(-1);
    if (portion.isOver || last === undefined) return { events, isOver: true };
    if (bytes >= pageBytesMax) return { events, isOver: false };
    at = posOf(last.position);
  }
};

/** A page of whatever is there: `rows` gives those after a position, less than so many. */
const readPageUpToHead = async <R extends EventRow, E extends { readonly position: Position }>(
  source: ReadSource,
  from: Position,
  limit: number,
  rows: (from: number, count: number) => Iterable<R>,
  as: (row: R) => E,
): Promise<{ readonly events: readonly E[]; readonly through: Position }> => {
  const head = headOf(source);
  const { events, isOver } = await readPaged(source, posOf(from), rows, as);
  const end = events.at(-1)?.position ?? from;
  // A short page has looked at everything up to the head noted before it: what is missing was
  // erased.
  const through = isOver && events.length < limit && head > end ? head : end;
  return { events, through };
};

const readPage = async (source: ReadSource, from: Position, limit: number): Promise<EventPage> => {
  const rows = (at: number, count: number) => source.statements().after.iterate(at, limit - count);
  const erased: Envelope[] = [];
  const events: StoredEvent[] = [];
  const as = (row: FullEventRow): Envelope => {
    if (isErased(checkStored(row))) {
      const envelope = envelopeOf(row, metadataOf(row));
      erased.push(envelope);
      return envelope;
    }
    const event = source.unchecked(row);
    events.push(event);
    return event;
  };
  const { through } = await readPageUpToHead(source, from, limit, rows, as);
  return { events, erased, through };
};

/** What is answered is what was stored; whoever looks for changes reads evidence, or the tail. */
const checkStored = (row: FullEventRow): FullEventRow => {
  const why = rowDamage(row);
  if (why !== null) throw damagedRowFault(positionOf(row.pos), why);
  return row;
};

/** A step of positions, whatever is at them: rows of other types are not looked at. */
const readPageOfTypes = async (
  source: ReadSource,
  types: readonly string[],
  from: Position,
  limit: number,
): Promise<EventPage> => {
  const end = Math.min(posOf(headOf(source)), posOf(from) + limit);
  const list = JSON.stringify(types);
  const { events, isOver } = await readPaged(
    source,
    posOf(from),
    (at) => source.indexedStatements().ofTypes.iterate(list, at, end),
    source.recorded,
  );
  const last = events.at(-1)?.position;
  const through = positionOf(Math.max(end, posOf(from)));
  return { events, erased: [], through: isOver || last === undefined ? through : last };
};
