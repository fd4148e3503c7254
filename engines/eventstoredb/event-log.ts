import {
  collected,
  type EventLog,
  type Position,
  type Reading,
  type Recorded,
  type StreamName,
  type Decode,
} from '../../kernel/ports.js';
import { openAppends } from './appends.js';
import { openConnection, type CallTimes } from './connection.js';
import { openErasedStreams } from './erased-streams.js';
import { openListings } from './listings.js';
import { namesIn } from './names.js';
import { openPages } from './pages.js';
import { openStreams } from './streams.js';
import { openTail } from './tail.js';

type Options = {
  /** `esdb://…` or `esdb+discover://…`; TLS, credentials and cluster settings are the client's. */
  readonly url: string;
  readonly decode?: Decode;
  /** What our streams' names begin with: one server may hold several logs. */
  readonly space?: string;
  readonly patience?: CallTimes;
};

/** Somebody who waits for growth looks for himself this often: what tells him may be broken. */
const lookAgainMs = 2_000;

/** Counting reads what it counts. */
const lagMax = 1_000;

/**
 * The event log on EventStoreDB (port EventLog), for a server from 20.6.1 on or a cluster. Opening
 * does not connect: each call does, answers within seconds, and throws Fault `unavailable` while
 * the server cannot be reached; nothing has to be opened again when it is back. Reads and appends
 * ask the leader. An event id is unique within its stream, not across streams. After an erasure the
 * content stays on the server's disk until a scavenge (RUNBOOK.md).
 */
export const openEventStore = async ({
  url,
  decode = (_type, _schema, data) => data,
  space = 'assay',
  patience,
}: Options): Promise<EventLog> => {
  const names = namesIn(space);
  const connection = openConnection(url, patience);
  const erased = openErasedStreams(connection, names);
  const streams = openStreams(connection, names);
  const pages = openPages({ connection, names, erased, decode });
  const waits = new Set<() => void>();
  const seen = (position: Position): void => {
    pages.seen(position);
    for (const look of waits) look();
  };
  const tail = openTail({ connection, names, erased, head: pages.head, seen });
  const append = openAppends({ connection, names, streams, seen, head: pages.head });
  const closing = new AbortController();

  const wait = (after: Position, signals: readonly AbortSignal[]): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearInterval(timer);
        for (const signal of signals) signal.removeEventListener('abort', done);
        waits.delete(look);
        resolve();
      };
      const look = (): void => {
        tail.wanted();
        if (pages.newest() > after) done();
      };
      const again = (): void => {
        look();
        if (!tail.hears(after)) pages.head().then(look, () => undefined);
      };
      const timer = setInterval(again, lookAgainMs).unref();
      waits.add(look);
      for (const signal of signals) signal.addEventListener('abort', done, { once: true });
      look();
    });

  async function* portions(
    stream: StreamName,
    reading?: Reading,
  ): AsyncGenerator<readonly Recorded[], void> {
    for await (const portion of streams.portions(stream, reading)) {
      yield await pages.recorded(portion);
    }
  }

  return {
    append,
    erase: async (stream) => {
      await erased.erase(stream);
      streams.forget(stream);
    },
    health: connection.health,
    read: (stream, reading) => collected(portions(stream, reading)),
    portions,
    last: async (stream) => {
      const last = await streams.last(stream);
      return last && { type: last.type, revision: last.revision, position: last.position };
    },
    page: async (after, limit, types) => {
      tail.wanted();
      return pages.page(after, limit, types, tail.after(after));
    },
    streams: openListings(connection, names, erased),
    head: pages.head,
    lag: async (after) => {
      let count = 0;
      for (let from = after; count < lagMax;) {
        const page = await pages.page(from, lagMax - count, undefined, tail.after(from));
        if (page.through <= from) break;
        count += page.events.length;
        from = page.through;
      }
      return count;
    },
    grown: async (after, signal) => {
      const signals = signal === undefined ? [closing.signal] : [signal, closing.signal];
      const isOver = (): boolean => signals.some(({ aborted }) => aborted);
      if (isOver() || pages.newest() > after) return;
      // A server that is away is no reason to return: the next look may find it.
      await tail.ensure().catch(() => null);
      if (!tail.hears(after)) await pages.head().catch(() => null);
      if (!isOver()) await wait(after, signals);
    },
    close: async () => {
      closing.abort();
      tail.stop();
      await connection.close();
    },
  } satisfies EventLog;
};
