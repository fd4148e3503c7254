import { boundedMap } from '../../kernel/bounded-map.js';
import { logStart, type Envelope, type Position } from '../../kernel/ports.js';
import { openMutex } from '../../kernel/concurrency.js';
import type { Connection } from './connection.js';
import type { ErasedStreams } from './erased-streams.js';
import type { StreamNaming } from './stream-naming.js';
import { openRecentTypes } from './recent-types.js';
import {
  envelopeFrom,
  serverPositionOf,
  positionOf,
  storedFrom,
  type ServerPosition,
  type EsdbEvent,
} from './stored-event.js';
import { loadParts } from './event-parts.js';

/** A page ends once it holds this many bytes, so that huge events do not pile up in memory. */
const pageBytesMax = 8 * 1024 * 1024;
const eventOverheadBytes = 1_024;
/** Events read from the server at once when those of other logs lie between. */
const stepMax = 1_000;
/** Positions remembered after which only events of other logs came. */
const quietMax = 16;

export type PageReadNeeds = {
  readonly connection: Connection;
  readonly names: StreamNaming;
  readonly erased: ErasedStreams;
  /** Records that the log's head is at least here. */
  readonly recordHead: (position: Position) => void;
};

/** A stored event, or the envelope of an erased one. */
export type PageItem = { readonly stored: EsdbEvent } | { readonly erased: Envelope };
/** Items in log order, up to `through`. */
type ItemPage = { readonly events: readonly PageItem[]; readonly through: Position };

/** All stored events of this log between two positions, `through` included. */
type FetchedEvents = { readonly found: readonly EsdbEvent[]; readonly through: Position };

/**
 * Page reader over the server's global order. Events of other logs are skipped, and the skipped
 * range is remembered, so that a reader at the end does not skip it again and again. Erased events
 * appear as the envelopes stored beside the log, since a scavenge removes the server's. `recent`
 * may save a read of the server. With `types` the page may be empty, up to where none of them
 * occurs; the caller filters other types out.
 */
export const openPageReader = (needs: PageReadNeeds) => {
  const { erased } = needs;
  const quiet = boundedMap<Position, ServerPosition>(quietMax);
  const fetch = openFetch(needs, quiet.get);
  const pagedFrom = (stored: EsdbEvent): PageItem =>
    erased.has(stored.stream) ? { erased: envelopeFrom(stored) } : { stored };
  /** Merges in the stored envelopes of events that the server no longer has. */
  const merged = async (
    after: Position,
    limit: number,
    { found, through: seenTo }: FetchedEvents,
  ): Promise<ItemPage> => {
    const events = new Map(found.map((stored) => [stored.position, pagedFrom(stored)]));
    for (const envelope of await erased.between(after, seenTo)) {
      events.set(envelope.position, { erased: envelope });
    }
    const positions = [...events.keys()].sort().slice(0, limit);
    const through = positions.at(-1) ?? after;
    if (events.size <= limit && seenTo > through) quiet.set(through, serverPositionOf(seenTo));
    return { events: positions.flatMap((position) => events.get(position) ?? []), through };
  };

  const passed = openRecentTypes();
  const fromServer = async (after: Position, limit: number): Promise<ItemPage> => {
    const [fetched] = await Promise.all([fetch(after, limit), erased.refresh()]);
    const page = await merged(after, limit, fetched);
    // Only up to the page's end: the server was read further, beyond the head of this log.
    const { through } = page;
    const known = fetched.found.filter(({ position }) => position <= through);
    passed.record(after, known, through);
    return page;
  };
  /** Mutex: each read profits from the range that the one before recorded. */
  const exclusive = openMutex();

  return async (
    after: Position,
    limit: number,
    recent: readonly EsdbEvent[],
    types?: readonly string[],
  ): Promise<ItemPage> => {
    if (recent.length > 0) {
      const found = fitIntoPage(recent, limit);
      return { events: found.map(pagedFrom), through: found.at(-1)?.position ?? after };
    }
    if (types === undefined) return fromServer(after, limit);
    return exclusive(async () => {
      const through = passed.firstPositionWithout(types, after);
      return through > after ? { events: [], through } : fromServer(after, limit);
    });
  };
};

