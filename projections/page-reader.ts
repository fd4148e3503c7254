import { recordStreamProject, spanCount } from '../kernel/backpressured-log.js';
import { boundedMap, type BoundedMap } from '../kernel/bounded-map.js';
import type {
  Clock,
  Decode,
  EventReader,
  EventPage,
  NotificationBus,
  Position,
  StoredEvent,
  StreamName,
} from '../kernel/ports.js';
import { unreadableType, type Unreadable } from './read-model.js';
import { batchEventsMax } from './subscription.js';
import { openWaitingReads, type WaitingReads } from './waiting-reads.js';

/** `gap`: the stream whose next revision is missing; the page must not be folded then. */
type CheckedPage = EventPage & { readonly gap: string | null };

export type PageReader = { readonly readAfter: (position: Position) => Promise<CheckedPage> };

type RestOfPage = {
  readonly after: Position;
  readonly page: CheckedPage;
  readonly readAt: number;
};

/** Number of streams whose last revision is cached for gap detection. */
const revisionsMax = 100_000;

/**
 * Least rows of each part of a divided page. A batch has a fixed cost (D-168), and only rows that
 * follow the awaited event hold up the read.
 */
export const partRowsMin = 256;
/** Age at which the rest of a divided page is read again: it may have been erased since. */
const restMaxMs = 1_000;

/**
 * Reads pages with decoded events; reports a stream whose next revision is missing. Where a
 * read waits for an event of a page, the page ends there, unless few rows of other projects follow.
 */
export const openPageReader = ({
  reader,
  decode,
  bus,
  clock,
  onPage,
}: {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly bus: Pick<NotificationBus, 'subscribe'>;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly onPage?: (events: readonly StoredEvent[]) => void;
}): PageReader => {
  const revisions = boundedMap<StreamName, number>(revisionsMax);
  const waitingReads = openWaitingReads(bus, clock);
  let rest: RestOfPage | null = null;
  const read = async (position: Position): Promise<CheckedPage> => {
    const page = await reader.page(position, batchEventsMax);
    const gap = findGap(page.events, revisions);
    return { ...page, events: page.events.map((event) => decodeEvent(event, decode)), gap };
  };
  return {
    readAfter: async (position) => {
      const now = clock.milliseconds();
      const kept = rest?.after === position && now - rest.readAt < restMaxMs ? rest : null;
      const whole = kept?.page ?? (await read(position));
      const count = whole.gap === null ? eventsUntilRead(whole.events, waitingReads) : Infinity;
      const [page, left] = dividePage(whole, count);
      rest = left && { after: page.through, page: left, readAt: kept?.readAt ?? now };
      onPage?.(page.events);
      return page;
    },
  };
};

/** Number of events up to the first one that a read waits for; all: the page is not divided. */
const eventsUntilRead = (events: readonly StoredEvent[], waitingReads: WaitingReads): number => {
  let rows = 0;
  let awaitedBy: string | null = null;
  for (const [at, event] of events.entries()) {
    rows += rowCount(event);
    awaitedBy ??= waitingReads.projectAt(event.position);
    if (awaitedBy !== null && rows >= partRowsMin) {
      const isWorth = hasRowsOfOthers(events.slice(at + 1), awaitedBy);
      return isWorth ? at + 1 : events.length;
    }
  }
  return events.length;
};

/** True if at least `partRowsMin` rows are of other projects than the one that reads. */
const hasRowsOfOthers = (events: readonly StoredEvent[], reading: string): boolean => {
  let rows = 0;
  return events.some((event) => {
    const project = recordStreamProject(event.stream);
    if (project !== null && project !== reading) rows += rowCount(event);
    return rows >= partRowsMin;
  });
};

const rowCount = ({ data }: StoredEvent): number => 1 + spanCount(data);

/** The first events of a page, and the rest of it; null: nothing is left. */
const dividePage = (
  page: CheckedPage,
  count: number,
): readonly [page: CheckedPage, rest: CheckedPage | null] => {
  const last = page.events[count - 1];
  if (last === undefined || count >= page.events.length) return [page, null];
  const { events, erased } = page;
  const through = last.position;
  const isBefore = ({ position }: { readonly position: Position }): boolean => position <= through;
  return [
    { ...page, events: events.slice(0, count), erased: erased.filter(isBefore), through },
    {
      ...page,
      events: events.slice(count),
      erased: erased.filter((envelope) => !isBefore(envelope)),
    },
  ];
};

export const decodeEvent = (event: StoredEvent, decode: Decode): StoredEvent => {
  try {
    return { ...event, data: decode(event.type, event.metadata.schema, event.data) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const data: Unreadable = { type: event.type, reason, stored: event.data };
    return { ...event, type: unreadableType, data };
  }
};

const findGap = (
  events: readonly StoredEvent[],
  revisions: BoundedMap<StreamName, number>,
): string | null => {
  for (const { stream, revision } of events) {
    const last = revisions.get(stream);
    if (last !== undefined && revision > last + 1) {
      return `gap: ${stream} has revision ${revision} where ${last + 1} is next`;
    }
    if (last === undefined || revision > last) revisions.set(stream, revision);
  }
  return null;
};
