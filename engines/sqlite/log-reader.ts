import { parseJsonText } from '../../kernel/json-text.js';
import { Fault, reasonOf } from '../../kernel/fault.js';
import {
  collected,
  type Bus,
  type Envelope,
  type EventReader,
  type Last,
  type Page,
  type Position,
  type Reading,
  type Recorded,
  type StreamName,
  type Decode,
} from '../../kernel/ports.js';
import { openLoopTurns, type LoopTurns } from '../node/loop-turns.js';
import type { Database } from './database.js';
import {
  envelopeOf,
  isErased,
  metadataOf,
  openEvidence,
  sizeOf,
  type Row,
} from './log-evidence.js';
import { noKnownEnds, type KnownEnds } from './known-ends.js';
import { badRow, hiddenEvents, placeless, sayingDamage, type TellDamage } from './log-damage.js';
import { isDamage } from './document-damage.js';
import { openNames } from './log-names.js';
import { openWaits } from './log-waits.js';
import { whyWrong, type WholeRow } from './log-scan.js';
import {
  envelopeColumns,
  isCurrent,
  openForReading,
  posOf,
  positionOf,
  prepareLast,
  wholeColumns,
} from './log-schema.js';

type Portion<E> = {
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
/**
 * Reads in the calling thread, on a connection of its own that cannot write. Throws when there is
 * no log yet. Once it is closed, whoever still reads is told so: Fault `unavailable`.
 */
export const openReader = ({
  dir,
  bus,
  decode = (_type, _schema, data) => data,
  damaged,
  hidden,
  ends = noKnownEnds,
}: {
  readonly dir: string;
  readonly bus: Bus;
  readonly decode?: Decode;
  readonly damaged: TellDamage;
  /** Why an index may hide events; null: it does not. Then only what needs no index is answered. */
  readonly hidden: () => string | null;
  readonly ends?: Pick<KnownEnds, 'of' | 'note'>;
}): EventReader => {
  const { database, statements } = opened(dir);
  const evidence = openEvidence(database);
  const ask = (): Statements => {
    if (!database.isOpen()) throw new Fault('unavailable', 'The service is stopping');
    return statements();
  };
  const byIndex = (): Statements => {
    const cause = hidden();
    if (cause !== null) throw hiddenEvents(cause);
    return ask();
  };
  const turns = openLoopTurns(turnBytesMax);
  const unchecked = recordedBy(decode);
  const recorded = (row: WholeRow): Recorded => unchecked(asStored(row));
  const source: Source = { ask, byIndex, take: takesIn(turns), recorded, unchecked, ends };
  const head = (): Position => headOf(source);
  const waits = openWaits(bus, head);
  const reader: EventReader = {
    read: (stream, reading) => collected(portions(source, stream, reading)),
    portions: (stream, reading) => portions(source, stream, reading),
    last: async (stream) => lastOf(source, stream),
    knownEnd: (stream) => (database.isOpen() ? ends.of(stream) : null),
    page: (from, limit, types) =>
      types === undefined ? page(source, from, limit) : pageOf(source, types, from, limit),
    evidence: async (from, limit) => {
      const rows = (at: number, count: number) => evidence.after(ask, at, limit - count);
      return pageTo(source, from, limit, rows, evidence.of);
    },
    evidenceAt: async (position) => {
      const row = evidence.at(ask, posOf(position));
      return row === undefined ? null : evidence.of(row);
    },
    tail: async (limit, before) => tailOf(source, limit, before),
    streams: openNames(database, byIndex, turns),
    head: async () => head(),
    // Pages that are free are overwritten.
    givenBack: async () => ({ when: 'at-once' }),
    // Positions here have no gaps.
    lag: async (from) => Math.max(0, posOf(head()) - posOf(from)),
    grown: async (from, signal) => {
      if (!database.isOpen() || signal?.aborted === true || head() > from) return;
      await waits.wait(from, signal);
    },
    close: async () => {
      database.close();
      waits.end();
    },
  };
  return sayingDamage(reader, database, damaged);
};

/** Throws Fault `log-damaged` for a file that cannot be read at all. */
const opened = (dir: string) => {
  try {
    const database = openForReading(dir);
    try {
      return { database, statements: preparedOn(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw isDamage(error) ? placeless(`the file cannot be read (${reasonOf(error)})`) : error;
  }
};

/** Prepared anew once a writer has brought the log to the layout of this build. */
const preparedOn = (database: Database): (() => Statements) => {
  let isNew = isCurrent(database);
  let statements = prepared(database);
  return () => {
    if (!isNew && isCurrent(database)) {
      isNew = true;
      statements = prepared(database);
    }
    return statements;
  };
};

/** Beyond every position. */
const noPos = Number.MAX_SAFE_INTEGER;

/** Positions alone are sorted, and rows come one by one; without the inner question all do. */
export const positionsOfTypes = `SELECT pos FROM events
  WHERE type IN (SELECT value FROM json_each(?)) AND pos > ? AND pos <= ?`;

const prepared = (database: Database) => {
  const columns = wholeColumns(database);
  const envelopes = envelopeColumns(database);
  const ofIt = 'NOT EXISTS (SELECT 1 FROM erased WHERE erased.stream = ?) AND stream = ?';
  return {
    ofStream: database.prepare<[string, string, number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ? ORDER BY rev LIMIT ?`,
    ),
    ofStreamAndTypes: database.prepare<[string, string, number, string, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ?
      AND type IN (SELECT value FROM json_each(?)) ORDER BY rev LIMIT ?`,
    ),
    lastOf: database.prepare<[string, string], WholeRow>(
      `SELECT ${envelopes} FROM events WHERE ${ofIt} ORDER BY rev DESC LIMIT 1`,
    ),
    after: database.prepare<[number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos > ? ORDER BY pos LIMIT ?`,
    ),
    before: database.prepare<[number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos < ? AND data IS NOT '' ORDER BY pos DESC LIMIT ?`,
    ),
    ofTypes: database.prepare<[string, number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos IN (${positionsOfTypes})
      AND data IS NOT '' ORDER BY pos`,
    ),
    last: prepareLast(database),
  };
};
type Statements = ReturnType<typeof prepared>;

type Source = {
  /** Throws once the reader is closed. */
  readonly ask: () => Statements;
  /** The same for a question that is answered by an index; throws where that may hide events. */
  readonly byIndex: () => Statements;
  /** Refuses a row that is not what was stored. */
  readonly recorded: (row: WholeRow) => Recorded;
  /** For whoever looks for changes. */
  readonly unchecked: (row: WholeRow) => Recorded;
  /** What there is room for in this turn, or one event. */
  readonly take: <R extends Row, E>(
    rows: () => Iterable<R>,
    as: (row: R) => E,
    /** Told in the same turn, when there are no more. */
    atEnd?: (events: readonly E[]) => void,
  ) => Promise<Portion<E>>;
  readonly ends: Pick<KnownEnds, 'of' | 'note'>;
};

const recordedBy =
  (decode: Decode) =>
  (row: WholeRow): Recorded => {
    const metadata = metadataOf(row);
    const data = decode(row.type, metadata.schema, parseJsonText(row.data));
    // A spread that members are added to costs V8 more than the rest of this.
    return Object.assign(envelopeOf(row, metadata), { data });
  };

const takesIn =
  (turns: LoopTurns): Source['take'] =>
  (rows, as, atEnd) =>
    turns.run(() => {
      const events: ReturnType<typeof as>[] = [];
      let cost = 0;
      for (const row of rows()) {
        events.push(as(row));
        cost += sizeOf(row);
        if (cost >= turnBytesMax) return { events, cost, isOver: false };
      }
      atEnd?.(events);
      return { events, cost, isOver: true };
    });

const tailOf = (
  { ask, unchecked }: Source,
  limit: number,
  before: Position | undefined,
): readonly Recorded[] => {
  const rows = ask().before.iterate(before === undefined ? noPos : posOf(before), limit);
  const events: Recorded[] = [];
  let bytes = 0;
  for (const row of rows) {
    events.push(unchecked(row));
    bytes += sizeOf(row);
    if (bytes >= pageBytesMax) break;
  }
  return events.reverse();
};

const headOf = ({ ask }: Source): Position => positionOf(ask().last.get() ?? 0);

const lastOf = ({ byIndex, ends }: Source, stream: StreamName): Last | null => {
  const row = byIndex().lastOf.get(stream, stream);
  if (row !== undefined) asStored(row);
  ends.note(stream, row?.rev ?? 'none');
  if (row === undefined) return null;
  return { type: row.type, revision: row.rev, position: positionOf(row.pos) };
};

async function* portions(
  { byIndex, take, recorded, ends }: Source,
  stream: StreamName,
  { from = 0, types, limit = -1 }: Reading = {},
): AsyncGenerator<readonly Recorded[], void> {
  const list = JSON.stringify(types ?? []);
  let next = from;
  let left = limit;
  const isWhole = types === undefined && limit < 0;
  const noteEnd = (events: readonly Recorded[]): void => {
    const end = events.at(-1)?.revision ?? (next === 0 ? 'none' : null);
    if (isWhole && end !== null) ends.note(stream, end);
  };
  for (;;) {
    const rows = (): Iterable<WholeRow> =>
      types === undefined
        ? byIndex().ofStream.iterate(stream, stream, next, left)
        : byIndex().ofStreamAndTypes.iterate(stream, stream, next, list, left);
    const { events, isOver } = await take(rows, recorded, noteEnd);
    if (types === undefined) checkOrder(events, next);
    const last = events.at(-1);
    const wasErased =
      last === undefined && next > from && byIndex().lastOf.get(stream, stream) === undefined;
    if (last !== undefined || wasErased) yield events;
    if (isOver || last === undefined) return;
    next = last.revision + 1;
    if (limit >= 0) left -= events.length;
  }
}

/** Revisions have no gaps: what is missing is there, and an index does not say so. */
const checkOrder = (events: readonly Recorded[], from: number): void => {
  for (const [at, { stream, revision, position }] of events.entries()) {
    if (revision === from + at) continue;
    throw badRow(position, `revision ${from + at} of ${stream} is missing before it`);
  }
};

/**
 * Rows in log order from a position on, as they fit into turns, until there is a page of them.
 */
const paged = async <R extends Row, E extends { readonly position: Position }>(
  { take }: Source,
  from: number,
  rows: (from: number, count: number) => Iterable<R>,
  as: (row: R) => E,
): Promise<Omit<Portion<E>, 'cost'>> => {
  const events: E[] = [];
  let bytes = 0;
  for (let at = from; ;) {
    const portion = await take(() => rows(at, events.length), as);
    for (const event of portion.events) events.push(event);
    bytes += portion.cost;
    const last = portion.events.at(-1);
    if (portion.isOver || last === undefined) return { events, isOver: true };
    if (bytes >= pageBytesMax) return { events, isOver: false };
    at = posOf(last.position);
  }
};

/** A page of whatever is there: `rows` gives those after a position, less than so many. */
const pageTo = async <R extends Row, E extends { readonly position: Position }>(
  source: Source,
  from: Position,
  limit: number,
  rows: (from: number, count: number) => Iterable<R>,
  as: (row: R) => E,
): Promise<{ readonly events: readonly E[]; readonly through: Position }> => {
  const head = headOf(source);
  const { events, isOver } = await paged(source, posOf(from), rows, as);
  const end = events.at(-1)?.position ?? from;
  // A short page has looked at everything up to the head noted before it: what is missing was
  // erased.
  const through = isOver && events.length < limit && head > end ? head : end;
  return { events, through };
};

const page = async (source: Source, from: Position, limit: number): Promise<Page> => {
  const rows = (at: number, count: number) => source.ask().after.iterate(at, limit - count);
  const erased: Envelope[] = [];
  const events: Recorded[] = [];
  const as = (row: WholeRow): Envelope => {
    if (isErased(asStored(row))) {
      const envelope = envelopeOf(row, metadataOf(row));
      erased.push(envelope);
      return envelope;
    }
    const event = source.unchecked(row);
    events.push(event);
    return event;
  };
  const { through } = await pageTo(source, from, limit, rows, as);
  return { events, erased, through };
};

/** What is answered is what was stored; whoever looks for changes reads evidence, or the tail. */
const asStored = (row: WholeRow): WholeRow => {
  const why = whyWrong(row);
  if (why !== null) throw badRow(positionOf(row.pos), why);
  return row;
};

/** A step of positions, whatever is at them: rows of other types are not looked at. */
const pageOf = async (
  source: Source,
  types: readonly string[],
  from: Position,
  limit: number,
): Promise<Page> => {
  const end = Math.min(posOf(headOf(source)), posOf(from) + limit);
  const list = JSON.stringify(types);
  const { events, isOver } = await paged(
    source,
    posOf(from),
    (at) => source.byIndex().ofTypes.iterate(list, at, end),
    source.recorded,
  );
  const last = events.at(-1)?.position;
  const through = positionOf(Math.max(end, posOf(from)));
  return { events, erased: [], through: isOver || last === undefined ? through : last };
};
