import { both, type FilterTree } from '../language/filter-tree.js';
import type { ChartHistogram } from '../parts/histogram-scale.js';
import { printCost, printCount, printDuration, printScore } from '../parts/numbers.js';
import type { ShownMetric } from './model.js';

/** A metric with numbers, and how they are written. */
export type MeasuredMetric = {
  readonly id: string;
  readonly label: string;
  readonly format: (value: number) => string;
};

const usualMetrics: readonly MeasuredMetric[] = [
  { id: 'metrics/duration_ns', label: 'Duration', format: printDuration },
  { id: 'metrics/cost', label: 'Cost', format: printCost },
  { id: 'metrics/num_total_tokens', label: 'Tokens', format: printCount },
];

/** Metrics that have a distribution: the system's, and those of the project that are numbers. */
export const measuredMetrics = (metrics: readonly ShownMetric[]): readonly MeasuredMetric[] => [
  ...usualMetrics,
  ...metrics
    .filter(({ aggregation }) => aggregation === 'Average')
    .map(({ id, label }) => ({ id, label, format: printScore })),
];

/** The histogram of a widget; null where no record has a value. */
export const histogramIn = (values: object, id: string): ChartHistogram | null => {
  const value = (values as Readonly<Record<string, unknown>>)[id];
  const isHistogram = typeof value === 'object' && value !== null && 'edges' in value;
  return isHistogram ? (value as ChartHistogram) : null;
};

/** Condition that the value is in the bin: the last bin includes its upper edge. */
export const binTree = (
  name: string,
  { edges, counts }: ChartHistogram,
  bin: number,
): FilterTree => {
  const isLast = bin === counts.length - 1;
  const low = edges[bin] ?? 0;
  const high = edges[bin + 1] ?? low;
  const upper = isLast ? ('lte' as const) : ('lt' as const);
  return both(
    { filter: { type: 'number', name, operator: 'gte', value: low } },
    { filter: { type: 'number', name, operator: upper, value: high } },
  );
};
