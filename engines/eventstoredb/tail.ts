import {
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamSubscription,
} from '@eventstore/db-client';
import { setTimeout as pause } from 'node:timers/promises';
import { start, type Position } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { openErasedStreams } from './erased-streams.js';
import type { Names } from './names.js';
import { placeOf, positionOf, storedFrom, type Stored } from './stored-event.js';

/** What is kept of the end of the log, for readers that are nearly there. */
const keptEventsMax = 2_000;
const keptBytesMax = 16 * 1024 * 1024;
/** Read ahead of what was taken over; beyond it the server waits. */
const aheadMax = 64;
const restFirstMs = 50;
const restMostMs = 2_000;

/** Nobody waits and nobody reads: the server is not troubled any longer. */
const idleMs = 10_000;

type Needs = {
  readonly connection: Connection;
  readonly names: Names;
  readonly erased: ReturnType<typeof openErasedStreams>;
  readonly head: () => Promise<Position>;
  readonly seen: (position: Position) => void;
};

/**
 * The end of the log as it grows: a catch-up subscription to everything, filtered by the server to
 * our streams, opened again from the last event taken over whenever it ends, so that nothing is
 * missed and nothing comes twice. Runs while somebody reads at the end. The server's own marks
 * (caught up, checkpoint) overtake events that still wait to be read and are not trusted.
 */
export const openTail = ({ connection, names, erased, head, seen }: Needs) => {
  let running: { readonly stop: () => void; isLive: boolean } | null = null;
  /** Everything after `from` up to `last` is kept. */
  let kept: Stored[] = [];
  let keptBytes = 0;
  let from: Position = start;
  let last: Position = start;
  let wantedAt = 0;

  const keep = (stored: Stored): void => {
    kept.push(stored);
    keptBytes += stored.bytes;
    let drop = 0;
    while (kept.length - drop > keptEventsMax || (keptBytes > keptBytesMax && drop < kept.length)) {
      keptBytes -= kept[drop]?.bytes ?? 0;
      from = kept[drop]?.position ?? from;
      drop += 1;
    }
    if (drop > 0) kept = kept.slice(drop);
  };

  const take = (event: AllStreamRecordedEvent): void => {
    const position = positionOf(event.position.commit);
    if (position <= last) return;
    last = position;
    if (event.streamId === names.erased) {
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
    keep(stored);
    seen(position);
  };

  const subscribe = (): AllStreamSubscription =>
    connection.client.subscribeToAll(
      {
        fromPosition: last === start ? 'start' : placeOf(last),
        filter: streamNameFilter({ prefixes: [names.prefix, names.erased] }),
      },
      { highWaterMark: aheadMax },
    );

  /** Resolves or throws when the subscription ends. */
  const follow = async (state: { isLive: boolean }, signal: AbortSignal): Promise<void> => {
    const subscription = subscribe();
    const end = (): void => void subscription.destroy();
    // What fails after nobody listens any more would be thrown past everyone.
    subscription.on('error', () => undefined);
    const watch = watching(connection.patience.lookMs, head, () => last, end);
    signal.addEventListener('abort', end, { once: true });
    subscription.once('confirmation', () => {
      state.isLive = true;
    });
    try {
      for await (const { event } of subscription) {
        state.isLive = true;
        if (event !== undefined) take(event);
      }
    } finally {
      state.isLive = false;
      watch.stop();
      signal.removeEventListener('abort', end);
      subscription.unsubscribe().catch(() => null);
    }
  };

  const run = async (state: { isLive: boolean }, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted;) {
      const before = last;
      // Why it ended does not matter: refused, dropped as too slow, or gone with its server.
      await follow(state, signal).catch(() => null);
      failures = last > before ? 0 : failures + 1;
      const rest = Math.min(restMostMs, restFirstMs * 2 ** Math.min(failures, 10));
      await pause(rest, undefined, { signal, ref: false }).catch(() => null);
    }
  };

  const stop = (): void => {
    running?.stop();
    running = null;
    kept = [];
    keptBytes = 0;
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
      // Later entries of the register come with the subscription.
      const [position] = await Promise.all([head(), erased.refresh()]);
      from = last = position;
    } catch (error) {
      if (running === state) stop();
      throw error;
    }
    if (!controller.signal.aborted) void run(state, controller.signal);
  };

  return {
    ensure,
    wanted: (): void => {
      wantedAt = performance.now();
    },
    /** Whether whatever comes after `after` is sure to be heard of soon. */
    hears: (after: Position): boolean => running !== null && running.isLive && after >= from,
    /** What is kept after `after` without a gap; empty says nothing about the log. */
    after: (after: Position): readonly Stored[] => {
      if (running === null || after < from || after >= last) return [];
      let low = 0;
      let high = kept.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((kept[middle]?.position ?? start) > after) high = middle;
        else low = middle + 1;
      }
      return kept.slice(low);
    },
    stop,
  };
};

/**
 * A subscription may stop without a word: when the log's head is beyond ours at two looks and
 * nothing came in between, it is opened anew.
 */
const watching = (
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
