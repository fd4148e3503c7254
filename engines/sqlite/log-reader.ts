import type {
  Bus,
  EventReader,
  Metadata,
  Page,
  Position,
  Recorded,
  StreamName,
} from '../../kernel/ports.js';
import { openForReading, posOf, positionOf } from './log-schema.js';

/**
 * Brings stored data to today's shape; throws on a type or version that nobody knows
 * (events/codec.ts).
 */
export type Decode = (type: string, schema: number, data: unknown) => unknown;

type Row = {
  readonly pos: number;
  readonly stream: string;
  readonly rev: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
};

/** A page ends early once it holds this much text, so that huge events do not pile up in memory. */
const pageBytesMax = 8 * 1024 * 1024;
/** Hints may be lost: the head is looked at this often all the same. */
const lookAgainMs = 250;

/**
 * Reads in the calling thread, on a connection of its own that cannot write. Throws when there is
 * no log yet.
 */
export const openReader = ({
  dir,
  bus,
  decode = (_type, _schema, data) => data,
}: {
  readonly dir: string;
  readonly bus: Bus;
  readonly decode?: Decode;
}): EventReader => {
  const database = openForReading(dir);
  const ofStream = database.prepare<[string, number], Row>(
    'SELECT * FROM events WHERE stream = ? AND rev >= ? ORDER BY rev',
  );
  const after = database.prepare<[number, number], Row>(
    'SELECT * FROM events WHERE pos > ? ORDER BY pos LIMIT ?',
  );
  const ofTypes = database.prepare<[number, number, string], Row>(
    `SELECT * FROM events WHERE pos > ? AND pos <= ?
      AND type IN (SELECT value FROM json_each(?)) ORDER BY pos`,
  );
  const names = database
    .prepare<[string, string, number], string>(
      'SELECT stream FROM events WHERE stream > ? AND stream < ? AND rev = 0 ORDER BY stream LIMIT ?',
    )
    .pluck();
  const last = database
    .prepare<[], number>(
      'SELECT max((SELECT coalesce(max(pos), 0) FROM events), (SELECT pos FROM high_water))',
    )
    .pluck();
  const headNow = (): Position => positionOf(last.get() ?? 0);
  const waits = new Set<() => void>();

  const recorded = (row: Row): Recorded => {
    const metadata = JSON.parse(row.metadata) as Metadata;
    return {
      id: row.id,
      stream: row.stream as StreamName,
      revision: row.rev,
      position: positionOf(row.pos),
      type: row.type,
      data: decode(row.type, metadata.schema, JSON.parse(row.data)),
      metadata,
    };
  };

  const page = (from: Position, limit: number): Page => {
    const events: Recorded[] = [];
    let bytes = 0;
    const head = headNow();
    for (const row of after.iterate(posOf(from), limit)) {
      events.push(recorded(row));
      bytes += row.data.length;
      if (bytes >= pageBytesMax) return { events, through: positionOf(row.pos) };
    }
    const end = events.at(-1)?.position ?? from;
    // A short page has looked at everything up to the head noted before it: what is missing was
    // erased.
    const through = events.length < limit && head > end ? head : end;
    return { events, through };
  };

  /**
   * A step of positions, whatever is at them: rows of other types cost no more than a look at their
   * type.
   */
  const pageOf = (types: readonly string[], from: Position, limit: number): Page => {
    const end = Math.min(posOf(headNow()), posOf(from) + limit);
    const rows = ofTypes.all(posOf(from), end, JSON.stringify(types));
    const through = positionOf(Math.max(end, posOf(from)));
    return { events: rows.map(recorded), through };
  };

  const wait = (from: Position, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearInterval(timer);
        unsubscribe();
        signal?.removeEventListener('abort', done);
        waits.delete(done);
        resolve();
      };
      const unsubscribe = bus.subscribe('log.grown', done);
      const timer = setInterval(() => headNow() > from && done(), lookAgainMs).unref();
      signal?.addEventListener('abort', done, { once: true });
      waits.add(done);
    });

  return {
    read: async (stream, { from = 0 } = {}) => ofStream.all(stream, from).map(recorded),
    page: async (from, limit, types) =>
      types === undefined ? page(from, limit) : pageOf(types, from, limit),
    streams: async (prefix, from, limit) =>
      names.all(from ?? prefix, `${prefix}\u{10FFFF}`, limit) as StreamName[],
    head: async () => headNow(),
    // Positions here have no gaps.
    lag: async (from) => Math.max(0, posOf(headNow()) - posOf(from)),
    grown: async (from, signal) => {
      if (!database.open || signal?.aborted === true || headNow() > from) return;
      await wait(from, signal);
    },
    close: async () => {
      database.close();
      for (const done of waits) done();
    },
  };
};
