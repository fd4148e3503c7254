import type { Fold } from '../../kernel/decision.js';
import type { Event, EventReader, StreamName } from '../../kernel/ports.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import { catchUpState, emptyStreamState, type StreamState } from '../../kernel/transact.js';
import { singleFlightByKey } from '../../kernel/concurrency.js';

type StateCacheOptions<S, E extends Event> = {
  readonly log: EventReader;
  readonly fold: Fold<S, E>;
  /** The only types that the fold heeds, so that others are not read. */
  readonly types?: readonly E['type'][];
  /** Roughly the characters of a state; the sum of what is kept stays below `weightMax`. */
  readonly weightOf: (state: S) => number;
  readonly weightMax: number;
};

/** Beside its state each stream costs a name and a place. */
const entryWeight = 300;

type StateCache<S> = {
  readonly load: (stream: StreamName) => Promise<StreamState<S>>;
  /** What an append of ours made of the state that was loaded last: it is not read back. */
  readonly store: (stream: StreamName, loaded: StreamState<S>) => void;
};

/** The same for whoever has the log at hand: one memory for each log. */
export const stateCacheOf = <S, E extends Event>(
  kept: Omit<StateCacheOptions<S, E>, 'log'>,
): ((log: EventReader) => StateCache<S>) =>
  memoizeByObject((log) => openStateCache({ ...kept, log }));

/**
 * Folds of streams as the log has them. What was folded is kept, within bounds, and only brought
 * forward by what came since: deciding on a long stream costs what is new of it. What was used
 * longest ago goes first.
 */
export const openStateCache = <S, E extends Event>({
  log,
  fold,
  types,
  weightOf,
  weightMax,
}: StateCacheOptions<S, E>): StateCache<S> => {
  const kept = new Map<StreamName, StreamState<S>>();
  let weight = 0;
  const weightWith = ({ state }: StreamState<S>): number => weightOf(state) + entryWeight;

  const drop = (stream: StreamName): void => {
    const known = kept.get(stream);
    if (known !== undefined) weight -= weightWith(known);
    kept.delete(stream);
  };
  const keep = (stream: StreamName, loaded: StreamState<S>): void => {
    drop(stream);
    if (loaded.revision === 'none') return;
    kept.set(stream, loaded);
    weight += weightWith(loaded);
    for (const oldest of kept.keys()) {
      if (weight <= weightMax) return;
      drop(oldest);
    }
  };

  const present = async (stream: StreamName): Promise<StreamState<S>> => {
    const known = kept.get(stream) ?? emptyStreamState(fold);
    if (log.cachedRevision(stream) === known.revision) return known;
    if (known.revision === 'none' && types === undefined) {
      return catchUpState(log, stream, fold, known);
    }
    const last = await log.last(stream);
    if (last === null) return emptyStreamState(fold);
    if (known.revision !== 'none' && known.revision >= last.revision) return known;
    const loaded = await catchUpState(log, stream, fold, known, types);
    if (loaded.revision !== 'none' && loaded.revision >= last.revision) return loaded;
    // Of other types, or erased since the look at the last: then nobody can append behind it.
    if (types === undefined) return emptyStreamState(fold);
    return { state: loaded.state, revision: last.revision, position: last.position };
  };

  return {
    /** Those who ask for a stream at once read it once. */
    load: singleFlightByKey(async (stream) => {
      const loaded = await present(stream);
      keep(stream, loaded);
      return loaded;
    }),
    store: (stream, loaded) => {
      const known = kept.get(stream);
      // An append that was there already has its first place, before what is known.
      if (known !== undefined && loaded.position > known.position) keep(stream, loaded);
    },
  };
};
