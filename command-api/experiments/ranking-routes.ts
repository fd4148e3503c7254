import {
  chooseExperimentWinner,
  criteriaComplaints,
  criterionComplaint,
  plainCriteria,
  setRankingCriteria,
  withdrawExperimentWinner,
  type RankingCriteria,
} from '../../contract/experiment-ranking.js';
import { route, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { invalid } from '../../kernel/fault.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { experimentScopeStream, rankingCriteriaStream } from '../facts/experiments.js';
import { criteria, setCriteria } from './criteria.js';
import { liveExperiment, type ExperimentNeeds } from './routes.js';
import { chooseWinner, scopes, withdrawWinner } from './scopes.js';

export type RankingNeeds = {
  readonly log: EventLog;
  readonly experimentShown: ExperimentNeeds['experimentShown'];
  /**
   * Which of these metrics are texts. The type of a metric follows from what was recorded first, so
   * a read model says it; a text that slips in is ranked as without a value.
   */
  readonly textMetrics: (
    project: ProjectId,
    metrics: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** What applies at this position or after it; for the answer only. */
  readonly criteriaShown: (
    principal: Principal,
    project: ProjectId,
    position: Position,
  ) => Promise<RankingCriteria>;
};

/** The writes of contract 5.5 about ranking. */
export const rankingWrites = (needs: RankingNeeds): readonly Route[] => [
  settingCriteria(needs),
  choosing(needs),
  withdrawing(needs),
];

const settingCriteria = (needs: RankingNeeds): Route =>
  route(
    setRankingCriteria,
    async ({ body, params: { project_id: project }, principal, cause }) => {
      const wanted = plainCriteria(body.criteria);
      const texts = await needs.textMetrics(
        project,
        wanted.map(({ metric }) => metric),
      );
      const complaints = wanted.flatMap(({ metric }, at) =>
        texts.has(metric)
          ? [criterionComplaint(at, `metric '${metric}' is text: it cannot be ranked by`)]
          : [],
      );
      if (complaints.length > 0) throw invalid(complaints);
      const decide = setCriteria(project, wanted);
      const stream = rankingCriteriaStream(project);
      const { position } = await transact(needs.log, stream, criteria, decide, cause);
      return { position, body: await needs.criteriaShown(principal, project, position) };
    },
    ({ body }) => criteriaComplaints(body.criteria),
  );

const choosing = (needs: RankingNeeds): Route =>
  route(chooseExperimentWinner, async ({ params, principal, cause }) => {
    const position = await decided(needs, params, chooseWinner, cause);
    const { project_id: project, experiment_id: id } = params;
    return { position, body: await needs.experimentShown(principal, project, id, position) };
  });

const withdrawing = (needs: RankingNeeds): Route =>
  route(withdrawExperimentWinner, async ({ params, principal, cause }) => {
    const position = await decided(needs, params, withdrawWinner, cause);
    const { project_id: project, experiment_id: id } = params;
    return { position, body: await needs.experimentShown(principal, project, id, position) };
  });

/** Decides on a candidate in the scope that it is ranked in. */
const decided = async (
  { log }: RankingNeeds,
  place: { readonly project_id: ProjectId; readonly experiment_id: Run },
  decide: typeof chooseWinner,
  cause: Authorship,
): Promise<Position> => {
  const { project_id: project, experiment_id: run } = place;
  const { group } = await liveExperiment(log, project, run);
  const stream = experimentScopeStream(group?.id ?? project);
  const candidate = { run, project, group: group?.id ?? null };
  return (await transact(log, stream, scopes, decide(candidate), cause)).position;
};
type Run = Parameters<typeof liveExperiment>[2];
