import type { Experiment, StructuredMetric } from '../../contract/experiment-record.js';
import { unreachable } from '../../kernel/decision.js';
import type { RunMeasures, RunMetric } from '../../kernel/run-measures.js';

type Aggregates = Pick<Experiment, 'aggregate_metrics' | 'structured_aggregate_metrics'>;

/** The numbers of contract 4.6 over an experiment's traces; `measures` undefined: without any. */
export const aggregatesOf = (measures: RunMeasures | undefined): Aggregates => {
  const metrics = Object.entries(measures?.metrics ?? {});
  const flat = metrics.flatMap(([name, metric]) => flatMembers(name, metric));
  return {
    aggregate_metrics: Object.fromEntries([
      ...flat,
      ['total_responses', measures?.traces ?? 0],
    ]) as Experiment['aggregate_metrics'],
    structured_aggregate_metrics: Object.fromEntries(
      metrics.map(([name, metric]) => [name, structured(metric)]),
    ),
  };
};

const flatMembers = (
  name: string,
  metric: RunMetric,
): readonly (readonly [string, number | null])[] => {
  switch (metric.kind) {
    case 'number':
      return [
        [`average_${name}`, averageOf(metric)],
        [`sum_${name}`, metric.sum],
        [`min_${name}`, metric.min],
        [`max_${name}`, metric.max],
      ];
    case 'boolean':
      return [[`percentage_true_${name}`, metric.trues / metric.count]];
    case 'text':
      return [];
    default:
      return unreachable(metric);
  }
};

const averageOf = ({ sum, count }: { sum: number | null; count: number }): number | null =>
  sum === null ? null : sum / count;

const none = {
  avg: null,
  sum: null,
  min: null,
  max: null,
  pct: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  value_distribution: null,
};

const structured = (metric: RunMetric): StructuredMetric => {
  const { count } = metric;
  if (metric.kind === 'number') {
    const { sum, min, max, p50, p90, p95, p99 } = metric;
    return { ...none, avg: averageOf(metric), sum, min, max, count, p50, p90, p95, p99 };
  }
  if (metric.kind === 'boolean') {
    const { trues } = metric;
    const value_distribution = { true: trues, false: count - trues };
    return { ...none, count, pct: trues / count, value_distribution };
  }
  return { ...none, count, value_distribution: metric.counts };
};

/**
 * Complete traces per row of the dataset, without a dataset per trace, in whole percent (contract
 * 4.6).
 */
export const progressOf = (
  measures: Pick<RunMeasures, 'traces' | 'complete'> | undefined,
  datasetRows: number | null,
): number => {
  if (measures === undefined || measures.complete === 0) return 0;
  const due = datasetRows ?? measures.traces;
  return Math.min(100, Math.floor((100 * measures.complete) / due));
};
