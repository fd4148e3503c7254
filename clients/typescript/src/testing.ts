import type { Nouns } from './generated/all.js';

type ExperimentComparison = Awaited<ReturnType<Nouns['experiments']['compare']>>;
type ComparedMetric = ExperimentComparison['metrics'][number];
type MetricOfExperiment = ComparedMetric['experiments'][number];

export type NotWorse = {
  readonly metric: string;
  /** The bar, in the metric's direction. 0; -0.02 lets the metric be 0.02 worse. */
  readonly atLeast?: number;
  /** By default each experiment beside the baseline is tested. */
  readonly experimentId?: string;
};

/**
 * Throws unless the 95 % interval of the mean difference is at or above the bar (contract 5.5). Of
 * a metric where lower is better a difference counts with its sign turned. No interval (fewer than
 * two rows) fails.
 */
export const expectNotWorse = (
  comparison: ExperimentComparison,
  { metric, atLeast = 0, experimentId }: NotWorse,
): void => {
  const found = comparison.metrics.find((one) => one.metric === metric);
  if (found === undefined) {
    const there = comparison.metrics.map((one) => one.metric).join(', ') || 'none';
    throw new Error(`The comparison has no metric "${metric}"; it has ${there}`);
  }
  const others = found.experiments
    .slice(1)
    .filter((one) => experimentId === undefined || one.experiment_id === experimentId);
  if (others.length === 0) {
    throw new Error(`The comparison has no experiment ${experimentId ?? ''} to test`);
  }
  const names = new Map(comparison.experiments.map((one) => [one.experiment_id, one.name]));
  const complaints = others.flatMap((one) =>
    complaintOf(found, one, names.get(one.experiment_id) ?? one.experiment_id, atLeast),
  );
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
};

const complaintOf = (
  { metric, direction }: ComparedMetric,
  { against_baseline: against }: MetricOfExperiment,
  name: string,
  bar: number,
): readonly string[] => {
  const where = `${metric} of "${name}" (${direction} is better)`;
  const interval = against?.confidence_interval ?? null;
  if (against === null || interval === null) {
    const rows = against?.num_rows ?? 0;
    return [`${where}: no interval, ${rows} rows have a value in both; it takes at least 2`];
  }
  const isLower = direction === 'lower';
  const [lower, upper] = isLower
    ? [-interval.upper, -interval.lower]
    : [interval.lower, interval.upper];
  if (lower >= bar) return [];
  const mean = (isLower ? -1 : 1) * (against.mean_difference ?? 0);
  return [
    `${where}: better by ${short(mean)} on average, 95 % interval ${short(lower)} to ` +
      `${short(upper)} over ${against.num_rows} rows; ` +
      `the lower end is below the bar of ${short(bar)}`,
  ];
};

const short = (value: number): string => String(Number(value.toPrecision(4)));
