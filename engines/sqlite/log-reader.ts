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

/** Brings stored data to today's shape; throws on a type or version that nobody knows (events/codec.ts). */
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
const pageBytesMax = 16 * 1024 * 1024;
/** Hints may be lost: the head is looked at this often all the same. */
const lookAgainMs = 250;

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
  const last = database.prepare<[], { pos: number }>(
    'SELECT max((SELECT coalesce(max(pos), 0) FROM events), (SELECT pos FROM high_water)) AS pos',
  );
  const headNow = (): Position => positionOf(last.get()?.pos ?? 0);

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
    // A short page has looked at everything up to the head noted before it: what is missing was erased.
    const through = events.length < limit && head > end ? head : end;
    return { events, through };
  };

  return {
    read: async (stream, { from = 0 } = {}) => ofStream.all(stream, from).map(recorded),
    page: async (from, limit) => page(from, limit),
    head: async () => headNow(),
    grown: (from, signal) =>
      new Promise((resolve) => {
        if (headNow() > from || signal?.aborted === true) return resolve();
        const done = (): void => {
          clearInterval(timer);
          end();
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const end = bus.subscribe('log.grown', done);
        const timer = setInterval(() => headNow() > from && done(), lookAgainMs);
        signal?.addEventListener('abort', done, { once: true });
      }),
    close: async () => {
      database.close();
    },
  };
};