/**
 * Fetches events of this log after `after`, at most `limit`, from the server; `quiet` gives a range
 * to skip.
 */
const openFetch =
  (
    { connection: { client, read }, names, erased, recordHead }: PageReadNeeds,
    quiet: (after: Position) => ServerPosition | undefined,
  ) =>
  async (after: Position, limit: number): Promise<FetchedEvents> => {
    const found: EsdbEvent[] = [];
    const bound = erased.limitOf(after, limit);
    let bytes = 0;
    let from: ServerPosition | 'start' =
      quiet(after) ?? (after === logStart ? 'start' : serverPositionOf(after));
    for (;;) {
      // A step begins with the last event of the step before.
      const known = { count: found.length, bytes };
      const step = Math.min(stepMax, limit - known.count + (from === 'start' ? 0 : 1));
      const place = { last: null as ServerPosition | null, count: 0, isBeyond: false };
      await read(
        () => client.readAll({ fromPosition: from, maxCount: step, requiresLeader: true }),
        () => {
          place.count = 0;
          place.isBeyond = false;
          bytes = known.bytes;
          found.length = known.count;
          return ({ event }) => {
            place.count += 1;
            if (event === undefined) return true;
            if (from !== 'start' && event.position.commit <= from.commit) return true;
            place.isBeyond = bound !== null && positionOf(event.position.commit) > bound;
            if (place.isBeyond) return false;
            place.last = event.position;
            const stream = names.streamOf(event.streamId);
            const stored = stream === null ? null : storedFrom(stream, event);
            if (stored === null) return true;
            found.push(stored);
            recordHead(stored.position);
            bytes += stored.bytes + eventOverheadBytes;
            return bytes < pageBytesMax;
          };
        },
      );
      if (place.last !== null) from = place.last;
      const isFull = found.length >= limit || bytes >= pageBytesMax;
      if (isFull) return { found, through: found.at(-1)?.position ?? after };
      if (place.isBeyond) return { found, through: bound ?? after };
      if (place.count < step) break;
    }
    return { found, through: from === 'start' ? logStart : positionOf(from.commit) };
  };

/**
 * Event of this log at exactly this position; null for one of another log. A position is an offset
 * in a file: the server responds with an error where no event begins (engines: `UnknownError` code
 * 2), so positions are never computed, and a read begins at one that an event has.
 */
export const openEventAt =
  ({ connection: { client, read }, names, erased }: PageReadNeeds) =>
  async (position: Position): Promise<PageItem | null> => {
    if (position === logStart) return null;
    await erased.refresh();
    // A scavenge may have removed the server's copy.
    const kept = await erased.at(position);
    if (kept !== null) return { erased: kept };
    const found = { stored: null as EsdbEvent | null };
    await read(
      () =>
        client.readAll({
          fromPosition: serverPositionOf(position),
          maxCount: 1,
          requiresLeader: true,
        }),
      () =>
        ({ event }) => {
          const stream = event === undefined ? null : names.streamOf(event.streamId);
          found.stored = event && stream !== null ? storedFrom(stream, event) : null;
          return false;
        },
    );
    const { stored } = found;
    if (stored?.position !== position) return null;
    return erased.has(stored.stream) ? { erased: envelopeFrom(stored) } : { stored };
  };

/** Page item with its data loaded from parts; an envelope when it was erased meanwhile. */
export const itemPartsLoader =
  ({ connection, names, erased }: PageReadNeeds) =>
  async (one: PageItem): Promise<PageItem> => {
    if ('erased' in one) return one;
    const stored = await loadParts(connection, names, one.stored);
    return stored === null ? { erased: await erased.remains(one.stored) } : { stored };
  };

const fitIntoPage = (recent: readonly EsdbEvent[], limit: number): readonly EsdbEvent[] => {
  let bytes = 0;
  let count = 0;
  for (const stored of recent) {
    if (count === limit || bytes >= pageBytesMax) break;
    bytes += stored.bytes + eventOverheadBytes;
    count += 1;
  }
  return recent.slice(0, count);
};
