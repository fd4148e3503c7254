import { appliesTo, registryMetric, standardColumn } from '../../kernel/records/columns.js';
import type { FilterKind, MetricType, Population } from '../../kernel/records/record.js';

/**
 * Types of the project's metrics outside the registry; a metric that never had a value is absent.
 */
export type MetricTypes = ReadonlyMap<string, MetricType>;

export const metricPrefix = 'metrics/';
const metadataPrefix = 'user_metadata/';

export type KnownColumn =
  | { readonly is: 'standard'; readonly filter: FilterKind; readonly applies: boolean }
  /** `type` null: no value in the project, so nothing says what it is. */
  | { readonly is: 'metric'; readonly metric: string; readonly type: MetricType | null }
  | { readonly is: 'user_metadata' };

/**
 * What the catalogue knows of a column id (contract 3.7, rule 4); null = unknown. `metrics/<name>`
 * and `user_metadata/<key>` are always known.
 */
export const knownColumn = (
  column: string,
  population: Population,
  types: MetricTypes,
): KnownColumn | null => {
  const standard = standardColumn.get(column);
  if (standard !== undefined) {
    return { is: 'standard', filter: standard.filter, applies: appliesTo(standard, population) };
  }
  const metric = metricOf(column);
  if (metric !== null) return { is: 'metric', metric, type: metricType(metric, types) };
  const isMetadata = column.startsWith(metadataPrefix) && column.length > metadataPrefix.length;
  return isMetadata ? { is: 'user_metadata' } : null;
};

/** The metric's name when the column id names one. */
export const metricOf = (column: string): string | null =>
  column.startsWith(metricPrefix) && column.length > metricPrefix.length
    ? column.slice(metricPrefix.length)
    : null;

/** The registry's type, else the project's (contract 3.4, rule 2). */
export const metricType = (metric: string, types: MetricTypes): MetricType | null =>
  registryMetric.get(metric)?.type ?? types.get(metric) ?? null;

const filterOfMetric: Readonly<Record<MetricType, FilterKind>> = {
  integer: 'number',
  floating_point: 'number',
  boolean: 'boolean',
  text: 'text',
};

/**
 * The filter types that the column takes: one, or three of a metric without a type (contract 3.7,
 * rule 5).
 */
export const filtersTaken = (column: KnownColumn): readonly FilterKind[] => {
  if (column.is === 'standard') return [column.filter];
  if (column.is === 'user_metadata') return ['text'];
  return column.type === null ? ['number', 'boolean', 'text'] : [filterOfMetric[column.type]];
};

/** Metrics whose types a plan has to ask the project for: those that the registry does not fix. */
export const metricsToType = (columns: readonly string[]): readonly string[] => [
  ...new Set(
    columns.flatMap((column) => {
      const metric = metricOf(column);
      return metric === null || registryMetric.has(metric) ? [] : [metric];
    }),
  ),
];
