import type Database from 'better-sqlite3';
import { Fault } from '../../kernel/fault.js';
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
import { envelopeOf, isErased, metadataOf, openEvidence, type Row } from './log-evidence.js';
import { noKnownEnds, type KnownEnds } from './known-ends.js';
import { badRow, sayingDamage, type TellDamage } from './log-damage.js';
import { openNames } from './log-names.js';
import { whyWrong, type WholeRow } from './log-scan.js';
import { isSalted, openForReading, posOf, positionOf } from './log-schema.js';

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
/** Hints may be lost: the head is looked at this often all the same. */
const lookAgainMs = 250;

/**
 * Reads in the calling thread, on a connection of its own that cannot write. Throws when there is
 * no log yet. Once it is closed, whoever still reads is told so: Fault `unavailable`.
 */
export const openReader = ({
  dir,
  bus,
  decode = (_type, _schema, data) => data,
  damaged,
  ends = noKnownEnds,
}: {
  readonly dir: string;
  readonly bus: Bus;
  readonly decode?: Decode;
  readonly damaged: TellDamage;
  readonly ends?: Pick<KnownEnds, 'of' | 'note'>;
}): EventReader => {
  const database = openForReading(dir);
  const statements = preparedOn(database);
  const evidence = openEvidence(database);
  const ask = (): Statements => {
    if (!database.open) throw new Fault('unavailable', 'The service is stopping');
    return statements();
  };
  const turns = openLoopTurns(turnBytesMax);
  const source: Source = { ask, take: takesIn(turns), recorded: recordedBy(decode), ends };
  const head = (): Position => headOf(source);
  const waits = openWaits(bus, head);
  const reader: EventReader = {
    read: (stream, reading) => collected(portions(source, stream, reading)),
    portions: (stream, reading) => portions(source, stream, reading),
    last: async (stream) => lastOf(source, stream),
    knownEnd: (stream) => (database.open ? ends.of(stream) : null),
    page: (from, limit, types, checked) =>
      types === undefined
        ? page(source, from, limit)
        : pageOf(source, types, from, limit, checked === 'checked'),
    evidence: async (from, limit) => {
      const rows = (at: number, count: number) => evidence.after(ask, at, limit - count);
      return pageTo(source, from, limit, rows, evidence.of);
    },
    evidenceAt: async (position) => {
      const row = evidence.at(ask, posOf(position));
      return row === undefined ? null : evidence.of(row);
    },
    tail: async (limit, before) => {
      const rows = ask().before.iterate(before === undefined ? noPos : posOf(before), limit);
      const events: Recorded[] = [];
      let bytes = 0;
      for (const row of rows) {
        events.push(source.recorded(row));
        bytes += row.data.length;
        if (bytes >= pageBytesMax) break;
      }
      return events.reverse();
    },
    streams: openNames(database, ask, turns),
    head: async () => head(),
    // Pages that are free are overwritten.
    givenBack: async () => ({ when: 'at-once' }),
    // Positions here have no gaps.
    lag: async (from) => Math.max(0, posOf(head()) - posOf(from)),
    grown: async (from, signal) => {
      if (!database.open || signal?.aborted === true || head() > from) return;
      await waits.wait(from, signal);
    },
    close: async () => {
      database.close();
      waits.end();
    },
  };
  return sayingDamage(reader, database, damaged);
};

/** Anew once somebody has brought the log to the layout that has digests. */
const preparedOn = (database: Database.Database): (() => Statements) => {
  let isNew = isSalted(database);
  let statements = prepared(database, isNew);
  return () => {
    if (!isNew && isSalted(database)) {
      isNew = true;
      statements = prepared(database, isNew);
    }
    return statements;
  };
};

/** Beyond every position. */
const noPos = Number.MAX_SAFE_INTEGER;

/** Positions alone are sorted, and rows come one by one; without the inner question all do. */
export const positionsOfTypes = `SELECT pos FROM events
  WHERE type IN (SELECT value FROM json_each(?)) AND pos > ? AND pos <= ?`;

