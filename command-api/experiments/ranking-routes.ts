import {
  chooseExperimentWinner,
  criterionComplaint,
  resolveCriteria,
  bareCriteria,
  repeatedMetricComplaints,
  setRankingCriteria,
  withdrawExperimentWinner,
  type Criterion,
  type RankingCriteria,
} from '../../contract/experiment-ranking.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { validationFault, type Complaint } from '../../kernel/fault.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { experimentScopeStream, rankingCriteriaStream } from '../facts/experiments.js';
import { rankingCriteria, changeRankingCriteria } from './ranking-criteria.js';
import { liveExperiment, type ExperimentNeeds } from './routes.js';
import { chooseWinner, experimentScopes, withdrawWinner } from './scopes.js';

type RankingNeeds = {
  readonly log: EventLog;
  readonly experimentShown: ExperimentNeeds['experimentShown'];
  /**
   * Metrics that traces of the project have, by name, and ratings by live templates, as
   * `annotations/<id>`, with their types. All follow from what was
   * recorded, so a read model says it; a text that slips in is ranked as without a value.
   */
  readonly metricsRecorded: (project: ProjectId) => Promise<ReadonlyMap<string, MetricType>>;
  /** What applies at this position or after it; for the answer only. */
  readonly criteriaShown: (
    principal: Principal,
    project: ProjectId,
    position: Position,
  ) => Promise<RankingCriteria>;
};

/** The writes of contract 5.5 about ranking. */
export const rankingWrites = (needs: RankingNeeds): readonly Route[] => [
  setCriteriaRoute(needs),
  chooseWinnerRoute(needs),
  withdrawWinnerRoute(needs),
];

const setCriteriaRoute = (needs: RankingNeeds): Route =>
  writeRoute(
    setRankingCriteria,
    async ({ body, params: { project_id: project }, principal, cause }) => {
      const recorded = await needs.metricsRecorded(project);
      const wanted = resolveCriteria(body.criteria, recorded);
      const complaints = [
        ...repeatedMetricComplaints(wanted),
        ...unrankedComplaints(wanted, recorded),
      ];
      if (complaints.length > 0) throw validationFault(complaints);
      const decide = changeRankingCriteria(project, wanted);
      const stream = rankingCriteriaStream(project);
      const { position } = await transact(needs.log, stream, rankingCriteria, decide, cause);
      return { position, body: await needs.criteriaShown(principal, project, position) };
    },
    ({ body }) => repeatedMetricComplaints(bareCriteria(body.criteria)),
  );

/** About metrics that nothing can be ranked by, while there are some that can (contract 5.5). */
const unrankedComplaints = (
  wanted: readonly Criterion[],
  recorded: ReadonlyMap<string, MetricType>,
): readonly Complaint[] => {
  // Templates are there before anything is rated by them.
  const isRanked = ([name, type]: readonly [string, MetricType]): boolean =>
    type !== 'text' && !name.startsWith('annotations/');
  const there = [...recorded].filter(isRanked).map(([name]) => `'${name}'`);
  const named = there.slice(0, namesMax).join(', ') + (there.length > namesMax ? ' …' : '');
  return wanted.flatMap(({ metric }, at) => {
    if (recorded.get(metric) === 'text') {
      return [criterionComplaint(at, `metric '${metric}' is text: it cannot be ranked by`)];
    }
    if (recorded.has(metric) || there.length === 0) return [];
    return [criterionComplaint(at, `no trace has the metric '${metric}'; there is ${named}`)];
  });
};
const namesMax = 20;

const chooseWinnerRoute = (needs: RankingNeeds): Route =>
  writeRoute(chooseExperimentWinner, async ({ params, principal, cause }) => {
    const position = await transactScope(needs, params, chooseWinner, cause);
    const { project_id: project, experiment_id: id } = params;
    return { position, body: await needs.experimentShown(principal, project, id, position) };
  });

const withdrawWinnerRoute = (needs: RankingNeeds): Route =>
  writeRoute(withdrawExperimentWinner, async ({ params, principal, cause }) => {
    const position = await transactScope(needs, params, withdrawWinner, cause);
    const { project_id: project, experiment_id: id } = params;
    return { position, body: await needs.experimentShown(principal, project, id, position) };
  });

/** Decides on a candidate in the scope that it is ranked in. */
const transactScope = async (
  { log }: RankingNeeds,
  place: { readonly project_id: ProjectId; readonly experiment_id: RunParam },
  decide: typeof chooseWinner,
  cause: Authorship,
): Promise<Position> => {
  const { project_id: project, experiment_id: run } = place;
  const { group } = await liveExperiment(log, project, run);
  const stream = experimentScopeStream(group?.id ?? project);
  const candidate = { run, project, group: group?.id ?? null };
  return (await transact(log, stream, experimentScopes, decide(candidate), cause)).position;
};
type RunParam = Parameters<typeof liveExperiment>[2];
