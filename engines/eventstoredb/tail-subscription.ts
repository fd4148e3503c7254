import { streamNameFilter, type AllStreamRecordedEvent } from '@eventstore/db-client';
import { setTimeout as pause } from 'node:timers/promises';
import { logStart, type Position } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { ErasedStreams } from './erased-streams.js';
import type { StreamNaming } from './stream-naming.js';
import { serverPositionOf, positionOf, storedFrom, type EsdbEvent } from './stored-event.js';

/** Events cached at the end of the log, for readers that are nearly there. */
const keptEventsMax = 2_000;
const keptBytesMax = 16 * 1024 * 1024;
/** Events buffered ahead of processing; beyond it the server waits (backpressure). */
const readAheadMax = 64;
const backoffFirstMs = 50;
const backoffMaxMs = 2_000;

/** Idle time after which the subscription stops. */
const idleMs = 10_000;

type Needs = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly erased: ErasedStreams;
  readonly head: () => Promise<Position>;
  readonly recordHead: (position: Position) => void;
};

/**
 * Tail of the log as it grows: a catch-up subscription to everything, filtered by the server to
 * this log's streams, reopened from the last processed event whenever it ends, so that nothing is
 * missed or repeated. Runs while a reader is at the end. The server's own marks (caught up,
 * checkpoint) overtake events that still wait to be read and are not trusted.
 */
export const openTailSubscription = (needs: Needs) => {
  const { head, erased } = needs;
  const recent = openRecentEvents();
  const take = eventConsumer(needs, recent);
  let running: { readonly stop: () => void; isLive: boolean } | null = null;
  let wantedAt = 0;

  const stop = (): void => {
    running?.stop();
    running = null;
    recent.clear();
  };
  const ensure = async (): Promise<void> => {
    wantedAt = performance.now();
    if (running !== null) return;
    const controller = new AbortController();
    const idle = setInterval(() => {
      if (performance.now() - wantedAt > idleMs) stop();
    }, idleMs / 2).unref();
    const state = {
      isLive: false,
      stop: () => {
        clearInterval(idle);
        controller.abort();
      },
    };
    running = state;
    try {
      // Later register entries arrive with the subscription.
      const [position] = await Promise.all([head(), erased.refresh()]);
      recent.begin(position);
    } catch (error) {
      if (running === state) stop();
      throw error;
    }
    if (controller.signal.aborted) return;
    const isLive = (now: boolean): void => {
      state.isLive = now;
    };
    void keepSubscribed({ ...needs, last: recent.last, consume: take, isLive }, controller.signal);
  };

  return {
    ensure,
    wanted: (): void => {
      wantedAt = performance.now();
    },
    /** True if every event after `after` is sure to arrive through the subscription soon. */
    covers: (after: Position): boolean =>
      running !== null && running.isLive && recent.reachesBackTo(after),
    /**
     * Cached events after `after` without a gap; an empty list does not mean that the log has none.
     */
    after: (after: Position): readonly EsdbEvent[] => (running === null ? [] : recent.after(after)),
    stop,
  };
};

/** Cache of the last processed events: all between two positions. */
const openRecentEvents = () => {
  let kept: EsdbEvent[] = [];
  let keptBytes = 0;
  let from: Position = logStart;
  let last: Position = logStart;
  return {
    /** Starts empty; the next event comes after this position. */
    begin: (position: Position): void => {
      from = last = position;
    },
    last: (): Position => last,
    passed: (position: Position): void => {
      last = position;
    },
    reachesBackTo: (after: Position): boolean => after >= from,
    keep: (stored: EsdbEvent): void => {
      kept.push(stored);
      keptBytes += stored.bytes;
      let drop = 0;
      while (
        kept.length - drop > keptEventsMax ||
        (keptBytes > keptBytesMax && drop < kept.length)
      ) {
        keptBytes -= kept[drop]?.bytes ?? 0;
        from = kept[drop]?.position ?? from;
        drop += 1;
      }
      if (drop > 0) kept = kept.slice(drop);
    },
    after: (after: Position): readonly EsdbEvent[] => {
      if (after < from || after >= last) return [];
      let low = 0;
      let high = kept.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((kept[middle]?.position ?? logStart) > after) high = middle;
        else low = middle + 1;
      }
      return kept.slice(low);
    },
    clear: (): void => {
      kept = [];
      keptBytes = 0;
    },
  };
};

