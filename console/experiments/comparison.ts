import type {
  AgainstBaseline,
  ComparedExperiment,
  ComparedMetric,
  ComparedRow,
} from '../../clients/typescript/src/generated/experiments-types.js';
import type {
  ExperimentComparison,
  RankingCriterion,
} from '../../clients/typescript/src/generated/experiments-types-2.js';
import { isDeprecatedMetric, isSystemMetric, metricLabel, printMetric } from '../parts/metrics.js';
import { printPoints } from '../parts/numbers.js';
import type { ComparisonView } from './state.js';

/** A page of a comparison, with its metrics. */
export type Comparison = ExperimentComparison;

/** Ids in the order of a comparison: the baseline, then the others, each once. */
export const comparedIds = (view: Pick<ComparisonView, 'base' | 'with'>): readonly string[] =>
  [...new Set([view.base, ...(view.with ?? [])])].filter((id) => id !== '');

/**
 * The metric that judges rows: that of the view, else the first that ranks, else the one with the
 * most values that is about quality, and not deprecated.
 */
export const judgingMetric = (
  metrics: readonly ComparedMetric[],
  wanted: string,
  criteria: readonly RankingCriterion[],
): ComparedMetric | null => {
  const named = (name: string) =>
    metrics.find(({ metric }) => metric === name.replace(/^metrics\//, ''));
  const ranking = criteria.map(({ metric }) => named(metric)).find((one) => one !== undefined);
  return named(wanted) ?? ranking ?? metrics.toSorted(byPreference)[0] ?? null;
};

const byPreference = (one: ComparedMetric, other: ComparedMetric): number => {
  const [first, second] = [preferenceOf(one), preferenceOf(other)];
  const at = first.findIndex((value, index) => value !== second[index]);
  return (second[at] ?? 0) - (first[at] ?? 0);
};

/** The greater of the first numbers that differ is preferred. */
const preferenceOf = ({ metric, experiments }: ComparedMetric): readonly number[] => [
  Number(!isDeprecatedMetric(metric)),
  Number(!isSystemMetric(metric)),
  experiments.reduce((sum, one) => sum + one.num_rows, 0),
];

/** True for an interval without 0: the difference is not chance alone. */
export const isClear = ({ confidence_interval: interval }: AgainstBaseline): boolean =>
  interval !== null && (interval.lower > 0 || interval.upper < 0);

/** Judgement of a clear difference by the metric's direction; null where it is not clear. */
export const verdictOf = (
  against: AgainstBaseline,
  direction: ComparedMetric['direction'],
): 'good' | 'bad' | null => {
  if (!isClear(against)) return null;
  return (against.mean_difference ?? 0) > 0 === (direction === 'higher') ? 'good' : 'bad';
};

/** A difference in the unit of the metric; of shares in percentage points. */
const printSize = ({ metric, type }: ComparedMetric, difference: number): string =>
  type === 'boolean' ? printPoints(difference) : printMetric(metric, difference, false);

/** A difference with its sign: `+0.07`, `-$0.003`, `+12.5 pp`, `±0`. */
export const printDifference = (metric: ComparedMetric, difference: number): string => {
  const text = printSize(metric, difference);
  return difference > 0 && !text.startsWith('<')
    ? `+${text}`
    : difference === 0
      ? `±${text}`
      : text;
};

/** `95 % 0.02 … 0.12`, or why there is no interval. */
export const intervalText = (metric: ComparedMetric, against: AgainstBaseline): string => {
  const { confidence_interval: interval } = against;
  if (interval === null) return 'too few rows';
  return `${printSize(metric, interval.lower)} … ${printSize(metric, interval.upper)}`;
};

/** Rows that a difference is over: `50`, or `43 of 50` where others have no value to compare. */
export const coverageText = ({ num_rows: rows }: AgainstBaseline, total: number): string =>
  rows < total
    ? `${rows.toLocaleString('en')} of ${total.toLocaleString('en')}`
    : rows.toLocaleString('en');

/** Why differences of these metrics are over fewer than all rows; null where none of them is. */
export const coverageSentence = (
  metrics: readonly ComparedMetric[],
  total: number,
): string | null => {
  const partial = metrics.filter((metric) =>
    againstOf(metric).some(({ num_rows: rows }) => rows < total),
  );
  if (partial.length === 0) return null;
  const computed = partial.filter(({ metric }) => isDeprecatedMetric(metric));
  const names = computed.map(({ metric }) => metricLabel(metric)).join(', ');
  const needs = names === '' ? '' : ` ${names}: a value needs an output and a reference.`;
  const all = total.toLocaleString('en');
  return `“of ${all}”: on the other rows one of the two has no value.${needs}`;
};

/** Comparisons of all others on this metric with the baseline. */
const againstOf = ({ experiments }: ComparedMetric): readonly AgainstBaseline[] =>
  experiments.flatMap(({ against_baseline: against }) => (against === null ? [] : [against]));

const isUnchanged = (metric: ComparedMetric): boolean =>
  againstOf(metric).every(({ wins, losses }) => wins === 0 && losses === 0);

/** Sentence where nothing became better or worse, by all metrics or by the one that judges. */
export const unchangedSentence = (
  comparison: ExperimentComparison,
  judge: ComparedMetric | null,
): string | null => {
  const { metrics, rows_in_all: rows } = comparison;
  if (rows === 0 || judge === null) return null;
  if (metrics.every(isUnchanged)) {
    return `No row changed: on ${countedRows(rows)} every metric is the same.`;
  }
  return isUnchanged(judge) ? `No row changed in ${metricLabel(judge.metric)}.` : null;
};

const countedRows = (count: number): string =>
  count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`;

type RowCounts = Readonly<Record<ComparisonView['rows'], number | null>>;

/** Rows of each group; null where several others are compared and rows may be in many groups. */
export const rowCounts = (comparison: ExperimentComparison, judge: ComparedMetric): RowCounts => {
  const all = comparison.total_rows;
  const [only, ...more] = againstOf(judge);
  if (only === undefined || more.length > 0) {
    return { losses: null, wins: null, ties: null, missing: null, all };
  }
  const { losses, wins, ties, num_rows } = only;
  return { losses, wins, ties, missing: all - num_rows, all };
};

/** A sentence about a comparison; `failedOf`: the experiment whose failed traces it is about. */
export type Caution = { readonly text: string; readonly failedOf: string | null };

/** Sentences about what the comparison leaves out, and about other datasets. */
export const cautions = ({ experiments }: ExperimentComparison): readonly Caution[] => {
  const found = experiments.flatMap(cautionsOf);
  const plain = (text: string): Caution => ({ text, failedOf: null });
  const about = new Set(experiments.map(({ dataset }) => dataset?.dataset_id ?? ''));
  const versions = new Set(experiments.map(({ dataset }) => JSON.stringify(dataset)));
  if (about.size > 1) found.push(plain('They are about different datasets.'));
  else if (versions.size > 1) {
    found.push(plain('They are about different versions of the dataset.'));
  }
  return found;
};

const cautionsOf = (experiment: ComparedExperiment): Caution[] => {
  const { traces_without_row: without, missing_rows: missing, failed_rows: failed } = experiment;
  const parts = [
    missing > 0 ? `lacks ${countedRows(missing)}` : null,
    failed > 0 ? `failed on ${countedRows(failed)}` : null,
    without > 0 ? `has ${without.toLocaleString('en')} traces about no row` : null,
  ].filter((part) => part !== null);
  if (parts.length === 0) return [];
  const text = `${comparedName(experiment)} ${parts.join(', ')}.`;
  return [{ text, failedOf: failed > 0 ? experiment.experiment_id : null }];
};

/** The name of a compared experiment, or the begin of its id. */
export const comparedName = ({ experiment_id, name }: ComparedExperiment): string =>
  name === '' ? experiment_id.slice(0, 8) : name;

/** The id of a row's first trace, which names it in an address. */
export const comparedRowKey = ({ experiments }: ComparedRow): string =>
  experiments.find(({ trace_id: id }) => id !== null)?.trace_id ?? '';

/** A recorded value as text: JSON where it is not one. */
export const outputText = (output: unknown): string => {
  if (output === null || output === undefined) return '';
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
};
