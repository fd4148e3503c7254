import type {
  RunScoringAdvanced,
  RunScoringEvent,
  RunScoringStarted,
} from '../../events/run-scoring.js';
import type { Decide, Fold } from '../../kernel/decision.js';

/** State of a run's scoring job: its open part, and how it last ended. */
export type RunScoringJob = {
  /** Null: no job is open. */
  readonly open: RunScoringStarted | RunScoringAdvanced | null;
  /**
   * Position in the log up to which the run's changes were read; null: not recorded by the last
   * event.
   */
  readonly through: string | null;
  readonly error: string | null;
};

/** Fold of a run's job; its last event is the whole state. Null: it never began. */
export const runScoringJobs: Fold<RunScoringJob | null, RunScoringEvent> = {
  initial: null,
  evolve: (_job, { type, data }) =>
    type === 'RunScoringEnded'
      ? { open: null, through: data.through ?? null, error: data.error_message }
      : { open: data, through: null, error: null },
};

/** Begins a job; no event when exactly this is open. */
export const beginRunJob =
  (started: RunScoringStarted): Decide<RunScoringJob | null, RunScoringEvent> =>
  (job) =>
    JSON.stringify(job?.open) === JSON.stringify(started)
      ? []
      : [{ type: 'RunScoringStarted', data: started }];

/** Records progress; no event when exactly this was recorded, or no job is open. */
export const advanceRunJob =
  (advanced: RunScoringAdvanced): Decide<RunScoringJob | null, RunScoringEvent> =>
  (job) =>
    job?.open == null || JSON.stringify(job.open) === JSON.stringify(advanced)
      ? []
      : [{ type: 'RunScoringAdvanced', data: advanced }];

type RunScoringEndedData = Extract<RunScoringEvent, { readonly type: 'RunScoringEnded' }>['data'];

/**
 * Ends a job; no event when it ended at or beyond `through`. Without an open job the earlier error
 * is kept.
 */
export const finishRunJob =
  (
    ended: RunScoringEndedData & { readonly through: string },
  ): Decide<RunScoringJob | null, RunScoringEvent> =>
  (job) => {
    const { open = null, through = null, error = null } = job ?? {};
    if (open === null && through !== null && through >= ended.through) return [];
    const message = open === null ? error : ended.error_message;
    return [{ type: 'RunScoringEnded', data: { ...ended, error_message: message } }];
  };