const prepared = (database: Database.Database, withDigests: boolean) => {
  const digest = withDigests ? 'salt, digest' : 'NULL AS salt, NULL AS digest';
  const columns = `pos, stream, rev, id, type, data, metadata, ${digest}`;
  const ofIt = 'NOT EXISTS (SELECT 1 FROM erased WHERE erased.stream = ?) AND stream = ?';
  return {
    ofStream: database.prepare<[string, string, number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ? ORDER BY rev LIMIT ?`,
    ),
    ofStreamAndTypes: database.prepare<[string, string, number, string, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE ${ofIt} AND rev >= ?
      AND type IN (SELECT value FROM json_each(?)) ORDER BY rev LIMIT ?`,
    ),
    lastOf: database.prepare<[string, string], Pick<Row, 'pos' | 'rev' | 'type'>>(
      `SELECT pos, rev, type FROM events WHERE ${ofIt} ORDER BY rev DESC LIMIT 1`,
    ),
    after: database.prepare<[number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos > ? ORDER BY pos LIMIT ?`,
    ),
    before: database.prepare<[number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos < ? AND data <> '' ORDER BY pos DESC LIMIT ?`,
    ),
    ofTypes: database.prepare<[string, number, number], WholeRow>(
      `SELECT ${columns} FROM events WHERE pos IN (${positionsOfTypes})
      AND data <> '' ORDER BY pos`,
    ),
    last: database
      .prepare<[], number>(
        'SELECT max((SELECT coalesce(max(pos), 0) FROM events), (SELECT pos FROM high_water))',
      )
      .pluck(),
  };
};
type Statements = ReturnType<typeof prepared>;

type Source = {
  /** Throws once the reader is closed. */
  readonly ask: () => Statements;
  readonly recorded: (row: WholeRow) => Recorded;
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
    const data = decode(row.type, metadata.schema, JSON.parse(row.data));
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
        cost += row.data.length;
        if (cost >= turnBytesMax) return { events, cost, isOver: false };
      }
      atEnd?.(events);
      return { events, cost, isOver: true };
    });

const headOf = ({ ask }: Source): Position => positionOf(ask().last.get() ?? 0);

const lastOf = ({ ask, ends }: Source, stream: StreamName): Last | null => {
  const row = ask().lastOf.get(stream, stream);
  ends.note(stream, row?.rev ?? 'none');
  if (row === undefined) return null;
  return { type: row.type, revision: row.rev, position: positionOf(row.pos) };
};

async function* portions(
  { ask, take, recorded, ends }: Source,
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
        ? ask().ofStream.iterate(stream, stream, next, left)
        : ask().ofStreamAndTypes.iterate(stream, stream, next, list, left);
    const { events, isOver } = await take(rows, recorded, noteEnd);
    const last = events.at(-1);
    const wasErased =
      last === undefined && next > from && ask().lastOf.get(stream, stream) === undefined;
    if (last !== undefined || wasErased) yield events;
    if (isOver || last === undefined) return;
    next = last.revision + 1;
    if (limit >= 0) left -= events.length;
  }
}

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
    if (isErased(row)) {
      const envelope = envelopeOf(row, metadataOf(row));
      erased.push(envelope);
      return envelope;
    }
    const event = asStored(source, row);
    events.push(event);
    return event;
  };
  const { through } = await pageTo(source, from, limit, rows, as);
  return { events, erased, through };
};

/** What is folded is what was stored; who looks for changes reads streams and evidence. */
const asStored = (source: Source, row: WholeRow): Recorded => {
  const why = whyWrong(row);
  if (why !== null) throw badRow(positionOf(row.pos), why);
  return source.recorded(row);
};

/** A step of positions, whatever is at them: rows of other types are not looked at. */
const pageOf = async (
  source: Source,
  types: readonly string[],
  from: Position,
  limit: number,
  isChecked: boolean,
): Promise<Page> => {
  const end = Math.min(posOf(headOf(source)), posOf(from) + limit);
  const list = JSON.stringify(types);
  const { events, isOver } = await paged(
    source,
    posOf(from),
    (at) => source.ask().ofTypes.iterate(list, at, end),
    isChecked ? (row) => asStored(source, row) : source.recorded,
  );
  const last = events.at(-1)?.position;
  const through = positionOf(Math.max(end, posOf(from)));
  return { events, erased: [], through: isOver || last === undefined ? through : last };
};

/**
 * Who waits for the log to grow: told by the bus, and looking now and then all the same. Rejects
 * when the head cannot be read.
 */
const openWaits = (bus: Bus, head: () => Position) => {
  const waits = new Set<() => void>();
  return {
    wait: (from: Position, signal: AbortSignal | undefined): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearInterval(timer);
          unsubscribe();
          signal?.removeEventListener('abort', done);
          waits.delete(done);
        };
        const done = (): void => {
          end();
          resolve();
        };
        const look = (): void => {
          try {
            if (head() > from) done();
          } catch (error) {
            end();
            reject(error);
          }
        };
        const unsubscribe = bus.subscribe('log.grown', look);
        const timer = setInterval(look, lookAgainMs).unref();
        signal?.addEventListener('abort', done, { once: true });
        waits.add(done);
      }),
    end: (): void => {
      for (const done of waits) done();
    },
  };
};
