import {
  logStart,
  type Envelope,
  type EventReader,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../kernel/ports.js';

/** An event, or the envelope that remains of an erased one. */
export type ScannedEvent = StoredEvent | Envelope;
export const hasData = (event: ScannedEvent): event is StoredEvent => 'data' in event;

/** Page size: some megabytes of large events. */
const scanPageEvents = 500;

/** The whole log, newest first, with the envelopes of erased events in their places. */
export async function* eventsBackwards(reader: EventReader): AsyncIterable<ScannedEvent> {
  let before: Position | null = null;
  for (;;) {
    const events = await reader.tail(scanPageEvents, before ?? undefined);
    const first = events[0]?.position ?? logStart;
    const erased = await erasedBetween(reader, first, before);
    yield* [...events, ...erased].sort((one, other) => (one.position < other.position ? 1 : -1));
    if (events.length === 0) return;
    before = first;
  }
}

const erasedBetween = async (
  reader: EventReader,
  after: Position,
  before: Position | null,
): Promise<readonly Envelope[]> => {
  const found: Envelope[] = [];
  for await (const page of pagesAfter(reader, after)) {
    found.push(...page.erased.filter(({ position }) => before === null || position < before));
    if (before !== null && page.through >= before) break;
  }
  return found;
};

/** Pages from there to the current end of the log. */
async function* pagesAfter(reader: EventReader, after: Position) {
  let position = after;
  for (;;) {
    const page = await reader.page(position, scanPageEvents);
    if (page.through <= position) return;
    yield page;
    position = page.through;
  }
}

/** Subscription: events after `after` in log order, as they arrive, until `signal` aborts. */
export async function* newEvents(
  reader: EventReader,
  after: Position,
  signal: AbortSignal,
): AsyncIterable<ScannedEvent> {
  let position = after;
  while (!signal.aborted) {
    for await (const page of pagesAfter(reader, position)) {
      yield* sortByPosition([...page.events, ...page.erased]);
      position = page.through;
    }
    await reader.waitForGrowth(position, signal);
  }
}

const sortByPosition = (events: readonly ScannedEvent[]): readonly ScannedEvent[] =>
  [...events].sort((one, other) => (one.position < other.position ? -1 : 1));

/**
 * The last events of one stream, in order. An erased stream reads as empty, so its envelopes are
 * searched in the whole log.
 */
export const lastEventsOf = async (
  reader: EventReader,
  stream: StreamName,
  limit: number,
): Promise<readonly ScannedEvent[]> => {
  const last = await reader.last(stream);
  if (last !== null) {
    const from = Math.max(0, last.revision + 1 - limit);
    return reader.read(stream, { from });
  }
  const found: Envelope[] = [];
  for await (const { erased } of pagesAfter(reader, logStart)) {
    found.push(...erased.filter((one) => one.stream === stream));
  }
  return found.slice(-limit);
};
