import { Fault } from '../../kernel/fault.js';
import { openLimiter } from '../../kernel/limiter.js';
import { limits } from '../../kernel/limits.js';
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

type Needs = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly streams: StreamReader;
  /** Records that the log's head is at least here. */
  readonly recordHead: (position: Position) => void;
  readonly head: () => Promise<Position>;
};
type PendingAppend = {
  readonly stream: StreamName;
  readonly expected: number | 'none';
  readonly encoded: readonly PreparedEvent[];
  readonly bytes: number;
  readonly afterPrevious: boolean;
};
type StoredPlace = Pick<EsdbEvent, 'serverId' | 'revision' | 'position'>;
type AppendConnection = Connection & { readonly batch: BatchAppender };

/**
 * Idempotent append at exactly the expected revision (optimistic concurrency). After an unknown
 * outcome it reads the stream; only events that are missing and still fit are sent again, with the
 * same ids, so that the server recognises a late arrival of the first attempt.
 */
export const openIdempotentAppend = (needs: Needs) => {
  const slots = openLimiter(limits.eventStoreAppends);
  const memory = openLimiter(limits.eventStoreAppendBytes, () => {
    const cause = `${limits.eventStoreAppendBytes.size} bytes at most may wait for the server`;
    return new Fault('unavailable', 'The log is busy', { retryAfterSeconds: 2, cause });
  });
  const { client } = needs.connection;
  const wire: AppendConnection = {
    ...needs.connection,
    batch: openBatchAppender(() => openBatchCall(client)),
  };
  const appendAll = async (orders: readonly PendingAppend[]): Promise<readonly AppendResult[]> => {
    const before = new Map<StreamName, Promise<AppendResult>>();
    let previous: Promise<AppendResult | null> = Promise.resolve(null);
    const all = orders.map((order) => {
      // Appends to one stream run in order. An append takes a slot only after its predecessor
      // ended, so that a waiting append cannot block the one it waits for.
      const earlier = before.get(order.stream) ?? Promise.resolve();
      const required = order.afterPrevious ? previous : Promise.resolve(null);
      const own = Promise.all([required, earlier]).then(([result]) =>
        result === 'conflict' ? result : slots.run({}, {}, () => appendOne(needs, wire, order)),
      );
      before.set(order.stream, own);
      previous = own;
      return own;
    });
    // Waits for all, so that nothing of this call continues after it failed.
    await Promise.allSettled(all);
    return Promise.all(all);
  };
  return async (batch: readonly StreamAppend[]): Promise<readonly AppendResult[]> => {
    const orders = batch.map(toPendingAppend);
    const bytes = orders.reduce((sum, order) => sum + order.bytes, 0);
    const release = memory.acquireNow({}, bytes);
    try {
      return await appendAll(orders);
    } finally {
      release();
    }
  };
};

const appendOne = async (
  { names, streams, recordHead, head }: Needs,
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
  // Resolves an unknown outcome: written, lost for good, or to be sent again.
  const afterUnknown = async (): Promise<AppendReceipt | 'conflict' | null> => {
    const sent = await findStored(streams, stream, encoded);
    if (sent !== null) return sent;
    return (await streams.revision(name)) === expected ? null : 'conflict';
  };
  const sent = await sendWithRetry(wire, { name, expected, events: data }, afterUnknown);
  if (sent === 'conflict') return known();
  streams.grew(stream, sent.revision, ids);
  recordHead(sent.position);
  return { position: sent.position };
};

/** Receipt of the events when all are stored, one after the other. */
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
 * Sends an append with retries: over the shared call first, then by a call of its own, from which
 * the client learns the leader. `afterUnknown` checks whether the events are stored; null: they are
 * sent again.
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
      const failureKind = failureKindOf(error);
      if (failureKind === 'conflict' || failureKind === 'erased') return 'conflict';
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
  if (position === undefined) throw new Error('the response of the server has no position');
  return { revision: Number(nextExpectedRevision), position: positionOf(position.commit) };
};

/** Writes data too large for one append to the parts stream; returns where each event's data is. */
const writeOversized = async (
  wire: AppendConnection,
  streams: StreamReader,
  name: string,
  events: readonly PreparedEvent[],
): Promise<readonly (readonly number[] | null)[] | 'conflict'> => {
  const oversized = oversizedEvents(events);
  const places: (readonly number[] | null)[] = [];
  for (const event of events) {
    const revisions = oversized.has(event) ? await writeParts(wire, streams, name, event) : null;
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
      const request = { name, expected: last, events: [part] };
      const sent = await sendWithRetry(wire, request, async () => null);
      if (sent === 'conflict') continue;
      revisions.push(sent.revision);
      break;
    }
  }
  return revisions;
};

/** Throws TypeError for an append that the client cannot take. */
const toPendingAppend = ({ stream, expected, events, ...rest }: StreamAppend): PendingAppend => {
  if (stream === '') throw new TypeError('a stream needs a name');
  const encoded = events.map(prepareEvent);
  return {
    stream,
    expected,
    encoded,
    bytes: encoded.reduce((sum, event) => sum + event.bytes, 0),
    afterPrevious: rest.afterPrevious === true,
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

/** Largest events, as many as it takes for the others to fit into one append. */
const oversizedEvents = (events: readonly PreparedEvent[]): ReadonlySet<PreparedEvent> => {
  const oversized = new Set<PreparedEvent>();
  let left = events.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const event of events.toSorted((one, other) => other.bytes - one.bytes)) {
    if (left <= appendBytesMax) break;
    oversized.add(event);
    left -= event.bytes;
  }
  return oversized;
};
