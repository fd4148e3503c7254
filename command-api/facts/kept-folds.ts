import type { Fold } from '../../kernel/decision.js';
import type { Event, EventReader, StreamName } from '../../kernel/ports.js';
import { onceEach } from '../../kernel/once-each.js';
import { broughtForward, nothing, type Loaded } from '../../kernel/transact.js';
import { sharedLooksAt } from '../../kernel/turns.js';

type Kept<S, E extends Event> = {
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

type KeptFolds<S> = {
  readonly load: (stream: StreamName) => Promise<Loaded<S>>;
  /** What an append of ours made of the state that was loaded last: it is not read back. */
  readonly note: (stream: StreamName, loaded: Loaded<S>) => void;
};

/** The same for whoever has the log at hand: one memory for each log. */
export const keptFolds = <S, E extends Event>(
  kept: Omit<Kept<S, E>, 'log'>,
): ((log: EventReader) => KeptFolds<S>) => onceEach((log) => openKeptFolds({ ...kept, log }));

/**
 * Folds of streams as the log has them. What was folded is kept, within bounds, and only brought
 * forward by what came since: deciding on a long stream costs what is new of it. What was used
 * longest ago goes first.
 */
export const openKeptFolds = <S, E extends Event>({
  log,
  fold,
  types,
  weightOf,
  weightMax,
}: Kept<S, E>): KeptFolds<S> => {
  const kept = new Map<StreamName, Loaded<S>>();
  let weight = 0;
  const weightWith = ({ state }: Loaded<S>): number => weightOf(state) + entryWeight;

  const drop = (stream: StreamName): void => {
    const known = kept.get(stream);
    if (known !== undefined) weight -= weightWith(known);
    kept.delete(stream);
  };
  const keep = (stream: StreamName, loaded: Loaded<S>): void => {
    drop(stream);
    if (loaded.revision === 'none') return;
    kept.set(stream, loaded);
    weight += weightWith(loaded);
    for (const oldest of kept.keys()) {
      if (weight <= weightMax) return;
      drop(oldest);
    }
  };

  const present = async (stream: StreamName): Promise<Loaded<S>> => {
    const known = kept.get(stream) ?? nothing(fold);
    if (log.knownEnd(stream) === known.revision) return known;
    if (known.revision === 'none' && types === undefined) {
      return broughtForward(log, stream, fold, known);
    }
    const last = await log.last(stream);
    if (last === null) return nothing(fold);
    if (known.revision !== 'none' && known.revision >= last.revision) return known;
    const loaded = await broughtForward(log, stream, fold, known, types);
    if (loaded.revision !== 'none' && loaded.revision >= last.revision) return loaded;
    // Of other types, or erased since the look at the last: then nobody can append behind it.
    if (types === undefined) return nothing(fold);
    return { state: loaded.state, revision: last.revision, position: last.position };
  };

  return {
    /** Those who ask for a stream at once read it once. */
    load: sharedLooksAt(async (stream) => {
      const loaded = await present(stream);
      keep(stream, loaded);
      return loaded;
    }),
    note: (stream, loaded) => {
      const known = kept.get(stream);
      // An append that was there already has its first place, before what is known.
      if (known !== undefined && loaded.position > known.position) keep(stream, loaded);
    },
  };
};
