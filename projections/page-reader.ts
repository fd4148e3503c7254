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
 * Rows after which a page ends while a read of another project waits: a quarter of what a page of
 * the embedded log has in traces of ten spans, so that the read waits for less at a time.
 */
export const besideReadRowsMax = 512;
/** Age at which the rest of a divided page is read again: it may have been erased since. */
const restMaxMs = 1_000;

/**
 * Reads pages with decoded events; reports a stream whose next revision is missing. While a read of
 * a project waits, pages are divided after so many rows of other projects.
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
      const count = whole.gap === null ? eventsBesideReads(whole.events, waitingReads) : Infinity;
      const [page, left] = dividePage(whole, count);
      rest = left && { after: page.through, page: left, readAt: kept?.readAt ?? now };
      onPage?.(page.events);
      return page;
    },
  };
};

/** Number of events that hold up no waiting read for longer than `besideReadRowsMax` rows. */
const eventsBesideReads = (events: readonly StoredEvent[], waitingReads: WaitingReads): number => {
  let rows = 0;
  for (const [at, { stream, data }] of events.entries()) {
    const project = recordStreamProject(stream);
    if (project === null || !waitingReads.hasOtherThan(project)) continue;
    rows += 1 + spanCount(data);
    if (rows >= besideReadRowsMax) return at + 1;
  }
  return events.length;
};

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
