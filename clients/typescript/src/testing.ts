import type { ExperimentRun } from './experiment-run.js';

type ExperimentComparison = NonNullable<ExperimentRun['comparison']>;
type ComparedMetric = ExperimentComparison['metrics'][number];
type MetricOfExperiment = ComparedMetric['experiments'][number];

export type NotWorse = {
  readonly metric: string;
  /** The bar, in the metric's direction. 0; -0.02 lets the metric be 0.02 worse. */
  readonly atLeast?: number;
  /** Default: each experiment beside the baseline is tested. */
  readonly experimentId?: string;
  /** Limit of failed rows, and of rows that lack a value that the baseline has. 0. */
  readonly missingAtMost?: number;
};

/**
 * Throws unless the experiment ran whole and is not worse. Whole: at most `missingAtMost` rows
 * failed, and at most so many rows with a value in the baseline have none. Not worse: the 95 %
 * interval of the mean difference is at or above the bar (contract 5.5); of a metric where lower is
 * better a difference counts with its sign turned. No interval (fewer than two rows) throws.
 *
 * `compared` is what `runExperiment` resolved with, or the answer of `experiments.compare`.
 */
export const expectNotWorse = (
  compared: ExperimentRun | ExperimentComparison,
  { metric, atLeast = 0, experimentId, missingAtMost = 0 }: NotWorse,
): void => {
  const run = 'comparison' in compared ? compared : null;
  const comparison = 'comparison' in compared ? compared.comparison : compared;
  if (comparison === null) {
    throw new Error('The run has no comparison: give runExperiment a baseline');
  }
  const why = evaluatorCause(run, metric);
  const found = comparison.metrics.find((one) => one.metric === metric);
  if (found === undefined) {
    const there = comparison.metrics.map((one) => one.metric).join(', ') || 'none';
    throw new Error(`The comparison has no metric "${metric}"; it has ${there}${why}`);
  }
  const [baseline, ...rest] = found.experiments;
  const others = rest.filter(
    ({ experiment_id }) => experimentId === undefined || experiment_id === experimentId,
  );
  if (others.length === 0) {
    throw new Error(`The comparison has no experiment ${experimentId ?? ''} to test`);
  }
  const facts = new Map(comparison.experiments.map((one) => [one.experiment_id, one]));
  const complaints = others.flatMap((one) => {
    const fact = facts.get(one.experiment_id);
    const said = [
      missingOf(fact?.failed_rows ?? 0, baseline?.num_rows ?? 0, one, missingAtMost),
      worseOf(found, one, atLeast),
    ].filter((text) => text !== null);
    if (said.length === 0) return [];
    const isOwn = run === null || run.experiment.id === one.experiment_id;
    const where = `${metric} of "${fact?.name ?? one.experiment_id}"`;
    return [`${where} (${found.direction} is better): ${said.join('; ')}${isOwn ? why : ''}`];
  });
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
};

const missingOf = (
  failed: number,
  ofBaseline: number,
  { against_baseline: against }: MetricOfExperiment,
  most: number,
): string | null => {
  const missing = ofBaseline - (against?.num_rows ?? 0);
  if (Math.max(failed, missing) <= most) return null;
  return (
    `${rows(failed)} failed, and ${missing} of the ${rows(ofBaseline)} with a value in the ` +
    `baseline have none; missingAtMost is ${most}`
  );
};

const worseOf = (
  { direction }: ComparedMetric,
  { against_baseline: against }: MetricOfExperiment,
  bar: number,
): string | null => {
  const interval = against?.confidence_interval ?? null;
  if (against === null || interval === null) {
    const both = rows(against?.num_rows ?? 0);
    return `no interval over ${both} with a value in both; it takes at least 2`;
  }
  const isLower = direction === 'lower';
  const [lower, upper] = isLower
    ? [-interval.upper, -interval.lower]
    : [interval.lower, interval.upper];
  if (lower >= bar) return null;
  const mean = (isLower ? -1 : 1) * (against.mean_difference ?? 0);
  return (
    `better by ${short(mean)} on average, 95 % interval ${short(lower)} to ` +
    `${short(upper)} over ${rows(against.num_rows)}; ` +
    `the lower end is below the bar of ${short(bar)}`
  );
};

/** Evaluator errors that explain rows without a value of the metric. */
const evaluatorCause = (run: ExperimentRun | null, metric: string): string => {
  const errors = run?.evaluatorErrors[metric] ?? 0;
  if (errors === 0) return '';
  return `. Its evaluator gave no value for ${rows(errors)}, first: ${run?.firstErrors[metric]}`;
};

const rows = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`;
const short = (value: number): string => String(Number(value.toPrecision(4)));
