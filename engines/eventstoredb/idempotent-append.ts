import { Fault } from '../../kernel/fault.js';
import { openSemaphore } from '../../kernel/concurrency.js';
import type { AppendResult, Position, StreamAppend, StreamName } from '../../kernel/ports.js';
import { openBatchAppender, type BatchAppender } from './batch-append.js';
import type { AppendRequest, AppendReceipt } from './batch-messages.js';
import { openBatchCall } from './client.js';
import { failureKindOf, type Connection } from './connection.js';
import type { StreamNaming } from './stream-naming.js';
import {
  appendBytesMax,
  prepareEvent,
  splitIntoParts,
  positionOf,
  toEventData,
  toOutgoing,
  type PreparedEvent,
  type EsdbEvent,
} from './stored-event.js';
import type { StreamReader } from './stream-reader.js';

/** Appends under way at once; the server takes 100 calls on a connection, and reads need some. */
const concurrentMax = 48;
/** Appends waiting for their turn; beyond it they are refused rather than queued without end. */
const waitingBytesMax = 256 * 1024 * 1024;

type Needs = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly streams: StreamReader;
  /** The log's head is at least here. */
  readonly seen: (position: Position) => void;
  readonly head: () => Promise<Position>;
};
type PendingAppend = {
  readonly stream: StreamName;
  readonly expected: number | 'none';
  readonly encoded: readonly PreparedEvent[];
  readonly bytes: number;
};
type StoredPlace = Pick<EsdbEvent, 'serverId' | 'revision' | 'position'>;
type AppendConnection = Connection & { readonly batch: BatchAppender };

/**
 * Appends at exactly the expected revision. After an outcome that is unknown the stream is asked
 * for the events; only what is not there and still fits is sent again, with the same ids, so that
 * what arrives late all the same is known to the server.
 */
export const openIdempotentAppend = (needs: Needs) => {
  const inPlace = openSemaphore(concurrentMax);
  const { client } = needs.connection;
  const wire: AppendConnection = {
    ...needs.connection,
    batch: openBatchAppender(() => openBatchCall(client)),
  };
  let held = 0;
  const appendAll = async (orders: readonly PendingAppend[]): Promise<readonly AppendResult[]> => {
    const before = new Map<StreamName, Promise<AppendResult>>();
    const all = orders.map((order) => {
      // Those before it in the stream first, in which no place is held: what waits for another must
      // not block it.
      const earlier = before.get(order.stream) ?? Promise.resolve();
      const own = earlier.then(() => inPlace(() => appendOne(needs, wire, order)));
      before.set(order.stream, own);
      return own;
    });
    // All are waited for, so that nothing of this call goes on after it failed.
    await Promise.allSettled(all);
    return Promise.all(all);
  };
  return async (batch: readonly StreamAppend[]): Promise<readonly AppendResult[]> => {
    const orders = batch.map(toPendingAppend);
    const bytes = orders.reduce((sum, order) => sum + order.bytes, 0);
    if (held > 0 && held + bytes > waitingBytesMax) {
      const cause = `${held} bytes wait for the server already`;
      throw new Fault('unavailable', 'The log is busy', { retryAfterSeconds: 2, cause });
    }
    held += bytes;
    try {
      return await appendAll(orders);
    } finally {
      held -= bytes;
    }
  };
};

const appendOne = async (
  { names, streams, seen, head }: Needs,
  wire: AppendConnection,
  { stream, expected, encoded, bytes }: PendingAppend,
): Promise<AppendResult> => {
  const name = names.eventsOf(stream);
  if (encoded.length === 0) {
    return (await streams.revision(name)) === expected ? { position: await head() } : 'conflict';
  }
  const ids = encoded.map(({ id }) => id);
  if (new Set(ids).size < ids.length) return 'conflict';
  const known = async (): Promise<AppendResult> => {
    const sent = await findStored(streams, stream, encoded);
    return sent === null ? 'conflict' : { position: sent.position };
  };
  if (expected !== 'none' && (await streams.holds(stream, expected, ids))) return known();
  const isLarge = bytes > appendBytesMax;
  if (isLarge && (await streams.revision(name)) !== expected) return known();
  const places = isLarge ? await writeOversized(wire, streams, names.partsOf(stream), encoded) : [];
  if (places === 'conflict') return 'conflict';
  const data = encoded.map((event, index) => toOutgoing(event, places[index] ?? null));
  // There, lost for good, or to be sent again.
  const afterUnknown = async (): Promise<AppendReceipt | 'conflict' | null> => {
    const sent = await findStored(streams, stream, encoded);
    if (sent !== null) return sent;
    return (await streams.revision(name)) === expected ? null : 'conflict';
  };
  const sent = await sendWithRetry(wire, { name, expected, events: data }, afterUnknown);
  if (sent === 'conflict') return known();
  streams.grew(stream, sent.revision, ids);
  seen(sent.position);
  return { position: sent.position };
};

