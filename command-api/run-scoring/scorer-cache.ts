import type { ScorerEvent } from '../../events/scorers.js';
import type { Fold } from '../../kernel/decision.js';
import type { EventReader } from '../../kernel/ports.js';
import { catchUpState, emptyStreamState, type StreamState } from '../../kernel/transact.js';
import { scorers, type Scorer, scorerStream } from '../facts/scorers.js';

/** The current scorer; only its newest version has a source. */
export type NewestScorer = (id: string) => Promise<Scorer | null>;

/** Cache size: each scorer may have 256 KiB. */
const cachedScorersMax = 200;

const newestVersionFold: Fold<Scorer | null, ScorerEvent> = {
  initial: null,
  evolve: (scorer, event) => {
    if (scorer === null || event.type !== 'ScorerVersionAdded') {
      return scorers.evolve(scorer, event);
    }
    const before = scorer.versions.slice(0, -1);
    const last = scorer.versions.slice(-1).map((one) => ({ ...one, source: '' }));
    return { ...scorer, versions: [...before, ...last, event.data] };
  },
};

/**
 * LRU cache of scorers. A scorer may have thousands of versions: they are read once, then only new
 * events.
 */
export const openScorerCache = (log: EventReader): NewestScorer => {
  const known = new Map<string, StreamState<Scorer | null>>();
  return async (id) => {
    const before = known.get(id) ?? emptyStreamState(newestVersionFold);
    known.delete(id);
    const now = await catchUpState(log, scorerStream(id), newestVersionFold, before);
    known.set(id, now);
    const [oldest] = known.keys();
    if (known.size > cachedScorersMax && oldest !== undefined) known.delete(oldest);
    return now.state;
  };
};
