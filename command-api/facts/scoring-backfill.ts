import type { PastScoringEvent, PastScoringRequested } from '../../events/past-scoring.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const scoringBackfillPrefix = 'past-scoring-';
export const scoringBackfillStream = (run: string, scorer: string): StreamName =>
  streamNameOf('past-scoring', run, scorer);

/** State of the newest backfill job of a run and a scorer; null before the first. */
export type ScoringBackfill = {
  readonly request: PastScoringRequested;
  readonly isStarted: boolean;
  /** Cursor: start of the next batch; null: the first trace. */
  readonly cursor: string | null;
  /** True once all traces were scanned. */
  readonly isScanned: boolean;
  readonly isEnded: boolean;
};

export const scoringBackfills: Fold<ScoringBackfill | null, PastScoringEvent> = {
  initial: null,
  evolve: (job, { type, data }) => {
    switch (type) {
      case 'PastScoringRequested':
        return { request: data, isStarted: false, cursor: null, isScanned: false, isEnded: false };
      case 'PastScoringStarted':
        return job && { ...job, isStarted: true };
      case 'PastScoringAdvanced':
        return job && { ...job, cursor: data.place, isScanned: data.place === null };
      case 'PastScoringEnded':
      case 'PastScoringCancelled':
        return job && { ...job, isEnded: true };
      default:
        return unreachable(type);
    }
  },
};
