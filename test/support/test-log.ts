import { randomUUID } from 'node:crypto';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { decode } from '../../events/codec.js';
import type { Clock, Event, EventLog, StoredEvent, StreamName } from '../../kernel/ports.js';
import { appendEvents, type Authorship } from '../../kernel/transact.js';
import type { Instant } from '../../kernel/schema-types.js';
import { startEventStoreServer } from './eventstore-server/server.js';
import { temporaryFolder } from './folder.js';

export type TestLog = {
  readonly log: EventLog;
  readonly dir: string;
  /** Appends to the end of the stream. */
  readonly append: (stream: StreamName, ...events: readonly Event[]) => Promise<void>;
  /** The first event of each of these streams, in one append. */
  readonly appendFirst: (streams: readonly (readonly [StreamName, Event])[]) => Promise<void>;
  readonly eventsOf: (stream: StreamName) => Promise<readonly Event[]>;
  readonly close: () => Promise<void>;
};

/** The embedded log in a folder of its own. */
export const testLog = async (): Promise<TestLog> => {
  const { dir, remove } = await temporaryFolder();
  const bus = openBus(randomUUID());
  const log = await openEventLog({ dir, bus, decode });
  return testLogOf(log, dir, async () => {
    await log.close();
    await bus.close();
    await remove();
  });
};

/** A log on the EventStoreDB test server. */
export const remoteTestLog = async (): Promise<TestLog> => {
  const { dir, remove } = await temporaryFolder();
  const server = await startEventStoreServer({ dir });
  const log = await openEventStore({ url: server.url, decode });
  return testLogOf(log, dir, async () => {
    await log.close();
    await server.close();
    await remove();
  });
};

const testLogOf = (log: EventLog, dir: string, close: () => Promise<void>): TestLog => {
  return {
    log,
    dir,
    append: async (stream, ...events) => {
      const next = (await log.read(stream)).length;
      const expected = next === 0 ? 'none' : next - 1;
      const [result] = await appendEvents(log, [{ stream, expected, events }], authorAt());
      if (result === undefined || result === 'conflict') throw new Error(`conflict on ${stream}`);
    },
    appendFirst: async (streams) => {
      const additions = streams.map(([stream, event]) => ({ stream, events: [event] }));
      const results = await appendEvents(log, additions, authorAt());
      if (results.includes('conflict')) throw new Error('a stream was there already');
    },
    eventsOf: async (stream) => (await log.read(stream)).map(({ type, data }) => ({ type, data })),
    close,
  };
};

const startMs = Date.parse('2026-03-01T09:00:00Z');

export const instantAfter = (seconds: number): Instant =>
  new Date(startMs + seconds * 1_000).toISOString().replace('Z', '000Z') as Instant;

/** Authorship of a test request, `seconds` after nine o'clock. */
export const authorAt = (seconds = 0): Authorship => ({
  actor: { type: 'user', id: 'ada', role: 'admin' },
  requestId: 'request-1',
  correlationId: 'correlation-1',
  causationId: null,
  organizationId: null,
  at: instantAfter(seconds),
  eventId: () => randomUUID(),
});

/** Manual clock: stands still until `move`. */
export const testClock = (): Clock & { readonly move: (seconds: number) => void } => {
  let seconds = 0;
  return {
    now: () => instantAfter(seconds),
    milliseconds: () => seconds * 1_000,
    wait: (_milliseconds, signal) => systemClock.wait(1, signal),
    move: (by) => {
      seconds += by;
    },
  };
};

/** An event in the form for projections; its position follows from its index in the history. */
export const recordedAt = <E extends Event>(place: number, event: E): StoredEvent<E> => ({
  ...event,
  id: randomUUID(),
  stream: 'stream' as StreamName,
  revision: place,
  position: place.toString(16).padStart(16, '0') as StoredEvent['position'],
  metadata: {
    actor: { type: 'user', id: 'ada', role: 'admin' },
    request_id: 'r',
    correlation_id: 'r',
    causation_id: null,
    at: instantAfter(place),
    schema: 1,
  },
  digest: '00'.repeat(32),
});
