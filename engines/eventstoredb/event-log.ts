import { setMaxListeners } from 'node:events';
import {
  collectEvents,
  type EventLog,
  type Evidence,
  type Position,
  type ReadOptions,
  type StoredEvent,
  type StreamName,
  type Decode,
} from '../../kernel/ports.js';
import { openIdempotentAppend } from './idempotent-append.js';
import { openConnection, type CallTimeouts } from './connection.js';
import { openErasedStreams } from './erased-streams.js';
import { openLogHead } from './log-head.js';
import { openStreamList } from './list-streams.js';
import { openStreamNaming } from './stream-naming.js';
import { openLagCounter, type ReadPositions } from './count-lag.js';
import {
  openEventAt,
  openPageReader,
  itemPartsLoader,
  type PageItem,
  type PageReadNeeds,
} from './read-pages.js';
import { openScavengeStatus } from './scavenges.js';
import { openStreamReader, type StreamReader } from './stream-reader.js';
import { openTailSubscription } from './tail-subscription.js';
import { evidenceFrom, evidenceOfErased, recordedFrom } from './stored-event.js';
import { openBackwardReader } from './read-backwards.js';
import { partsLoader } from './event-parts.js';

type Options = {
  /** `esdb://…` or `esdb+discover://…`; TLS, credentials and cluster settings are the client's. */
  readonly url: string;
  readonly decode?: Decode;
  /** Prefix of the log's stream names: one server may hold several logs. */
  readonly space?: string;
  readonly patience?: CallTimeouts;
};

/** Poll interval while waiting for growth: notifications may fail. */
const pollMs = 2_000;

/**
 * Event log on EventStoreDB (port EventLog; event sourcing), for a server from 20.6.1 on or a
 * cluster. Opening does not connect: each call does, responds within seconds, and throws Fault
 * `unavailable` while the server cannot be reached; it recovers without reopening. Reads and
 * appends go to the leader. An event id is unique within its stream, not across streams. After an
 * erasure the content stays on the server's disk until a scavenge
 * (docs/runbook/eventstoredb.md).
 */
export const openEventStore = async ({
  url,
  decode = (_type, _schema, data) => data,
  space = 'assay',
  patience,
}: Options): Promise<EventLog> => {
  const names = openStreamNaming(space);
  const connection = openConnection(url, patience);
  const streams = openStreamReader(connection, names);
  const head = openLogHead(connection, names);
  const erased = openErasedStreams({ connection, names, streams, recordHead: head.recordHead });
  const recorded = partsLoader(connection, names, (stored) => recordedFrom(stored, decode));
  const backwards = openBackwardReader(connection, names, erased);
  const waits = openGrowthWaits();
  const recordHead = (position: Position): void => {
    head.recordHead(position);
    waits.notify();
  };
  const tail = openTailSubscription({ connection, names, erased, head: head.read, recordHead });
  const pageNeeds = { connection, names, erased, recordHead: head.recordHead };
  const { page, evidence, evidenceAt, positions } = openPageReads(pageNeeds, tail, decode);
  const append = openIdempotentAppend({ connection, names, streams, recordHead, head: head.read });
  async function* portions(
    stream: StreamName,
    reading?: ReadOptions,
  ): AsyncGenerator<readonly StoredEvent[], void> {
    for await (const portion of streams.portions(stream, reading)) yield await recorded(portion);
  }

  return {
    append: async (batch) => {
      await erased.settled(batch.map(({ stream }) => stream));
      return append(batch);
    },
    erase: async (stream) => {
      await erased.erase(stream);
      streams.forget(stream);
    },
    health: connection.health,
    read: (stream, reading) => collectEvents(portions(stream, reading)),
    portions,
    cachedRevision: () => null, // Others append too.
    last: lastEventOf(streams),
    page: async (after, limit, types) => {
      tail.wanted();
      return page(after, limit, types);
    },
    evidence: async (after, limit) => {
      tail.wanted();
      return evidence(after, limit);
    },
    evidenceAt,
    tail: async (limit, before) => recorded(await backwards(limit, before)),
    streams: openStreamList(connection, names, erased),
    head: async () => {
      await erased.begun();
      return head.read();
    },
    spaceReclaim: openScavengeStatus(connection),
    lag: openLagCounter(positions),
    waitForGrowth: waitForGrowth(tail, head, waits),
    close: async () => {
      waits.end();
      tail.stop();
      await connection.close();
    },
  } satisfies EventLog;
};

