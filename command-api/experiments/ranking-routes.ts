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

/**
 * Metric types by name: metrics of the project's traces, and ratings by live templates, as
 * `annotations/<id>`. `isBehind`: the read model lacks events that were logged before.
 */
export type MetricsRecorded = {
  readonly types: ReadonlyMap<string, MetricType>;
  readonly isBehind: boolean;
};

type RankingNeeds = {
  readonly log: EventLog;
  readonly experimentShown: ExperimentNeeds['experimentShown'];
  /**
   * From a read model, since all follow from recorded facts; a text metric that slips in ranks as
   * without a value.
   */
  readonly metricsRecorded: (project: ProjectId) => Promise<MetricsRecorded>;
  /** Criteria that apply by default, at this position or later; for the answer only. */
  readonly criteriaShown: (
    principal: Principal,
    project: ProjectId,
    position: Position,
  ) => Promise<RankingCriteria>;
};

/** Write routes of ranking (contract 5.5). */
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
      const wanted = resolveCriteria(body.criteria, recorded.types);
      const complaints = [
        ...repeatedMetricComplaints(wanted),
        ...unrankedComplaints(wanted, recorded),
      ];
      if (complaints.length > 0) throw validationFault(complaints);
      const decide = changeRankingCriteria(project, wanted);
      const stream = rankingCriteriaStream(project);
      const { state, position } = await transact(needs.log, stream, rankingCriteria, decide, cause);
      // Criteria that apply by default follow from what is recorded; set ones do not wait for it.
      const shown: RankingCriteria =
        state.length > 0
          ? { criteria: [...state], default: false }
          : await needs.criteriaShown(principal, project, position);
      return { position, body: shown };
    },
    ({ body }) => repeatedMetricComplaints(bareCriteria(body.criteria)),
  );

/**
 * Complaints about metrics that cannot be ranked by, while others can (contract 5.5). A metric that
 * is not in a read model that lags may be in the log, so any name is taken then.
 */
const unrankedComplaints = (
  wanted: readonly Criterion[],
  { types: recorded, isBehind }: MetricsRecorded,
): readonly Complaint[] => {
  // Templates exist before anything is rated by them.
  const isRanked = ([name, type]: readonly [string, MetricType]): boolean =>
    type !== 'text' && !name.startsWith('annotations/');
  const there = [...recorded].filter(isRanked).map(([name]) => `'${name}'`);
  const named = there.slice(0, namesMax).join(', ') + (there.length > namesMax ? ' …' : '');
  return wanted.flatMap(({ metric }, at) => {
    if (recorded.get(metric) === 'text') {
      return [criterionComplaint(at, `metric '${metric}' is text and cannot be ranked by`)];
    }
    if (recorded.has(metric) || there.length === 0 || isBehind) return [];
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

/** Transacts on the ranking scope of a candidate. */
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
