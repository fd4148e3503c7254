import {
  cancelPastScoring,
  scorePast,
  type BackfillSelection,
} from '../../contract/scoring-backfill.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { presetScorers } from '../../contract/scorers.js';
import { Fault, valueFault, type Complaint } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { JsonObject, ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { scoringBackfills, scoringBackfillStream } from '../facts/scoring-backfill.js';
import { liveRun } from '../facts/runs.js';
import { liveScorer } from '../facts/scorers.js';
import { cancelBackfill, requestBackfill } from './backfill-jobs.js';

export type BackfillRouteNeeds = {
  readonly log: EventLog;
  readonly selection: {
    readonly complaints: (selection: BackfillSelection) => readonly Complaint[];
    /** Throws Fault `invalid` for errors that only the project's records reveal. */
    readonly check: (project: ProjectId, selection: BackfillSelection) => Promise<void>;
  };
};

/** Write routes of scoring backfills (contract 5.10); command-api/run-scoring runs the jobs. */
export const backfillWrites = (needs: BackfillRouteNeeds): readonly Route[] => [
  requestBackfillRoute(needs),
  cancelBackfillRoute(needs),
];

const requestBackfillRoute = ({ log, selection }: BackfillRouteNeeds): Route =>
  writeRoute(
    scorePast,
    async ({ params, body, principal, cause, mint }) => {
      const { project_id: project, run_id: run, scorer_id: id } = params;
      if ((await liveRun(log, project, run)) === null)
        throw new Fault('not-found', 'Run not found');
      if (presetScorers.some((preset) => preset.id === id)) {
        throw valueFault(
          ['path', 'scorer_id'],
          'presets are computed as records arrive and need no job',
        );
      }
      const scorer = await liveScorer(log, principal.organizationId, id);
      if (scorer === null) throw new Fault('not-found', 'Scorer not found');
      const version = scorer.versions.length;
      if (version === 0) throw new Fault('conflict', 'The scorer has no version yet');
      const { scoreable_node_types: kinds, ...chosen } = body;
      await selection.check(project, chosen);
      const request = {
        job_id: mint('JobId'),
        project_id: project,
        run_id: run,
        scorer_id: id,
        organization_id: principal.organizationId,
        scorer_name: scorer.name,
        version,
        selection: chosen as JsonObject,
        scoreable_node_types: kinds == null ? null : [...new Set(kinds)],
        created_by: principal.userId,
        created_at: cause.at,
      };
      const stream = scoringBackfillStream(run, id);
      const made = await transact(log, stream, scoringBackfills, requestBackfill(request), cause);
      const job = made.state?.request.job_id ?? request.job_id;
      return { position: made.position, body: { job_id: job, scorer_version: version } };
    },
    ({ body: { scoreable_node_types: _kinds, ...chosen } }) => selection.complaints(chosen),
  );

const cancelBackfillRoute = ({ log }: BackfillRouteNeeds): Route =>
  writeRoute(cancelPastScoring, async ({ params, principal, cause }) => {
    const { project_id: project, run_id: run, scorer_id: scorer } = params;
    if ((await liveRun(log, project, run)) === null) throw new Fault('not-found', 'Run not found');
    const stream = scoringBackfillStream(run, scorer);
    const { state: job } = await loadStreamState(log, stream, scoringBackfills);
    if (job === null) throw new Fault('not-found', 'Job not found');
    const decide = cancelBackfill(job.request, principal.userId, cause.at);
    const { position } = await transact(log, stream, scoringBackfills, decide, cause);
    return { position, body: { message: 'The job is cancelled, or had ended before.' } };
  });
