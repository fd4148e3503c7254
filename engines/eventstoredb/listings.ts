import { streamNameFilter } from '@eventstore/db-client';
import { byCodePoint } from '../../kernel/code-points.js';
import { start, type Position, type StreamName } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { openErasedStreams } from './erased-streams.js';
import type { Names } from './names.js';
import { placeOf, positionOf } from './stored-event.js';

/** Prefixes whose names are remembered; an erasure asks for two, again and again. */
const listingsMax = 4;
/** The server searches silently while nothing matches; it says so every so many events. */
const silenceMs = 20_000;
const searchWindow = 1_000;

type Listing = { through: Position; readonly names: Set<StreamName>; sorted: StreamName[] | null };

/**
 * Names of streams. The server keeps no list, so it looks for them: through everything up to the
 * head, filtered where it is. Nothing says that such a search is over; therefore the head's own
 * stream is among what is searched for, and its event ends it. What was found once is not searched
 * for again.
 */
export const openListings = (
  { client, read, unavailable }: Connection,
  names: Names,
  erased: ReturnType<typeof openErasedStreams>,
) => {
  const listings = new Map<string, Listing>();

  const listingOf = (prefix: string): Listing => {
    const listing = listings.get(prefix) ?? { through: start, names: new Set(), sorted: [] };
    listings.delete(prefix);
    listings.set(prefix, listing);
    const oldest = listings.keys().next();
    if (listings.size > listingsMax && oldest.done !== true) listings.delete(oldest.value);
    return listing;
  };

  const end = async (): Promise<{ readonly stream: string; readonly at: Position } | null> => {
    const last = { event: null as { stream: string; at: Position } | null };
    await read(
      () => client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
      () =>
        ({ event }) => {
          if (event === undefined) return true;
          last.event = { stream: event.streamId, at: positionOf(event.position.commit) };
          return false;
        },
    );
    return last.event;
  };

  const search = async (prefix: string, listing: Listing): Promise<void> => {
    const until = await end();
    if (until === null || until.at <= listing.through) return;
    const wanted = `${names.prefix}${prefix}`;
    const giveUp = (): void => void subscription.destroy(new Error('no answer to a search'));
    const timer = setTimeout(giveUp, silenceMs);
    const subscription = client.subscribeToAll({
      fromPosition: listing.through === start ? 'start' : placeOf(listing.through),
      filter: streamNameFilter({
        prefixes: [wanted, until.stream],
        maxSearchWindow: searchWindow,
        checkpointInterval: 1,
        checkpointReached: async () => void timer.refresh(),
      }),
    });
    // What fails after nobody listens any more would be thrown past everyone.
    subscription.on('error', () => undefined);
    try {
      for await (const { event } of subscription) {
        timer.refresh();
        if (event === undefined) continue;
        const stream = event.streamId.startsWith(wanted) ? names.streamOf(event.streamId) : null;
        if (stream !== null && !event.type.startsWith('$') && !listing.names.has(stream)) {
          listing.names.add(stream);
          listing.sorted = null;
        }
        if (positionOf(event.position.commit) >= until.at) break;
      }
      listing.through = until.at;
    } catch (error) {
      throw unavailable(error);
    } finally {
      clearTimeout(timer);
      subscription.unsubscribe().catch(() => null);
    }
  };

  return async (
    prefix: string,
    after: StreamName | null,
    limit: number,
  ): Promise<readonly StreamName[]> => {
    const listing = listingOf(prefix);
    await Promise.all([search(prefix, listing), erased.refresh()]);
    const sorted = (listing.sorted ??= [...listing.names].sort(byCodePoint));
    const found: StreamName[] = [];
    for (let at = firstAfter(sorted, after); at < sorted.length && found.length < limit; at += 1) {
      const name = sorted[at];
      if (name !== undefined && !erased.has(name)) found.push(name);
    }
    return found;
  };
};

const firstAfter = (sorted: readonly StreamName[], after: StreamName | null): number => {
  if (after === null) return 0;
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byCodePoint(sorted[middle] ?? after, after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
};
