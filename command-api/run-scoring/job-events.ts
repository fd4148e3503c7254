import type { RunScoringEvent } from '../../events/run-scoring.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/shapes.js';
import {
  broughtForward,
  nothing,
  transact,
  type Authorship,
  type Loaded,
} from '../../kernel/transact.js';
import { runScoringStream } from '../facts/run-scoring.js';
import { begin, finish, openScorings, type OpenScoring } from './jobs.js';
import { sandboxMissing, type ActiveScorer, type Made, type Target } from './scoring.js';
import type { ScoredTrace } from './trace.js';
import { byItself } from '../work/service-author.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};
type Counted = Pick<ScoredTrace, 'organizationId'> & {
  readonly project: ProjectId;
  readonly scorers: Set<string>;
  steps: number;
  /** Why its records could not be scored. */
  error: string | null;
};

/** Says in the log what is scored of which run, before and after (contract 5.13). */
export const openJobs = (needs: Needs) => {
  const runs = new Map<RunId, Counted>();
  const { clock } = needs;
  return {
    note: (
      { runId, projectId, organizationId }: ScoredTrace,
      { scorer }: ActiveScorer,
      steps: number,
    ): void => {
      const run: Counted = runs.get(runId) ?? {
        project: projectId,
        organizationId,
        scorers: new Set(),
        steps: 0,
        error: null,
      };
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
      for (const [run, { project, organizationId, scorers, steps }] of runs) {
        if (steps === 0) continue;
        const decide = begin({
          project_id: project,
          run_id: run,
          scorers: [...scorers].sort(),
          steps,
          started_at: clock.now(),
        });
        await happen(needs, { run, organizationId }, decide);
      }
    },
    /** Also of runs with nothing to do, which a lost worker may have left open. */
    finish: async (except: readonly RunId[]): Promise<void> => {
      for (const [run, { project, organizationId, error }] of runs) {
        if (except.includes(run)) continue;
        const place = { project_id: project, run_id: run };
        const decide = finish({ ...place, error_message: error, ended_at: clock.now() });
        await happen(needs, { run, organizationId }, decide);
      }
    },
  };
};

/** It has two events a turn for as long as the run is scored, and the last one says it all. */
const happen = async (
  needs: Needs,
  { run, organizationId }: Pick<Counted, 'organizationId'> & { readonly run: RunId },
  decide: Decide<OpenScoring, RunScoringEvent>,
): Promise<void> => {
  const { log } = needs;
  const load = (stream: StreamName) => lastOf(log, stream);
  const by = authorshipOf(needs, { id: run, organizationId });
  await transact(log, runScoringStream(run), { ...openScorings, load }, decide, by);
};

const lastOf = async (log: EventLog, stream: StreamName): Promise<Loaded<OpenScoring>> => {
  const none = nothing(openScorings);
  const last = await log.last(stream);
  if (last === null) return none;
  const before = { ...none, revision: last.revision - 1 };
  const loaded = await broughtForward(log, stream, openScorings, before);
  // Erased since: then nobody can append behind it.
  return loaded === before ? none : loaded;
};

export const authorshipOf = (
  needs: Pick<Needs, 'clock' | 'ids'>,
  { id, organizationId }: Pick<ScoredTrace, 'organizationId'> & { readonly id: string },
): Authorship => byItself(needs, organizationId, id, 'score');
