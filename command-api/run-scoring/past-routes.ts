import { cancelPastScoring, scorePast, type PastSelection } from '../../contract/past-scoring.js';
import { route, type Route } from '../../contract/operation.js';
import { presetScorers } from '../../contract/scorers.js';
import { Fault, valueError, type Complaint } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { JsonObject, ProjectId } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { pastScorings, pastScoringStream } from '../facts/past-scoring.js';
import { runOf } from '../facts/runs.js';
import { liveScorer } from '../facts/scorers.js';
import { cancel, request } from './past-jobs.js';

export type PastScoringNeeds = {
  readonly log: EventLog;
  readonly selection: {
    readonly complaints: (selection: PastSelection) => readonly Complaint[];
    /** Throws Fault `invalid` for what only the project's records tell. */
    readonly check: (project: ProjectId, selection: PastSelection) => Promise<void>;
  };
};

/** Contract 5.10; command-api/run-scoring does the work. */
export const pastScoringWrites = (needs: PastScoringNeeds): readonly Route[] => [
  asking(needs),
  cancelling(needs),
];

const asking = ({ log, selection }: PastScoringNeeds): Route =>
  route(
    scorePast,
    async ({ params, body, principal, cause, mint }) => {
      const { project_id: project, run_id: run, scorer_id: id } = params;
      if ((await runOf(log, project, run)) === null) throw new Fault('not-found', 'Run not found');
      if (presetScorers.some((preset) => preset.id === id)) {
        throw valueError(['path', 'scorer_id'], 'presets are computed whenever a record comes');
      }
      const scorer = await liveScorer(log, principal.organizationId, id);
      if (scorer === null) throw new Fault('not-found', 'Scorer not found');
      const version = scorer.versions.length;
      if (version === 0) throw new Fault('conflict', 'The scorer has no version yet');
      const { scoreable_node_types: kinds, ...chosen } = body;
      await selection.check(project, chosen);
      const asked = {
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
      const stream = pastScoringStream(run, id);
      const made = await transact(log, stream, pastScorings, request(asked), cause);
      const job = made.state?.asked.job_id ?? asked.job_id;
      return { position: made.position, body: { job_id: job, scorer_version: version } };
    },
    ({ body: { scoreable_node_types: _kinds, ...chosen } }) => selection.complaints(chosen),
  );

const cancelling = ({ log }: PastScoringNeeds): Route =>
  route(cancelPastScoring, async ({ params, principal, cause }) => {
    const { project_id: project, run_id: run, scorer_id: scorer } = params;
    if ((await runOf(log, project, run)) === null) throw new Fault('not-found', 'Run not found');
    const stream = pastScoringStream(run, scorer);
    const { state: job } = await load(log, stream, pastScorings);
    if (job === null) throw new Fault('not-found', 'Job not found');
    const decide = cancel(job.asked, principal.userId, cause.at);
    const { position } = await transact(log, stream, pastScorings, decide, cause);
    return { position, body: { message: 'The job is cancelled, or was over before.' } };
  });
