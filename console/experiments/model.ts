import type {
  Experiment,
  ExperimentFilter,
  RankingCriterion,
  SearchExperiments,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { containsFilter } from '../client/contains-filter.js';
import { isDeprecatedMetric, isSystemMetric, metricLabel, printMetric } from '../parts/metrics.js';
import { figureOf, type Figure } from '../parts/numbers.js';
import type { LeaderboardView } from './state.js';
import { ownMember } from '../../kernel/own-member.js';

/** Experiments that a list shows at most, as many as one answer has (contract 4.6). */
export const experimentsMax = 1_000;

/** The question of a leaderboard: newest first where the view has no order. */
export const leaderboardQuestion = (
  view: Pick<LeaderboardView, 'group' | 'find' | 'sort'>,
): SearchExperiments => {
  const { group, find, sort } = view;
  const filters: ExperimentFilter[] = [];
  if (group === 'none') {
    filters.push({ name: 'experiment_group_name', operator: 'is_null', value: true });
  } else if (group !== '') {
    filters.push({ name: 'experiment_group_id', value: group });
  }
  filters.push(...containsFilter('name', find));
  return {
    filters,
    limit: experimentsMax,
    include_counts: true,
    sort: sort && { name: sort.column, ascending: sort.ascending },
  };
};

export type ExperimentGroup = { readonly id: string; readonly name: string };

/** Groups of these experiments, by name. */
export const groupsOf = (experiments: readonly Experiment[]): readonly ExperimentGroup[] => {
  const groups = new Map<string, string>();
  for (const { experiment_group_id: id, experiment_group_name: name } of experiments) {
    if (id !== null) groups.set(id, name ?? id);
  }
  return [...groups]
    .map(([id, name]) => ({ id, name }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

/** The name of a metric as summaries have it. */
const plainName = (metric: string): string =>
  metric.replace(/^metrics\//, '').replace(/^(?:average_|percentage_true_)(?=.)/, '');

/** Metrics that have a column of their own besides those that rank. */
const furtherMetricsMax = 4;
/** Metrics that stand in a list where nothing ranks, in this order. */
const usualMetrics = ['cost', 'duration_ns'];

const isNumeric = (experiment: Experiment, metric: string): boolean => {
  const summary = ownMember(experiment.structured_aggregate_metrics, metric);
  return summary !== undefined && (summary.avg !== null || summary.pct !== null);
};

/** Metrics with numbers in any of these experiments, by name. */
export const numericMetrics = (experiments: readonly Experiment[]): readonly string[] => {
  const names = new Set<string>();
  for (const experiment of experiments) {
    for (const metric of Object.keys(experiment.structured_aggregate_metrics)) {
      if (isNumeric(experiment, metric)) names.add(metric);
    }
  }
  return [...names].toSorted();
};

/** The name under which these metrics have the one that a criterion names. */
const metricOfCriterion = (metric: string, known: readonly string[]): string => {
  const bare = metric.replace(/^metrics\//, '');
  return known.includes(bare) ? bare : plainName(bare);
};

/** Metrics with a column: those that rank, cost and time, and some of the others. */
export const shownMetrics = (
  experiments: readonly Experiment[],
  criteria: readonly RankingCriterion[],
): readonly string[] => {
  const known = numericMetrics(experiments);
  const ranking = criteria.map(({ metric }) => metricOfCriterion(metric, known));
  const ratings = ranking.filter((metric) => !metric.startsWith('annotations/'));
  const usual = usualMetrics.filter((metric) => known.includes(metric));
  const own = known
    .filter((metric) => !isSystemMetric(metric))
    .toSorted((one, other) => Number(isDeprecatedMetric(one)) - Number(isDeprecatedMetric(other)));
  const further = [...own, ...usual].filter((metric) => !ratings.includes(metric));
  const shown = [...ratings, ...further.slice(0, furtherMetricsMax), ...usual];
  // Without a value anywhere there is nothing to show; the toolbar says so of criteria.
  return [...new Set(shown)].filter((metric) => known.includes(metric));
};

/** The mean of a metric in an experiment, of a boolean the share of true. */
export const metricFigure = (experiment: Experiment, metric: string): Figure => {
  const summary = ownMember(experiment.structured_aggregate_metrics, metric);
  const isShare = typeof summary?.pct === 'number';
  return figureOf(
    isShare ? summary.pct : summary?.avg,
    (value) => printMetric(metric, value, isShare),
    'No trace of it has this metric',
  );
};

/** `★` for a winner that was chosen, `☆` for one by rank alone; null: not the winner. */
export const winnerMark = ({ winner, winner_source }: Experiment) => {
  if (winner !== true) return null;
  return winner_source === 'chosen'
    ? { star: '★', text: 'Winner, chosen' }
    : { star: '☆', text: 'Winner by its rank' };
};

/**
 * Why results of an experiment are not about what the others of these are about: another version of
 * a dataset than the newest here. Null where they are.
 */
export const versionWarning = (
  { dataset }: Experiment,
  newest: ReadonlyMap<string, number>,
): string | null => {
  if (dataset === null) return null;
  const latest = newest.get(dataset.dataset_id) ?? dataset.version_index;
  if (latest === dataset.version_index) return null;
  return `Another version: others here are about v${latest}`;
};

/** The newest version of each dataset that these experiments are about. */
export const newestVersions = (experiments: readonly Experiment[]): ReadonlyMap<string, number> => {
  const newest = new Map<string, number>();
  for (const { dataset } of experiments) {
    if (dataset === null) continue;
    const known = newest.get(dataset.dataset_id) ?? 0;
    newest.set(dataset.dataset_id, Math.max(known, dataset.version_index));
  }
  return newest;
};

/** `airline v2`; null without a dataset. */
export const datasetText = ({ dataset }: Experiment): string | null =>
  dataset && `${dataset.name ?? 'deleted dataset'} v${dataset.version_index}`;

/** True while traces of one of these experiments are still coming. */
export const isUnderWay = (experiments: readonly Experiment[]): boolean =>
  experiments.some(({ status }) => status.log_generation.progress_percent < 100);

type RatingSummary = { readonly text: string; readonly title: string };

/** Ratings of an experiment with a value, one a template. */
export const ratingSummaries = (
  experiment: Experiment,
  names: ReadonlyMap<string, string>,
): readonly RatingSummary[] =>
  Object.entries(experiment.rating_aggregates).flatMap(([id, { trace }]) => {
    const text = ratingText(trace ?? {});
    return text === null ? [] : [{ text, title: names.get(id) ?? 'Rating' }];
  });

type RatingAggregate = {
  readonly feedback_type?: string;
  readonly average?: number | null;
  readonly counts?: Readonly<Record<string, number>>;
  readonly like_count?: number;
  readonly dislike_count?: number;
};

const ratingText = (aggregate: RatingAggregate): string | null => {
  const { feedback_type: type, average, counts, like_count: likes = 0 } = aggregate;
  if (type === 'like_dislike') {
    const all = likes + (aggregate.dislike_count ?? 0);
    return all === 0 ? null : `+${likes} of ${all}`;
  }
  if (typeof average !== 'number') return null;
  const number = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  return `${type === 'star' ? '★' : ''}${average.toFixed(1)} (${number})`;
};

/** The criteria as a sentence: `reward ↑ ×2, cost ↓`. */
export const criteriaText = (criteria: readonly RankingCriterion[]): string =>
  criteria
    .map(({ metric, weight, direction }) => {
      const arrow = direction === 'higher' ? '↑' : '↓';
      return `${metricLabel(plainName(metric))} ${arrow}${weight === 1 ? '' : ` ×${weight}`}`;
    })
    .join(', ');

/** Why the criteria rank none of these experiments; null where they do. */
export const unrankedText = (
  experiments: readonly Experiment[],
  criteria: readonly RankingCriterion[],
): string | null => {
  if (experiments.length === 0 || criteria.length === 0) return null;
  if (experiments.some(({ rank }) => rank !== null)) return null;
  const names = criteria.map(({ metric }) => metricLabel(plainName(metric)));
  return `Not ranked: no experiment has values of ${names.join(', ')}`;
};
