import { parseJsonText } from '../../kernel/json-text.js';
import { Fault } from '../../kernel/fault.js';
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
  withDamageFaults,
  type ReportDamage,
} from './log-damage.js';
import { openStreamList } from './list-streams.js';
import { openGrowthWaits } from './growth-waits.js';
import { missingRow, rowDamage, type FullEventRow } from './log-scan.js';
import { posOf, positionOf } from './log-schema.js';
import { openLogFile, type LogStatements } from './log-statements.js';

type RowPortion<E> = {
  readonly events: readonly E[];
  /** Characters of their data. */
  readonly cost: number;
  /** True when no more rows follow; else the portion ended at its size limit. */
  readonly isOver: boolean;
};

/**
 * A page ends once it holds this much text, so that huge events do not pile up in memory and the
 * next page is folded while a store writes this one.
 */
const pageBytesMax = 2 * 1024 * 1024;
/**
 * Text read and decoded per event-loop tick, by all readers of this thread: some 3 ms, and as long
 * again for folding it. An event is not divided, and none is larger than 1 MiB.
 */
const tickBytesMax = 256 * 1024;
type LogReaderOptions = {
  readonly dir: string;
  readonly bus: NotificationBus;
  readonly decode?: Decode;
  readonly damaged: ReportDamage;
  /**
   * Reason why an index may hide events, null when intact. With a reason, only reads without an
   * index are served.
   */
  readonly hidden: () => string | null;
  readonly ends?: Pick<StreamEndCache, 'of' | 'note'>;
};

/**
 * Log reader in the calling thread, on its own read-only connection. Throws when the log does not
 * exist yet. Once it is closed, running reads throw Fault `unavailable`.
 */
export const openLogReader = ({
  dir,
  bus,
  decode = (_type, _schema, data) => data,
  damaged,
  hidden,
  ends = noStreamEndCache,
}: LogReaderOptions): EventReader => {
  const { database, statements } = openLogFile(dir);
  const evidence = openEvidenceReader(database);
  const openStatements = (): LogStatements => {
    if (!database.isOpen()) throw new Fault('unavailable', 'The service is stopping');
    return statements();
  };
  const byIndex = (): LogStatements => {
    const cause = hidden();
    if (cause !== null) throw indexDamageFault(cause);
    return openStatements();
  };
  const loopShare = openEventLoopShare(tickBytesMax);
  const unchecked = recordedBy(decode);
  const recorded = (row: FullEventRow): StoredEvent => unchecked(checkStored(row));
  const source: ReadSource = {
    statements: openStatements,
    indexedStatements: byIndex,
    takePortion: portionTaker(loopShare),
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
      const rows = (at: number, count: number) => evidence.after(openStatements, at, limit - count);
      return readPageUpToHead(source, from, limit, rows, evidence.of);
    },
    evidenceAt: async (position) => {
      const row = evidence.at(openStatements, posOf(position));
      return row === undefined ? null : evidence.of(row);
    },
    tail: async (limit, before) => tailOf(source, limit, before),
    streams: openStreamList(database, byIndex, loopShare),
    head: async () => head(),
    // Free pages are overwritten.
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

/** Greater than every position. */
const noPos = Number.MAX_SAFE_INTEGER;

type ReadSource = {
  /** Throws once the reader is closed. */
  readonly statements: () => LogStatements;
  /** Same, for reads through an index; throws when it may hide events. */
  readonly indexedStatements: () => LogStatements;
  /** Decodes a row; throws when it is not as stored. */
  readonly recorded: (row: FullEventRow) => StoredEvent;
  /** Decodes without that check, for reads that detect changes. */
  readonly unchecked: (row: FullEventRow) => StoredEvent;
  /** Takes rows up to the size limit of this tick, or one event. */
  readonly takePortion: <R extends EventRow, E>(
    rows: () => Iterable<R>,
    as: (row: R) => E,
    /** Called in the same tick, after the last row. */
    atEnd?: (events: readonly E[]) => void,
  ) => Promise<RowPortion<E>>;
  readonly ends: Pick<StreamEndCache, 'of' | 'note'>;
};

const recordedBy =
  (decode: Decode) =>
  (row: FullEventRow): StoredEvent => {
    const metadata = metadataOf(row);
    const data = decode(row.type, metadata.schema, parseJsonText(row.data));
    // A spread with added members costs V8 more than the rest of this.
    return Object.assign(envelopeOf(row, metadata), { data });
  };

const portionTaker =
  (loopShare: EventLoopShare): ReadSource['takePortion'] =>
  (rows, as, atEnd) =>
    loopShare.run(() => {
      const events: ReturnType<typeof as>[] = [];
      let cost = 0;
      for (const row of rows()) {
        events.push(as(row));
        cost += dataLengthOf(row);
        if (cost >= tickBytesMax) return { events, cost, isOver: false };
      }
      atEnd?.(events);
      return { events, cost, isOver: true };
    });

const tailOf = (
  { statements, unchecked }: ReadSource,
  limit: number,
  before: Position | undefined,
): readonly StoredEvent[] => {
  const rows = statements().before.iterate(before === undefined ? noPos : posOf(before), limit);
  const events: StoredEvent[] = [];
  let bytes = 0;
  for (const row of rows) {
    events.push(unchecked(row));
    bytes += dataLengthOf(row);
    if (bytes >= pageBytesMax) break;
  }
  return events.reverse();
};

const headOf = ({ statements }: ReadSource): Position => positionOf(statements().last.get() ?? 0);

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

/** Detects a missing event: revisions have no gaps, so the index lost its entry. */
const checkOrder = (events: readonly StoredEvent[], from: number): void => {
  for (const [at, { stream, revision, position }] of events.entries()) {
    if (revision === from + at) continue;
    throw damagedRowFault(position, `revision ${from + at} of ${stream} is missing before it`);
  }
};

/** Reads rows in log order from a position on, as they fit into ticks, until a page is full. */
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

/**
 * Reads a page up to the head: `rows` returns those after a position, fewer than the limit by
 * `count`.
 */
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
  // A short page has read everything up to the head recorded before it: missing events were erased.
  const through = isOver && events.length < limit && head > end ? head : end;
  return { events, through };
};

const readPage = async (source: ReadSource, from: Position, limit: number): Promise<EventPage> => {
  const rows = (at: number, count: number) => source.statements().after.iterate(at, limit - count);
  const erased: Envelope[] = [];
  const events: StoredEvent[] = [];
  let last = posOf(from);
  const checkGap = (next: number): void => {
    if (next > last + 1) refuseGap(source, last, next);
    last = next;
  };
  const as = (row: FullEventRow): Envelope => {
    checkGap(row.pos);
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
  checkGap(posOf(through) + 1);
  return { events, erased, through };
};

/**
 * Throws for a position between these two whose event is missing, unless an erasure of layout 1
 * removed it.
 */
const refuseGap = ({ statements }: ReadSource, last: number, next: number): void => {
  const first = Math.max(last, statements().highWater.get() ?? 0) + 1;
  if (first < next) throw damagedRowFault(positionOf(first), missingRow);
};

/** Throws unless the row is as stored; reads that detect changes use evidence, or the tail. */
const checkStored = (row: FullEventRow): FullEventRow => {
  const why = rowDamage(row);
  if (why !== null) throw damagedRowFault(positionOf(row.pos), why);
  return row;
};

/** Reads a range of positions; rows of other types are not read. */
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
