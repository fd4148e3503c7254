import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/shapes.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { runScoringStream } from '../access/streams.js';
import { begin, finish, openScorings } from './jobs.js';
import { sandboxMissing, type ActiveScorer, type Made, type Target } from './scoring.js';
import type { ScoredTrace } from './trace.js';
import { byItself } from '../access/service-author.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};
type Counted = {
  readonly project: ProjectId;
  readonly scorers: Set<string>;
  steps: number;
  /** Why its records could not be scored. */
  error: string | null;
};

/** Says in the log what is scored of which run, before and after (contract 5.13). */
export const openJobs = (needs: Needs) => {
  const runs = new Map<RunId, Counted>();
  const { log, clock } = needs;
  return {
    note: ({ runId, projectId }: ScoredTrace, { scorer }: ActiveScorer, steps: number): void => {
      const nothing = { project: projectId, scorers: new Set<string>(), steps: 0, error: null };
      const run: Counted = runs.get(runId) ?? nothing;
      runs.set(runId, run);
      run.steps += steps;
      if (steps > 0) run.scorers.add(scorer.name);
    },
    judged: (targets: readonly Target[], made: readonly Made[]): void =>
      targets.forEach(({ trace }, at) => {
        const run = runs.get(trace.runId);
        const one = made[at];
        if (run === undefined || one === undefined || !('code' in one)) return;
        if (one.code === sandboxMissing) run.error = one.message;
      }),
    begin: async (): Promise<void> => {
      for (const [run, { project, scorers, steps }] of runs) {
        if (steps === 0) continue;
        const decide = begin({
          project_id: project,
          run_id: run,
          scorers: [...scorers].sort(),
          steps,
          started_at: clock.now(),
        });
        const by = authorshipOf(needs, { id: run });
        await transact(log, runScoringStream(run), openScorings, decide, by);
      }
    },
    /** Also of runs with nothing to do, which a lost worker may have left open. */
    finish: async (except: readonly RunId[]): Promise<void> => {
      for (const [run, { project, error }] of runs) {
        if (except.includes(run)) continue;
        const place = { project_id: project, run_id: run };
        const decide = finish({ ...place, error_message: error, ended_at: clock.now() });
        const by = authorshipOf(needs, { id: run });
        await transact(log, runScoringStream(run), openScorings, decide, by);
      }
    },
  };
};

export const authorshipOf = (
  needs: Pick<Needs, 'clock' | 'ids'>,
  { id }: { readonly id: string },
): Authorship => byItself(needs, id, 'score');
