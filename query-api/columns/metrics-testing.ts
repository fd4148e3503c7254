import {
  metricUnderTest,
  type ColumnDescriptor,
  type metricsTestingColumns,
} from '../../contract/columns.js';
import { registryMetricByName } from '../../kernel/records/columns.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { Static } from '../../kernel/schema-types.js';
import { customMetric, registryDescriptor } from './descriptors.js';
import type { ScoreType } from '../../kernel/sandbox.js';

type MetricsTestingBody = Static<NonNullable<(typeof metricsTestingColumns)['body']>>;
type MetricsWithValues = {
  /** Metrics with a value on a considered trace. */
  readonly valued: ReadonlySet<string>;
  /** Types of the metrics outside the registry that have values. */
  readonly types: ReadonlyMap<string, MetricType>;
};

const typeOf: Readonly<Record<ScoreType, MetricType>> = {
  bool: 'boolean',
  int: 'integer',
  float: 'floating_point',
  str: 'text',
};

/**
 * Columns of traces, then the metric under test, its explanation and the required scorers; a column
 * that is already there moves to its later place (contract 4.12).
 */
export const metricsTestingDescriptors = (
  columns: readonly ColumnDescriptor[],
  body: MetricsTestingBody,
  { valued, types }: MetricsWithValues,
): ColumnDescriptor[] => {
  const key = body.metric_key ?? metricUnderTest;
  const group_label = 'Metrics Testing';
  const tested = (name: string, label: string, type: MetricType): ColumnDescriptor =>
    customMetric(name, type, { label, group_label, is_empty: !valued.has(name) });
  const scorer = (name: string): ColumnDescriptor => {
    const metric = registryMetricByName.get(name);
    const is_empty = !valued.has(name);
    if (metric !== undefined) return registryDescriptor(metric, is_empty);
    // The type of a metric without values is unknown; a score is a number.
    const type = types.get(name) ?? 'floating_point';
    return customMetric(name, type, { label: name, group_label: 'Custom Metrics', is_empty });
  };
  const byId = new Map(columns.map((column) => [column.id, column]));
  for (const column of [
    tested(key, body.name, typeOf[body.score_type ?? 'float']),
    ...(body.cot_enabled === true
      ? [tested(`${key}_explanation`, `${body.name} explanation`, 'text')]
      : []),
    ...(body.required_scorers ?? []).filter((name) => name !== key).map(scorer),
  ]) {
    byId.delete(column.id);
    byId.set(column.id, column);
  }
  return [...byId.values()];
};