/** Where the events are, when they are all there, one after the other. */
const findStored = async (
  streams: StreamReader,
  stream: StreamName,
  events: readonly PreparedEvent[],
): Promise<AppendReceipt | null> => {
  const stored: StoredPlace[] = [];
  for await (const portion of streams.portions(stream)) {
    if (portion.length === 0) return null;
    for (const { serverId, revision, position } of portion) {
      stored.push({ serverId, revision, position });
    }
  }
  return findRun(stored, events);
};

/**
 * Over the shared call first, then by calls of their own, from which the client learns who leads.
 * `afterUnknown` looks whether the events are there; null: they are sent again.
 */
const sendWithRetry = async (
  { client, write, tries, batch }: AppendConnection,
  order: AppendRequest,
  afterUnknown: () => Promise<AppendReceipt | 'conflict' | null>,
): Promise<AppendReceipt | 'conflict'> => {
  const again = tries();
  for (let isShared = batch.isSupported(); ; isShared = false) {
    try {
      return await write('an append', (deadline) =>
        isShared ? batch.append(order, deadline) : appendAlone(client, order, deadline),
      );
    } catch (error) {
      const trouble = failureKindOf(error);
      if (trouble === 'conflict' || trouble === 'erased') return 'conflict';
      await again(error);
    }
    const sent = await afterUnknown();
    if (sent !== null) return sent;
  }
};

const appendAlone = async (
  client: Connection['client'],
  { name, expected, events }: AppendRequest,
  deadline: number,
): Promise<AppendReceipt> => {
  const { nextExpectedRevision, position } = await client.appendToStream(
    name,
    events.map(toEventData),
    {
      expectedRevision: expected === 'none' ? 'no_stream' : BigInt(expected),
      requiresLeader: true,
      deadline,
    },
  );
  if (position === undefined) throw new Error('the server does not say where the events are');
  return { revision: Number(nextExpectedRevision), position: positionOf(position.commit) };
};

/**
 * Writes what does not fit into one append beside the stream; answers where each event's data is.
 */
const writeOversized = async (
  wire: AppendConnection,
  streams: StreamReader,
  name: string,
  events: readonly PreparedEvent[],
): Promise<readonly (readonly number[] | null)[] | 'conflict'> => {
  const aside = oversizedEvents(events);
  const places: (readonly number[] | null)[] = [];
  for (const event of events) {
    const revisions = aside.has(event) ? await writeParts(wire, streams, name, event) : null;
    if (revisions === 'conflict') return 'conflict';
    places.push(revisions);
  }
  return places;
};

const writeParts = async (
  wire: AppendConnection,
  streams: StreamReader,
  name: string,
  event: PreparedEvent,
): Promise<readonly number[] | 'conflict'> => {
  const revisions: number[] = [];
  for (const part of splitIntoParts(event)) {
    for (;;) {
      const last = await streams.revision(name);
      if (last === undefined) return 'conflict';
      // An unknown outcome is sent again: the same id at the same revision is one part.
      const asked = { name, expected: last, events: [part] };
      const sent = await sendWithRetry(wire, asked, async () => null);
      if (sent === 'conflict') continue;
      revisions.push(sent.revision);
      break;
    }
  }
  return revisions;
};

/** Throws TypeError for what the client cannot take. */
const toPendingAppend = ({ stream, expected, events }: StreamAppend): PendingAppend => {
  if (stream === '') throw new TypeError('a stream needs a name');
  const encoded = events.map(prepareEvent);
  return {
    stream,
    expected,
    encoded,
    bytes: encoded.reduce((sum, event) => sum + event.bytes, 0),
  };
};

const findRun = (
  stored: readonly StoredPlace[],
  events: readonly PreparedEvent[],
): StoredPlace | null => {
  const first = stored.findIndex(({ serverId }) => serverId === events[0]?.serverId);
  if (first < 0) return null;
  const run = stored.slice(first, first + events.length);
  const isSame =
    run.length === events.length &&
    run.every(({ serverId }, index) => serverId === events[index]?.serverId);
  return isSame ? (run.at(-1) ?? null) : null;
};

/** The largest events, as many as it takes for the others to fit into one append. */
const oversizedEvents = (events: readonly PreparedEvent[]): ReadonlySet<PreparedEvent> => {
  const aside = new Set<PreparedEvent>();
  let left = events.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const event of events.toSorted((one, other) => other.bytes - one.bytes)) {
    if (left <= appendBytesMax) break;
    aside.add(event);
    left -= event.bytes;
  }
  return aside;
};