/** Processes events of the subscription: events, erasures, and operators' tombstones. */
const eventConsumer =
  ({ names, erased, recordHead }: Needs, recent: ReturnType<typeof openRecentEvents>) =>
  (event: AllStreamRecordedEvent): void => {
    const position = positionOf(event.position.commit);
    if (position <= recent.last()) return;
    recent.passed(position);
    if (event.streamId === names.erasedRegister) {
      erased.learn(event.data);
      return;
    }
    const stream = names.streamOf(event.streamId);
    if (stream === null) return;
    const stored = storedFrom(stream, event);
    if (stored === null) {
      if (event.type === '$streamDeleted') erased.noteErased(stream);
      return;
    }
    recent.keep(stored);
    recordHead(position);
  };

type SubscriptionFeed = Pick<Needs, 'connection' | 'names' | 'head'> & {
  readonly last: () => Position;
  readonly consume: (event: AllStreamRecordedEvent) => void;
  /** Called when the subscription becomes live or ends. */
  readonly isLive: (now: boolean) => void;
};

const keepSubscribed = async (feed: SubscriptionFeed, signal: AbortSignal): Promise<void> => {
  for (let failures = 0; !signal.aborted;) {
    const before = feed.last();
    // The reason does not matter: refused, dropped as too slow, or a stopped server.
    await subscribeOnce(feed, signal).catch(() => null);
    failures = feed.last() > before ? 0 : failures + 1;
    const rest = Math.min(backoffMaxMs, backoffFirstMs * 2 ** Math.min(failures, 10));
    await pause(rest, undefined, { signal, ref: false }).catch(() => null);
  }
};

/** Resolves or throws when the subscription ends. */
const subscribeOnce = async (
  { connection, names, head, last, consume, isLive }: SubscriptionFeed,
  signal: AbortSignal,
): Promise<void> => {
  const subscription = connection.client.subscribeToAll(
    {
      fromPosition: last() === logStart ? 'start' : serverPositionOf(last()),
      filter: streamNameFilter({ prefixes: [names.prefix, names.erasedRegister] }),
    },
    { highWaterMark: readAheadMax },
  );
  const end = (): void => void subscription.destroy();
  // Errors after the loop ended would be uncaught.
  subscription.on('error', () => undefined);
  const watch = openStallWatch(connection.patience.lookMs, head, last, end);
  signal.addEventListener('abort', end, { once: true });
  subscription.once('confirmation', () => isLive(true));
  try {
    for await (const { event } of subscription) {
      isLive(true);
      if (event !== undefined) consume(event);
    }
  } finally {
    isLive(false);
    watch.stop();
    signal.removeEventListener('abort', end);
    subscription.unsubscribe().catch(() => null);
  }
};

/**
 * Heartbeat of a subscription, which may stop silently: when the log's head is beyond the last
 * event at two checks and nothing arrived in between, it is reopened.
 */
const openStallWatch = (
  lookMs: number,
  head: () => Promise<Position>,
  last: () => Position,
  restart: () => void,
): { stop: () => void } => {
  let behindAt: Position | null = null;
  const timer = setInterval(() => {
    const at = last();
    head().then(
      (position) => {
        if (position > at && behindAt === at && last() === at) restart();
        behindAt = position > at ? at : null;
      },
      () => undefined,
    );
  }, lookMs).unref();
  return { stop: () => clearInterval(timer) };
};
