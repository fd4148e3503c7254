import type { PastScoringEvent, PastScoringRequested } from '../../events/past-scoring.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { stream, type StreamName } from '../../kernel/ports.js';

export const pastScoringPrefix = 'past-scoring-';
export const pastScoringStream = (run: string, scorer: string): StreamName =>
  stream('past-scoring', run, scorer);

/** The newest job of a run and a scorer; null before there was one. */
export type PastScoring = {
  readonly asked: PastScoringRequested;
  readonly started: boolean;
  /** Where the next stretch begins; null: at the first trace. */
  readonly place: string | null;
  /** No stretch is left. */
  readonly through: boolean;
  readonly over: boolean;
};

export const pastScorings: Fold<PastScoring | null, PastScoringEvent> = {
  initial: null,
  evolve: (job, { type, data }) => {
    switch (type) {
      case 'PastScoringRequested':
        return { asked: data, started: false, place: null, through: false, over: false };
      case 'PastScoringStarted':
        return job && { ...job, started: true };
      case 'PastScoringAdvanced':
        return job && { ...job, place: data.place, through: data.place === null };
      case 'PastScoringEnded':
      case 'PastScoringCancelled':
        return job && { ...job, over: true };
      default:
        return unreachable(type);
    }
  },
};
