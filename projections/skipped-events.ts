import { operationsStream, type ParkingEvent } from '../events/parking.js';
import { Fault } from '../kernel/fault.js';
import {
  logStart,
  type Clock,
  type Decode,
  type EventReader,
  type StoredEvent,
  type StreamName,
} from '../kernel/ports.js';
import type { Instant } from '../kernel/schema-types.js';

/** A poison event that an operator skipped for one read model. */
export type SkippedEvent = {
  readonly projection: string;
  readonly stream: StreamName;
  readonly revision: number;
};

type Needs = {
  readonly reader: Pick<EventReader, 'page' | 'read'>;
  readonly decode: Decode;
  readonly clock: Clock;
};

/**
 * All skipped events, as recorded in the log, so that no read model has to store them. Retries
 * while the log is unavailable.
 */
export const readSkippedEvents = async (needs: Needs): Promise<readonly SkippedEvent[]> => {
  const { reader, decode, clock } = needs;
  const skipped: SkippedEvent[] = [];
  for (const name of await retryWhileUnavailable(clock, () => operationsStreams(needs))) {
    const events = await retryWhileUnavailable(clock, () => reader.read(name));
    for (const one of events) {
      const event = decodeOrNull(one, decode);
      if (event?.type !== skipEventType) continue;
      const { projection, stream, revision } = event.data;
      skipped.push({ projection, stream: stream as StreamName, revision });
    }
  }
  return skipped;
};

/** The skip decisions in a page of decoded events. */
export const skippedEventsIn = (events: readonly StoredEvent[]): readonly SkippedEvent[] =>
  events.flatMap(({ type, data }) => {
    if (type !== skipEventType) return [];
    const { projection, stream, revision } = data as SkippedEvent;
    return [{ projection, stream, revision }];
  });

const skipEventType = 'ParkedEventSkipped' satisfies ParkingEvent['type'];

/** Null for events of a newer version, which only that version applies. */
const decodeOrNull = (
  { type, metadata, data }: StoredEvent,
  decode: Decode,
): ParkingEvent | null => {
  try {
    return { type, data: decode(type, metadata.schema, data) } as ParkingEvent;
  } catch {
    return null;
  }
};

/**
 * Operations streams: one for each month since the first event, and one more for clock differences.
 */
const operationsStreams = async ({ reader, clock }: Needs): Promise<readonly StreamName[]> => {
  const { events, erased } = await reader.page(logStart, 1);
  const [first] = [...events, ...erased].map(({ metadata }) => metadata.at).sort();
  return first === undefined ? [] : monthsFrom(first, clock.now()).map(operationsStream);
};

const monthsFrom = (first: Instant, now: Instant): readonly Instant[] => {
  const [from, until] = [first, now].map((at) => {
    const date = new Date(at);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }) as [number, number];
  return Array.from({ length: Math.max(0, until + 2 - from) }, (_, count) => {
    const at = new Date(Date.UTC(0, 0, 1));
    at.setUTCFullYear(0, from + count, 1);
    return at.toISOString() as Instant;
  });
};

/** Retry interval while the log is unavailable. */
const retryDelayMs = 1_000;

/** Retries a read of the log at the start until the log is available, without limit. */
export const retryWhileUnavailable = async <T>(
  clock: Clock,
  read: () => Promise<T>,
): Promise<T> => {
  const never = new AbortController().signal;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'unavailable') throw error;
      await clock.wait(retryDelayMs, never);
    }
  }
};
