import { route, type Request, type Route } from '../../contract/operation.js';
import {
  changeScorerSettings,
  scorerSettingsAnswer,
  setScorerSettings,
  type GivenScorers,
  type RunScorer,
} from '../../contract/scorer-settings.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault, valueError } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/shapes.js';
import { transact } from '../../kernel/transact.js';
import { runOf } from '../facts/runs.js';
import {
  scorersNamed,
  scorerSettings,
  scorersOfRun,
  scorersWithoutVersion,
  type ScorerSettings,
  scorerSettingsStream,
} from '../facts/scorer-settings.js';

type ScorerSettingsNeeds = { readonly log: EventLog };
type Setting = Request<
  { readonly project_id: ProjectId; readonly run_id: RunId },
  unknown,
  { readonly run_id?: RunId | null; readonly scorers: GivenScorers }
>;

/** POST and PATCH of contract 5.10 do the same. */
export const scorerSettingsWrites = (needs: ScorerSettingsNeeds): readonly Route[] => [
  route(setScorerSettings, (request) => set(needs, request)),
  route(changeScorerSettings, (request) => set(needs, request)),
];

const set = async ({ log }: ScorerSettingsNeeds, { body, params, principal, cause }: Setting) => {
  const { project_id: project, run_id: run } = params;
  if ((await runOf(log, project, run)) === null) throw new Fault('not-found', 'Run not found');
  if (body.run_id != null && body.run_id !== run) {
    throw valueError(['body', 'run_id'], 'it is not the run of the address');
  }
  const before = await scorersOfRun(log, run);
  const scorers = await scorersNamed(log, principal, body.scorers, before);
  const stream = scorerSettingsStream(run);
  const decide = replace({ project, run, before }, scorers);
  const { position } = await transact(log, stream, scorerSettings, decide, cause);
  const notes = {
    'X-Scorers-Without-Version': await scorersWithoutVersion(log, principal, scorers),
  };
  return { position, body: scorerSettingsAnswer(run, scorers), notes };
};

type Place = {
  readonly project: ProjectId;
  readonly run: RunId;
  /** What holds while nobody has set anything. */
  readonly before: readonly RunScorer[];
};

const replace =
  (
    { project, run, before }: Place,
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
