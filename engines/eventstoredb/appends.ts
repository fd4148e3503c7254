import type { EventData } from '@eventstore/db-client';
import { Fault } from '../../kernel/fault.js';
import type { AppendResult, Position, StreamAppend, StreamName } from '../../kernel/ports.js';
import { troubleOf, type Connection } from './connection.js';
import type { Names } from './names.js';
import {
  appendBytesMax,
  encode,
  partsOf,
  positionOf,
  toSend,
  type Encoded,
  type Stored,
} from './stored-event.js';
import type { openStreams } from './streams.js';

/** Appends under way at once; the server takes 100 calls on a connection, and reads need some. */
const atOnceMax = 48;
/** Appends waiting for their turn; beyond it they are refused rather than queued without end. */
const waitingBytesMax = 256 * 1024 * 1024;

type Needs = {
  readonly connection: Connection;
  readonly names: Names;
  readonly streams: ReturnType<typeof openStreams>;
  /** The log's head is at least here. */
  readonly seen: (position: Position) => void;
  readonly head: () => Promise<Position>;
};
type Order = {
  readonly stream: StreamName;
  readonly expected: number | 'none';
  readonly encoded: readonly Encoded[];
  readonly bytes: number;
};
type Place = Pick<Stored, 'serverId' | 'revision' | 'position'>;
type Sent = { readonly revision: number; readonly position: Position } | 'conflict';

/**
 * Appends at exactly the expected revision. After an outcome that is unknown the stream is asked
 * for the events; only what is not there and still fits is sent again, with the same ids, so that
 * what arrives late all the same is known to the server.
 */
export const openAppends = ({ connection, names, streams, seen, head }: Needs) => {
  const { client, write, tries } = connection;
  const turns = openTurns(atOnceMax);

  /** Where the events are, when they are all there, one after the other. */
  const found = async (stream: StreamName, events: readonly Encoded[]): Promise<Sent | null> => {
    const stored: Place[] = [];
    for await (const portion of streams.portions(stream)) {
      if (portion.length === 0) return null;
      for (const { serverId, revision, position } of portion) {
        stored.push({ serverId, revision, position });
      }
    }
    const place = placeAmong(stored, events);
    return place === undefined ? null : { revision: place.revision, position: place.position };
  };

  const send = async (
    name: string,
    expected: number | 'none',
    events: readonly EventData[],
    lookFor: () => Promise<Sent | null>,
  ): Promise<Sent> => {
    const again = tries();
    for (;;) {
      try {
        const { nextExpectedRevision, position } = await write('an append', (deadline) =>
          client.appendToStream(name, [...events], {
            expectedRevision: expected === 'none' ? 'no_stream' : BigInt(expected),
            requiresLeader: true,
            deadline,
          }),
        );
        if (position === undefined) throw new Error('the server does not say where the events are');
        return { revision: Number(nextExpectedRevision), position: positionOf(position.commit) };
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === 'conflict' || trouble === 'erased') return 'conflict';
        await again(error);
      }
      const sent = await lookFor();
      if (sent !== null) return sent;
    }
  };

  /** The stream was asked after an unknown outcome: there, lost for good, or to be sent again. */
  const afterwards =
    (stream: StreamName, expected: number | 'none', events: readonly Encoded[]) =>
    async (): Promise<Sent | null> => {
      const sent = await found(stream, events);
      if (sent !== null) return sent;
      return (await streams.revision(names.of(stream))) === expected ? null : 'conflict';
    };

  /**
   * Writes what does not fit into one append beside the stream; answers where each event's data is.
   */
  const setAside = async (
    stream: StreamName,
    events: readonly Encoded[],
  ): Promise<readonly (readonly number[] | null)[] | 'conflict'> => {
    const aside = tooMuch(events);
    const places: (readonly number[] | null)[] = [];
    for (const event of events) {
      const revisions = aside.has(event) ? await writeParts(stream, event) : null;
      if (revisions === 'conflict') return 'conflict';
      places.push(revisions);
    }
    return places;
  };
  const writeParts = async (
    stream: StreamName,
    event: Encoded,
  ): Promise<readonly number[] | 'conflict'> => {
    const name = names.parts(stream);
    const revisions: number[] = [];
    for (const part of partsOf(event)) {
      for (;;) {
        const last = await streams.revision(name);
        if (last === undefined) return 'conflict';
        // An unknown outcome is sent again: the same id at the same revision is one part.
        const sent = await send(name, last, [part], async () => null);
        if (sent === 'conflict') continue;
        revisions.push(sent.revision);
        break;
      }
    }
    return revisions;
  };

  const appendOne = async ({ stream, expected, encoded, bytes }: Order): Promise<AppendResult> => {
    if (encoded.length === 0) {
      const revision = await streams.revision(names.of(stream));
      return revision === expected ? { position: await head() } : 'conflict';
    }
    const ids = encoded.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return 'conflict';
    const known = async (): Promise<AppendResult> => {
      const sent = await found(stream, encoded);
      return sent === null || sent === 'conflict' ? 'conflict' : { position: sent.position };
    };
    if (expected !== 'none' && (await streams.holds(stream, expected, ids))) return known();
    const isLarge = bytes > appendBytesMax;
    if (isLarge && (await streams.revision(names.of(stream))) !== expected) return known();
    const places = isLarge ? await setAside(stream, encoded) : [];
    if (places === 'conflict') return 'conflict';
    const data = encoded.map((event, index) => toSend(event, places[index] ?? null));
    const again = afterwards(stream, expected, encoded);
    const sent = await send(names.of(stream), expected, data, again);
    if (sent === 'conflict') return known();
    streams.grew(stream, sent.revision, ids);
    seen(sent.position);
    return { position: sent.position };
  };

  return async (batch: readonly StreamAppend[]): Promise<readonly AppendResult[]> => {
    const orders = batch.map(orderOf);
    const bytes = orders.reduce((sum, order) => sum + order.bytes, 0);
    if (turns.bytes() > 0 && turns.bytes() + bytes > waitingBytesMax) {
      const cause = `${turns.bytes()} bytes wait for the server already`;
      throw new Fault('unavailable', 'The log is busy', { retryAfterSeconds: 2, cause });
    }
    const results: AppendResult[] = [];
    const before = new Map<StreamName, Promise<unknown>>();
    const all = orders.map((order, index) => {
      const earlier = before.get(order.stream) ?? Promise.resolve();
      const own = turns.run(order.bytes, earlier, async () => {
        results[index] = await appendOne(order);
      });
      before.set(order.stream, own);
      return own;
    });
    // All are waited for, so that nothing of this call goes on after it failed.
    const failed = (await Promise.allSettled(all)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return results;
  };
};