const lastEventOf =
  (streams: StreamReader): EventLog['last'] =>
  async (stream) => {
    const last = await streams.last(stream);
    return last && { type: last.type, revision: last.revision, position: last.position };
  };

/** Page reads: stored events, envelopes of erased ones, and both as evidence. */
const openPageReads = (
  needs: PageReadNeeds,
  tail: ReturnType<typeof openTailSubscription>,
  decode: Decode,
): Pick<EventLog, 'page' | 'evidence' | 'evidenceAt'> & { readonly positions: ReadPositions } => {
  const pages = openPageReader(needs);
  const whole = itemPartsLoader(needs);
  const eventAt = openEventAt(needs);
  const readPage = (
    after: Position,
    limit: number,
    types?: readonly string[],
  ): ReturnType<typeof pages> => pages(after, limit, tail.after(after), types);
  return {
    positions: async (after, limit) => {
      const { events, through } = await readPage(after, limit);
      return { positions: events.map(positionOfItem), through };
    },
    page: async (after, limit, types) => {
      const { events, through } = await readPage(after, limit, types);
      const wanted = events.filter((one) =>
        'stored' in one ? (types?.includes(one.stored.type) ?? true) : types === undefined,
      );
      const found = await Promise.all(wanted.map(whole));
      return {
        events: found.flatMap((one) => ('stored' in one ? [recordedFrom(one.stored, decode)] : [])),
        erased: found.flatMap((one) => ('erased' in one ? [one.erased] : [])),
        through,
      };
    },
    evidence: async (after, limit) => {
      const { events, through } = await readPage(after, limit);
      const found = await Promise.all(events.map(whole));
      return { events: found.map(evidenceOf), through };
    },
    evidenceAt: async (position) => {
      const found = await eventAt(position);
      return found === null ? null : evidenceOf(await whole(found));
    },
  };
};

const evidenceOf = (one: PageItem): Evidence =>
  'stored' in one ? evidenceFrom(one.stored) : evidenceOfErased(one.erased);

const positionOfItem = (one: PageItem): Position =>
  'stored' in one ? one.stored.position : one.erased.position;

const waitForGrowth =
  (
    tail: ReturnType<typeof openTailSubscription>,
    head: ReturnType<typeof openLogHead>,
    waits: ReturnType<typeof openGrowthWaits>,
  ): EventLog['waitForGrowth'] =>
  async (after, signal) => {
    const isGrown = (): boolean => {
      tail.wanted();
      return head.newest() > after;
    };
    /** An unreachable server does not end the wait: the next poll may reach it. */
    const poll = async (): Promise<void> => {
      if (!tail.covers(after)) await head.read().catch(() => null);
    };
    if (waits.isOver(signal) || head.newest() > after) return;
    await tail.ensure().catch(() => null);
    await poll();
    await waits.wait(isGrown, poll, signal);
  };

/** Waits for the log to grow, until it does, the caller aborts or the log is closed. */
const openGrowthWaits = () => {
  const checks = new Set<() => void>();
  const closing = new AbortController();
  // One listener per wait.
  setMaxListeners(0, closing.signal);
  const isOver = (signal: AbortSignal | undefined): boolean =>
    closing.signal.aborted || signal?.aborted === true;
  return {
    isOver,
    /** Wakes all waits to check again. */
    notify: (): void => {
      for (const check of checks) check();
    },
    /** Checks on each `notify` and at intervals, also after a `poll`. */
    wait: async (
      isThere: () => boolean,
      poll: () => Promise<void>,
      signal?: AbortSignal,
    ): Promise<void> => {
      if (isOver(signal)) return;
      const signals = signal === undefined ? [closing.signal] : [signal, closing.signal];
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearInterval(timer);
          for (const each of signals) each.removeEventListener('abort', done);
          checks.delete(check);
          resolve();
        };
        const check = (): void => void (isThere() && done());
        const again = (): void => {
          check();
          void poll().then(check);
        };
        const timer = setInterval(again, pollMs).unref();
        checks.add(check);
        for (const each of signals) each.addEventListener('abort', done, { once: true });
        check();
      });
    },
    end: (): void => closing.abort(),
  };
};
