import type { RunScoringEvent, RunScoringStarted } from '../../events/run-scoring.js';
import type { Decide, Fold } from '../../kernel/decision.js';

/** Scoring of a run that has begun and not ended; null: there is none. */
export type OpenScoring = RunScoringStarted | null;

export const openScorings: Fold<OpenScoring, RunScoringEvent> = {
  initial: null,
  evolve: (_open, { type, data }) => (type === 'RunScoringStarted' ? data : null),
};

/** Quiet when the same is open: a worker that was lost left it. */
export const begin =
  (started: RunScoringStarted): Decide<OpenScoring, RunScoringEvent> =>
  (open) =>
    open?.steps === started.steps && open.scorers.join() === started.scorers.join()
      ? []
      : [{ type: 'RunScoringStarted', data: started }];

type Ended = Extract<RunScoringEvent, { readonly type: 'RunScoringEnded' }>['data'];

/** Quiet when none is open. */
export const finish =
  (ended: Ended): Decide<OpenScoring, RunScoringEvent> =>
  (open) =>
    open === null ? [] : [{ type: 'RunScoringEnded', data: ended }];
