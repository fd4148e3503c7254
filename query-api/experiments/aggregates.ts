import type { ExperimentRecord, StructuredMetric } from '../../contract/experiment-record.js';
import { unreachable } from '../../kernel/decision.js';
import type { RunMeasures, RunMetric } from '../../kernel/records/measures.js';

type Aggregates = Pick<ExperimentRecord, 'aggregate_metrics' | 'structured_aggregate_metrics'>;

/**
 * Aggregates over an experiment's traces (contract 4.6); `measures` undefined: empty ones. A page
 * has some hundreds of these, so members are assigned one by one.
 */
export const aggregatesOf = (measures: RunMeasures | undefined): Aggregates => {
  // Null prototypes: a metric may be called `__proto__`.
  const flat = Object.create(null) as Record<string, number | null>;
  const shown = Object.create(null) as Record<string, StructuredMetric>;
  for (const [name, metric] of Object.entries(measures?.metrics ?? {})) {
    addFlat(flat, name, metric);
    shown[name] = structuredMetric(metric);
  }
  flat['total_responses'] = measures?.traces ?? 0;
  return {
    aggregate_metrics: flat as ExperimentRecord['aggregate_metrics'],
    structured_aggregate_metrics: shown,
  };
};

const addFlat = (flat: Record<string, number | null>, name: string, metric: RunMetric): void => {
  switch (metric.kind) {
    case 'number':
      flat[`average_${name}`] = averageOf(metric);
      flat[`sum_${name}`] = metric.sum;
      flat[`min_${name}`] = metric.min;
      flat[`max_${name}`] = metric.max;
      return;
    case 'boolean':
      flat[`percentage_true_${name}`] = metric.trues / metric.count;
      return;
    case 'text':
      return;
    default:
      unreachable(metric);
  }
};

const averageOf = ({ sum, count }: { sum: number | null; count: number }): number | null =>
  sum === null ? null : sum / count;

const noAggregates = {
  avg: null,
  sum: null,
  min: null,
  max: null,
  pct: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
};

const structuredMetric = (metric: RunMetric): StructuredMetric => {
  const { count } = metric;
  if (metric.kind === 'number') {
    const { sum, min, max, p50, p90, p95, p99 } = metric;
    const avg = averageOf(metric);
    return { avg, sum, min, max, count, pct: null, p50, p90, p95, p99, value_distribution: null };
  }
  if (metric.kind === 'boolean') {
    const { trues } = metric;
    const value_distribution = { true: trues, false: count - trues };
    return { ...noAggregates, count, pct: trues / count, value_distribution };
  }
  return { ...noAggregates, count, value_distribution: metric.counts };
};

/**
 * Progress in whole percent: complete traces per row of the dataset, or per trace without a dataset
 * (contract 4.6).
 */
export const progressOf = (
  measures: Pick<RunMeasures, 'traces' | 'complete'> | undefined,
  datasetRows: number | null,
): number => {
  if (measures === undefined || measures.complete === 0) return 0;
  const due = datasetRows ?? measures.traces;
  return Math.min(100, Math.floor((100 * measures.complete) / due));
};
