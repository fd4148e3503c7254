import { boundedMap, type BoundedMap } from '../kernel/bounded-map.js';
import type {
  Decode,
  EventReader,
  EventPage,
  Position,
  StoredEvent,
  StreamName,
} from '../kernel/ports.js';
import { unreadableType, type Unreadable } from './read-model.js';
import { batchEventsMax } from './subscription.js';

/** `gap`: the stream whose next revision is missing; the page must not be folded then. */
type CheckedPage = EventPage & { readonly gap: string | null };

export type PageReader = { readonly readAfter: (position: Position) => Promise<CheckedPage> };

/** Number of streams whose last revision is cached for gap detection. */
const revisionsMax = 100_000;

/** Reads pages with decoded events; reports a stream whose next revision is missing. */
export const openPageReader = ({
  reader,
  decode,
  onPage,
}: {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly onPage?: (events: readonly StoredEvent[]) => void;
}): PageReader => {
  const revisions = boundedMap<StreamName, number>(revisionsMax);
  return {
    readAfter: async (position) => {
      const page = await reader.page(position, batchEventsMax);
      const gap = findGap(page.events, revisions);
      const events = page.events.map((event) => decodeEvent(event, decode));
      onPage?.(events);
      return { ...page, events, gap };
    },
  };
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
