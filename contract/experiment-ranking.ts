import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { namedSchema, oneOf } from '../kernel/schema-types.js';
import { experiment } from './experiment-record.js';
import { experimentsPath } from './experiments.js';
import { operation } from './operation.js';
import { bareMetricName } from '../kernel/records/sent-record.js';
import { metricReadings } from './record-rules.js';

/** Ranking limits (contract 5.5). */
export const criteriaMax = 50;
export const weightMax = 1_000_000;

const criterionMembers = {
  /** Metric name, with or without `metrics/`. */
  metric: Type.String({ minLength: 1, maxLength: 136 }),
  weight: Type.Number({ exclusiveMinimum: 0, maximum: weightMax }),
  direction: oneOf(['higher', 'lower']),
};
const shownCriteria = namedSchema(
  'RankingCriteria',
  Type.Object({
    criteria: Type.Array(namedSchema('RankingCriterion', Type.Object(criterionMembers))),
    /**
     * True if no criteria were set: these are all metrics with a threshold and a value in the
     * project.
     */
    default: Type.Boolean(),
  }),
);
export type RankingCriteria = Static<typeof shownCriteria>;
export type Criterion = RankingCriteria['criteria'][number];

const shared = { section: '5.5' } as const;

export const getRankingCriteria = operation({
  ...shared,
  operationId: 'getRankingCriteria',
  summary: 'Ranking criteria of the experiments of a project',
  description: '`default` is true until criteria are set.',
  method: 'GET',
  path: `${experimentsPath}/ranking_criteria`,
  requires: 'viewer',
  response: shownCriteria,
});

export const setRankingCriteria = operation({
  ...shared,
  operationId: 'setRankingCriteria',
  summary: 'Set the ranking criteria of the experiments of a project',
  description: 'An empty list restores the default.',
  example: { criteria: [{ metric: 'reward', weight: 1, direction: 'higher' }] },
  method: 'PUT',
  path: `${experimentsPath}/ranking_criteria`,
  requires: 'editor',
  body: Type.Object(
    {
      criteria: Type.Array(
        namedSchema(
          'RankingCriterionInput',
          Type.Object(criterionMembers, { additionalProperties: false }),
        ),
        {
          maxItems: criteriaMax,
        },
      ),
    },
    { additionalProperties: false },
  ),
  response: shownCriteria,
});

export const chooseExperimentWinner = operation({
  ...shared,
  operationId: 'chooseExperimentWinner',
  summary: 'Choose an experiment as the winner among its like',
  description: 'Replaces the choice among the experiments of its group.',
  method: 'POST',
  path: `${experimentsPath}/{experiment_id}/winner`,
  requires: 'editor',
  response: experiment,
});

export const withdrawExperimentWinner = operation({
  ...shared,
  operationId: 'withdrawExperimentWinner',
  summary: 'Withdraw the choice of an experiment as winner',
  description: 'An experiment that was not chosen has the same response.',
  method: 'DELETE',
  path: `${experimentsPath}/{experiment_id}/winner`,
  requires: 'editor',
  response: experiment,
});

export const experimentRankingOperations = [
  getRankingCriteria,
  setRankingCriteria,
  chooseExperimentWinner,
  withdrawExperimentWinner,
];

/** Criteria as stored and returned: metrics by their bare names. */
export const bareCriteria = (criteria: readonly Criterion[]): Criterion[] =>
  criteria.map((one) => ({ ...one, metric: bareMetricName(one.metric) }));

/** Criteria by recorded metric where one matches (contract 3.4, rule 6). */
export const resolveCriteria = (
  criteria: readonly Criterion[],
  recorded: { has(metric: string): boolean },
): Criterion[] =>
  bareCriteria(criteria).map((one) => ({
    ...one,
    metric: metricReadings(one.metric).find((name) => recorded.has(name)) ?? one.metric,
  }));

export const repeatedMetricComplaints = (plain: readonly Criterion[]): readonly Complaint[] => {
  const seen = new Set<string>();
  return plain.flatMap(({ metric }, at) => {
    const isRepeated = seen.has(metric);
    seen.add(metric);
    return isRepeated ? [criterionComplaint(at, `'${metric}' is used twice`)] : [];
  });
};

export const criterionComplaint = (at: number, sentence: string): Complaint =>
  valueComplaint(['body', 'criteria', String(at), 'metric'], sentence);