/** Throws TypeError for what the client cannot take. */
const orderOf = ({ stream, expected, events }: StreamAppend): Order => {
  if (stream === '') throw new TypeError('a stream needs a name');
  const encoded = events.map(encode);
  return {
    stream,
    expected,
    encoded,
    bytes: encoded.reduce((sum, event) => sum + event.bytes, 0),
  };
};

const placeAmong = (stored: readonly Place[], events: readonly Encoded[]): Place | undefined => {
  const first = stored.findIndex(({ serverId }) => serverId === events[0]?.serverId);
  if (first < 0) return undefined;
  const run = stored.slice(first, first + events.length);
  const isSame =
    run.length === events.length &&
    run.every(({ serverId }, index) => serverId === events[index]?.serverId);
  return isSame ? run.at(-1) : undefined;
};

/** The largest events, as many as it takes for the others to fit into one append. */
const tooMuch = (events: readonly Encoded[]): ReadonlySet<Encoded> => {
  const aside = new Set<Encoded>();
  let left = events.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const event of events.toSorted((one, other) => other.bytes - one.bytes)) {
    if (left <= appendBytesMax) break;
    aside.add(event);
    left -= event.bytes;
  }
  return aside;
};

const openTurns = (max: number) => {
  const waiting: (() => void)[] = [];
  let running = 0;
  let held = 0;
  return {
    bytes: () => held,
    /** `earlier` first, in which no turn is held: what waits for another must not block it. */
    run: async (
      bytes: number,
      earlier: Promise<unknown>,
      work: () => Promise<void>,
    ): Promise<void> => {
      held += bytes;
      try {
        await earlier;
        if (running === max) await new Promise<void>((resolve) => waiting.push(resolve));
        else running += 1;
        try {
          await work();
        } finally {
          const next = waiting.shift();
          if (next === undefined) running -= 1;
          else next();
        }
      } finally {
        held -= bytes;
      }
    },
  };
};
