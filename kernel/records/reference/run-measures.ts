import { comparedText } from './aggregate.js';
import { measuredValues, registryType, visibleValue } from '../column-value.js';
import { categoriesMax } from '../query-plans.js';
import type { MetricType, RecordRow } from '../record.js';
import type { RunMetric, RunMeasures, TypedMetric } from '../measures.js';

/**
 * Reference for `Records.runMeasures`: metrics of the traces among the rows of one run. `types` has
 * those of metrics outside the registry.
 */
export const runMeasures = (
  rows: readonly RecordRow[],
  types: ReadonlyMap<string, MetricType>,
): RunMeasures => {
  const traces = rows.filter(({ kind }) => kind === 'trace');
  const values = new Map<string, { type: MetricType; values: (number | boolean | string)[] }>();
  for (const { metrics } of traces) {
    for (const [metric, cell] of Object.entries(metrics)) {
      const type = registryType(metric) ?? types.get(metric);
      const value = type === undefined ? null : visibleValue(cell, type);
      if (type === undefined || value === null) continue;
      const known = values.get(metric) ?? { type, values: [] };
      known.values.push(value);
      values.set(metric, known);
    }
  }
  return {
    traces: traces.length,
    spans: traces.reduce((sum, { spanCount }) => sum + spanCount, 0),
    sessions: rows.filter(({ kind }) => kind === 'session').length,
    complete: traces.filter((row) => row.values['is_complete'] === true).length,
    metrics: Object.fromEntries(
      [...values].map(([metric, found]) => [metric, measureMetric(found.type, found.values)]),
    ),
  };
};

const measureMetric = (
  type: MetricType,
  values: readonly (number | boolean | string)[],
): RunMetric => {
  const count = values.length;
  if (type === 'boolean') {
    return { kind: 'boolean', count, trues: values.filter((value) => value === true).length };
  }
  if (type === 'text') {
    const counts = new Map<string, number>();
    for (const value of (values as readonly string[]).map(comparedText))
      counts.set(value, (counts.get(value) ?? 0) + 1);
    const shown = counts.size > categoriesMax ? null : Object.fromEntries(counts);
    return { kind: 'text', count, counts: shown };
  }
  const sorted = (values as readonly number[]).toSorted((one, other) => one - other);
  const rank = (percent: number): number => sorted[Math.ceil((percent * count) / 100) - 1] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    kind: 'number',
    count,
    sum: Number.isFinite(sum) ? sum : null,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    p50: rank(50),
    p90: rank(90),
    p95: rank(95),
    p99: rank(99),
  };
};

/**
 * Reference for `Records.runAverages`: per metric the average over the traces with a value, for a
 * boolean the share of true; null without one, for a text, or beyond the range of doubles. Runs
 * without any are left out. `rows` are of one project.
 */
export const runAverages = (
  rows: readonly RecordRow[],
  metrics: readonly TypedMetric[],
): ReadonlyMap<string, readonly (number | null)[]> => {
  const byRun = Map.groupBy(
    rows.filter(({ kind }) => kind === 'trace'),
    ({ values }) => String(values['run_id']),
  );
  const averages = [...byRun].map(
    ([run, traces]) => [run, metrics.map((one) => averageOf(traces, one))] as const,
  );
  return new Map(averages.filter(([, values]) => values.some((value) => value !== null)));
};

const averageOf = (traces: readonly RecordRow[], measured: TypedMetric): number | null => {
  if (measured.type === 'text') return null;
  const values = traces.flatMap((row) => measuredValues(row, measured)).map(Number);
  if (values.length === 0) return null;
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(average) ? average : null;
};
