import { writeRoute, type Request, type Route } from '../../contract/operation.js';
import {
  changeScorerSettings,
  scorerSettingsAnswer,
  setScorerSettings,
  type ScorersInput,
  type RunScorer,
} from '../../contract/scorer-settings.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import { transact } from '../../kernel/transact.js';
import { liveRun } from '../facts/runs.js';
import {
  resolveRunScorers,
  scorerSettings,
  scorersOfRun,
  scorersWithoutVersion,
  type ScorerSettings,
  scorerSettingsStream,
} from '../facts/scorer-settings.js';

type ScorerSettingsNeeds = { readonly log: EventLog };
type SettingsRequest = Request<
  { readonly project_id: ProjectId; readonly run_id: RunId },
  unknown,
  { readonly run_id?: RunId | null; readonly scorers: ScorersInput }
>;

/** Write routes of scorer settings; POST and PATCH are equal (contract 5.10). */
export const scorerSettingsWrites = (needs: ScorerSettingsNeeds): readonly Route[] => [
  writeRoute(setScorerSettings, (request) => setScorers(needs, request)),
  writeRoute(changeScorerSettings, (request) => setScorers(needs, request)),
];

const setScorers = async (
  { log }: ScorerSettingsNeeds,
  { body, params, principal, cause }: SettingsRequest,
) => {
  const { project_id: project, run_id: run } = params;
  if ((await liveRun(log, project, run)) === null) throw new Fault('not-found', 'Run not found');
  if (body.run_id != null && body.run_id !== run) {
    throw valueFault(['body', 'run_id'], 'run_id must equal the run in the URL');
  }
  const before = await scorersOfRun(log, run);
  const scorers = await resolveRunScorers(log, principal, body.scorers, before);
  const stream = scorerSettingsStream(run);
  const decide = replaceScorers({ project, run, before }, scorers);
  const { position } = await transact(log, stream, scorerSettings, decide, cause);
  const notes = {
    'X-Scorers-Without-Version': await scorersWithoutVersion(log, principal, scorers),
  };
  return { position, body: scorerSettingsAnswer(run, scorers), notes };
};

type SettingsTarget = {
  readonly project: ProjectId;
  readonly run: RunId;
  /** Effective scorers of a run without settings. */
  readonly before: readonly RunScorer[];
};

const replaceScorers =
  (
    { project, run, before }: SettingsTarget,
    scorers: readonly RunScorer[],
  ): Decide<ScorerSettings, ScorerSettingsEvent> =>
  (settings) =>
    JSON.stringify(settings ?? before) === JSON.stringify(scorers)
      ? []
      : [
          {
            type: 'ScorerSettingsChanged',
            data: { project_id: project, run_id: run, scorers: [...scorers] },
          },
        ];
