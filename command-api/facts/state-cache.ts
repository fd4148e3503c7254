import type { Fold } from '../../kernel/decision.js';
import type { Event, EventReader, StreamName } from '../../kernel/ports.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import { catchUpState, emptyStreamState, type StreamState } from '../../kernel/transact.js';
import { singleFlightByKey } from '../../kernel/concurrency.js';

type StateCacheOptions<S, E extends Event> = {
  readonly log: EventReader;
  readonly fold: Fold<S, E>;
  /** Event types that the fold handles; others are not read. */
  readonly types?: readonly E['type'][];
  /** Approximate characters of a state; the total weight of the cache stays below `weightMax`. */
  readonly weightOf: (state: S) => number;
  readonly weightMax: number;
};

/** Fixed cost of an entry: its stream name and bookkeeping. */
const entryWeight = 300;

type StateCache<S> = {
  readonly load: (stream: StreamName) => Promise<StreamState<S>>;
  /** Stores the state after an own append, so that it is not read back. */
  readonly store: (stream: StreamName, loaded: StreamState<S>) => void;
};

/** State cache per log, created on first use. */
export const stateCacheOf = <S, E extends Event>(
  options: Omit<StateCacheOptions<S, E>, 'log'>,
): ((log: EventReader) => StateCache<S>) =>
  memoizeByObject((log) => openStateCache({ ...options, log }));

/**
 * State cache: LRU cache of folded streams, in memory and bounded by weight, in place of stored
 * snapshots. A cached state is caught up with new events only, so a decision on a long stream costs
 * only its new events. Always as current as the log.
 */
export const openStateCache = <S, E extends Event>({
  log,
  fold,
  types,
  weightOf,
  weightMax,
}: StateCacheOptions<S, E>): StateCache<S> => {
  const cached = new Map<StreamName, StreamState<S>>();
  let weight = 0;
  const weightWith = ({ state }: StreamState<S>): number => weightOf(state) + entryWeight;

  const drop = (stream: StreamName): void => {
    const known = cached.get(stream);
    if (known !== undefined) weight -= weightWith(known);
    cached.delete(stream);
  };
  const keep = (stream: StreamName, loaded: StreamState<S>): void => {
    drop(stream);
    if (loaded.revision === 'none') return;
    cached.set(stream, loaded);
    weight += weightWith(loaded);
    for (const oldest of cached.keys()) {
      if (weight <= weightMax) return;
      drop(oldest);
    }
  };

  const catchUp = async (stream: StreamName): Promise<StreamState<S>> => {
    const known = cached.get(stream) ?? emptyStreamState(fold);
    if (log.cachedRevision(stream) === known.revision) return known;
    if (known.revision === 'none' && types === undefined) {
      return catchUpState(log, stream, fold, known);
    }
    const last = await log.last(stream);
    if (last === null) return emptyStreamState(fold);
    if (known.revision !== 'none' && known.revision >= last.revision) return known;
    const loaded = await catchUpState(log, stream, fold, known, types);
    if (loaded.revision !== 'none' && loaded.revision >= last.revision) return loaded;
    // Events of other types, or erased since `last`: an erased stream takes no appends.
    if (types === undefined) return emptyStreamState(fold);
    return { state: loaded.state, revision: last.revision, position: last.position };
  };

  return {
    /** Single flight: concurrent loads of a stream share one read. */
    load: singleFlightByKey(async (stream) => {
      const loaded = await catchUp(stream);
      keep(stream, loaded);
      return loaded;
    }),
    store: (stream, loaded) => {
      const known = cached.get(stream);
      // A repeated append returns its first position, which is before the cached one.
      if (known !== undefined && loaded.position > known.position) keep(stream, loaded);
    },
  };
};
