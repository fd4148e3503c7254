import { streamNameFilter } from '@eventstore/db-client';
import { boundedMap } from '../../kernel/bounded-map.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { logStart, type Position, type StreamName } from '../../kernel/ports.js';
import type { Connection } from './connection.js';
import type { ErasedStreams } from './erased-streams.js';
import type { StreamNaming } from './stream-naming.js';
import { serverPositionOf, positionOf } from './stored-event.js';

/** Listings cached at once. */
const listingsMax = 16;
/** Streams of a noun that is listed as a whole: names stay in memory, and their events are read. */
const nounStreamsMax = 20_000;
/**
 * Timeout of a silent search. The server sends nothing while no event matches, except a checkpoint
 * every `searchWindow` events.
 */
const silenceMs = 20_000;
const searchWindow = 1_000;

/** Stream names that begin with `beginning`, of events up to `through`. */
type NameListing = {
  readonly beginning: string;
  readonly names: Set<StreamName>;
  through: Position;
  sorted: StreamName[] | null;
  /** Running search, after which the next begins. */
  search: Promise<boolean>;
};
type LogEnd = { readonly stream: string; readonly at: Position };

/**
 * Lists stream names. The server keeps no list, so it searches all events up to the head, with a
 * filter on the server. Results are cached: small nouns are listed as a whole, so that listing
 * another of their prefixes is cheap.
 */
export const openStreamList = (
  connection: Connection,
  names: StreamNaming,
  erased: ErasedStreams,
) => {
  const listings = boundedMap<string, NameListing>(listingsMax);
  const largeNouns = new Set<string>();

  const listingOf = (beginning: string): NameListing => {
    const listing = listings.get(beginning) ?? {
      beginning,
      names: new Set(),
      through: logStart,
      sorted: null,
      search: Promise.resolve(true),
    };
    listings.set(beginning, listing);
    return listing;
  };
  const upToDate = (listing: NameListing, max: number): Promise<boolean> => {
    const next = (): Promise<boolean> => searchNames(connection, names, listing, max);
    listing.search = listing.search.then(next, next);
    return listing.search;
  };
  /** Listing of the noun when that is small, else of the prefix alone. */
  const listed = async (prefix: string): Promise<NameListing> => {
    const noun = prefix.slice(0, prefix.indexOf('-') + 1);
    if (noun !== '' && noun !== prefix && !largeNouns.has(noun)) {
      const listing = listingOf(noun);
      if (await upToDate(listing, nounStreamsMax)) return listing;
      largeNouns.add(noun);
      listings.delete(noun);
    }
    const listing = listingOf(prefix);
    await upToDate(listing, Infinity);
    return listing;
  };

  return async (
    prefix: string,
    after: StreamName | null,
    limit: number,
  ): Promise<readonly StreamName[]> => {
    const [listing] = await Promise.all([listed(prefix), erased.refresh()]);
    const sorted = (listing.sorted ??= [...listing.names].sort(byCodePoint));
    const found: StreamName[] = [];
    let at = lowerBound(sorted, after ?? prefix);
    if (sorted[at] === after) at += 1;
    for (; at < sorted.length && found.length < limit; at += 1) {
      const name = sorted[at];
      if (name === undefined || !name.startsWith(prefix)) break;
      if (!erased.has(name)) found.push(name);
    }
    return found;
  };
};

/**
 * Adds names of newer events. The server does not report the end of such a search; the filter
 * therefore includes the head's own stream, and its event ends the search. Returns false when there
 * are more than `max`: the search stopped early.
 */
const searchNames = async (
  connection: Connection,
  names: StreamNaming,
  listing: NameListing,
  max: number,
): Promise<boolean> => {
  const until = await lastEventOfAll(connection);
  if (until === null || until.at <= listing.through) return true;
  const wanted = `${names.prefix}${listing.beginning}`;
  const giveUp = (): void => void subscription.destroy(new Error('no response to a search'));
  const timer = setTimeout(giveUp, silenceMs);
  const subscription = connection.client.subscribeToAll({
    fromPosition: listing.through === logStart ? 'start' : serverPositionOf(listing.through),
    filter: streamNameFilter({
      prefixes: [wanted, until.stream],
      maxSearchWindow: searchWindow,
      checkpointInterval: 1,
      checkpointReached: async () => void timer.refresh(),
    }),
  });
  // Errors after the loop ended would be uncaught.
  subscription.on('error', () => undefined);
  try {
    for await (const { event } of subscription) {
      timer.refresh();
      if (event === undefined) continue;
      const stream = event.streamId.startsWith(wanted) ? names.streamOf(event.streamId) : null;
      if (stream !== null && !event.type.startsWith('$') && !listing.names.has(stream)) {
        listing.names.add(stream);
        listing.sorted = null;
        if (listing.names.size > max) return false;
      }
      if (positionOf(event.position.commit) >= until.at) break;
    }
    listing.through = until.at;
    return true;
  } catch (error) {
    throw connection.unavailable(error);
  } finally {
    clearTimeout(timer);
    subscription.unsubscribe().catch(() => null);
  }
};

const lastEventOfAll = async ({ client, read }: Connection): Promise<LogEnd | null> => {
  const last = { event: null as LogEnd | null };
  await read(
    () =>
      client.readAll({
        direction: 'backwards',
        fromPosition: 'end',
        maxCount: 1,
        requiresLeader: true,
      }),
    () =>
      ({ event }) => {
        if (event === undefined) return true;
        last.event = { stream: event.streamId, at: positionOf(event.position.commit) };
        return false;
      },
  );
  return last.event;
};

/** Index of the first name that does not sort before `text`. */
const lowerBound = (sorted: readonly StreamName[], text: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byCodePoint(sorted[middle] ?? text, text) >= 0) high = middle;
    else low = middle + 1;
  }
  return low;
};
