import type { Direction } from '../../contract/experiment-comparison.js';
import {
  criteriaMax,
  type Criterion,
  type RankingCriteria,
} from '../../contract/experiment-ranking.js';
import { registryType } from '../../kernel/records/column-value.js';
import { metricRegistry, registryMetricByName } from '../../kernel/records/columns.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { allTracesScope, type Widget } from '../../kernel/records/query-plans.js';
import type { OrganizationId, ProjectId } from '../../kernel/schema-types.js';
import { rankingCriteria } from '../../projections/ranking-criteria.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { templateCollection } from '../run-selection.js';
import { scorerFacts, scorerList, type ScorerRow } from '../../projections/scorer-list.js';

/** Read models behind a project's criteria. */
export const criteriaCollections = [
  rankingCriteria.collection,
  templateCollection,
  scorerList.collection,
  recordsCollection,
];

type ThresholdedMetric = {
  readonly name: string;
  readonly threshold: { readonly inverted: boolean } | null;
};

/** Criterion from a threshold: lower is better where it is inverted (contract 4.6). */
const byThreshold = ({ name, threshold }: ThresholdedMetric): readonly Criterion[] =>
  threshold === null
    ? []
    : [{ metric: name, weight: 1, direction: threshold.inverted ? 'lower' : 'higher' }];

/** Default criteria: all metrics with a threshold; they apply where the project has a value. */
const defaultCriteria = async (
  documents: Documents,
  organization: OrganizationId,
): Promise<readonly Criterion[]> => {
  const found = await documents.find<ScorerRow>(scorerList.collection, {
    scope: organization,
    limit: scorersMax,
  });
  const scorers = found.documents.map(({ body }) => scorerFacts(body));
  const own = scorers.filter(({ name }) => !registryMetricByName.has(name));
  return [...metricRegistry, ...own].flatMap(byThreshold).slice(0, criteriaMax);
};
/** Scorers searched for thresholds; an organisation with more should choose its criteria. */
const scorersMax = 1_000;

/**
 * Better direction of each metric (contract 5.5): by the project's criteria, then by its threshold;
 * otherwise lower for time, tokens and cost, and higher for all else.
 */
export const readDirections = async (
  documents: Documents,
  { organization, project }: CriteriaScope,
): Promise<(metric: string) => Direction> => {
  const [chosen, usual] = await Promise.all([
    chosenCriteria(documents, project),
    defaultCriteria(documents, organization),
  ]);
  const said = new Map(
    [...usual, ...(chosen ?? [])].map(({ metric, direction }) => [metric, direction]),
  );
  const isSpent = (metric: string) => registryMetricByName.get(metric)?.group === 'System Metrics';
  return (metric) => said.get(metric) ?? (isSpent(metric) ? 'lower' : 'higher');
};

/** Criteria chosen for the project; null when none were chosen. */
const chosenCriteria = async (
  documents: Documents,
  project: ProjectId,
): Promise<readonly Criterion[] | null> => {
  const found = await documents.get<{ readonly criteria: readonly Criterion[] }>(
    rankingCriteria.collection,
    project,
  );
  return found?.body.criteria ?? null;
};

type Needs = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'aggregate' | 'metricTypes'>;
};
export type CriteriaScope = {
  readonly organization: OrganizationId;
  readonly project: ProjectId;
};

/** The criteria that apply to the project's experiments (contract 5.5). */
export const criteriaAnswer = async (
  needs: Needs,
  place: CriteriaScope,
): Promise<RankingCriteria> => {
  const chosen = await chosenCriteria(needs.documents, place.project);
  if (chosen !== null) return { criteria: [...chosen], default: false };
  const usual = await defaultCriteria(needs.documents, place.organization);
  return { criteria: await withValues(needs.records, place.project, usual), default: true };
};

/** Criteria whose metric has a value in the project that can be averaged. */
const withValues = async (
  records: Needs['records'],
  project: ProjectId,
  criteria: readonly Criterion[],
): Promise<Criterion[]> => {
  const names = criteria.map(({ metric }) => metric);
  const types = await records.metricTypes(
    project,
    names.filter((name) => !registryMetricByName.has(name)),
  );
  const counted = await records.aggregate({
    ...allTracesScope(project),
    widgets: names.flatMap((metric): readonly Widget[] => {
      const type = registryType(metric) ?? types.get(metric) ?? null;
      const isRanked = type !== null && type !== 'text';
      return isRanked ? [{ id: metric, metric, aggregation: 'Count', type }] : [];
    }),
    intervalMinutes: 525_600,
    offsetMinutes: 0,
    groupBy: [],
  });
  if ('refused' in counted) return [];
  return criteria.filter(({ metric }) => Number(counted.total.widgets[metric] ?? 0) > 0);
};

/**
 * Criteria to rank by. With a single default criterion, values are not checked: experiments without
 * one are not ranked.
 */
export const effectiveCriteria = async (
  needs: Needs,
  { organization, project }: CriteriaScope,
): Promise<readonly Criterion[]> => {
  const chosen = await chosenCriteria(needs.documents, project);
  if (chosen !== null) return chosen;
  const usual = await defaultCriteria(needs.documents, organization);
  return usual.length === 1 ? usual : withValues(needs.records, project, usual);
};
