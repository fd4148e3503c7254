import type {
  RunScoringAdvanced,
  RunScoringEvent,
  RunScoringStarted,
} from '../../events/run-scoring.js';
import type { Decide, Fold } from '../../kernel/decision.js';

/** The job of a run: what is under way, and how it ended before. */
export type RunScoringJob = {
  /** Null: nothing is under way. */
  readonly open: RunScoringStarted | RunScoringAdvanced | null;
  /** Position in the log up to which the run was looked at; null: the last event does not say. */
  readonly through: string | null;
  readonly error: string | null;
};

/** Its last event says all; null: it never began. */
export const runScoringJobs: Fold<RunScoringJob | null, RunScoringEvent> = {
  initial: null,
  evolve: (_job, { type, data }) =>
    type === 'RunScoringEnded'
      ? { open: null, through: data.through ?? null, error: data.error_message }
      : { open: data, through: null, error: null },
};

/** Quiet when exactly this is open. */
export const beginRunJob =
  (started: RunScoringStarted): Decide<RunScoringJob | null, RunScoringEvent> =>
  (job) =>
    JSON.stringify(job?.open) === JSON.stringify(started)
      ? []
      : [{ type: 'RunScoringStarted', data: started }];

/** Quiet when exactly this was said, or nothing is open. */
export const advanceRunJob =
  (advanced: RunScoringAdvanced): Decide<RunScoringJob | null, RunScoringEvent> =>
  (job) =>
    job?.open == null || JSON.stringify(job.open) === JSON.stringify(advanced)
      ? []
      : [{ type: 'RunScoringAdvanced', data: advanced }];

type RunScoringEndedData = Extract<RunScoringEvent, { readonly type: 'RunScoringEnded' }>['data'];

/** Quiet when it ended at or beyond `through`. While nothing was under way its error stays. */
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
