import { metricReadings } from '../../contract/record-rules.js';
import { appliesTo, registryMetric, standardColumn } from '../../kernel/records/columns.js';
import type { FilterKind, MetricType, Population } from '../../kernel/records/record.js';

/**
 * Types of the project's metrics outside the registry; a metric that never had a value is absent.
 */
export type MetricTypes = ReadonlyMap<string, MetricType>;
/** Null: the project was not asked yet, so any name may be that of a metric. */
export type TypesKnown = MetricTypes | null;

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
  types: TypesKnown,
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
export const metricType = (metric: string, types: TypesKnown): MetricType | null =>
  registryMetric.get(metric)?.type ?? types?.get(metric) ?? null;

/**
 * The metric that a name means: the first of its readings (`metricReadings`) that the project or
 * the registry has; without one, the name as it is.
 */
export const metricMeant = (written: string, types: TypesKnown): string => {
  const readings = metricReadings(written);
  const known = readings.find((metric) => metricType(metric, types) !== null);
  return known ?? readings[0] ?? written;
};

/**
 * The id of the column that a name means: other columns as they are, and a metric under any of its
 * names (contract 3.4, rule 6). What is no column stays as it is written.
 */
export const columnMeant = (written: string, types: TypesKnown): string => {
  if (standardColumn.has(written) || written.startsWith(metadataPrefix)) return written;
  const metric = metricMeant(written, types);
  const isMetric =
    metricOf(written) !== null || types === null || metricType(metric, types) !== null;
  return isMetric ? metricPrefix + metric : written;
};

/** Of these column ids, the metrics that nobody recorded in the project (contract 3.7, rule 4). */
export const unknownMetrics = (
  columns: readonly string[],
  types: MetricTypes,
): readonly string[] => [
  ...new Set(
    columns.filter((column) => {
      const metric = metricOf(column);
      return metric !== null && metricType(metric, types) === null;
    }),
  ),
];

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

/**
 * Metrics whose types a plan has to ask the project for: all that these columns may mean, but those
 * that the registry fixes.
 */
export const metricsToType = (columns: readonly string[]): readonly string[] => [
  ...new Set(
    columns.flatMap((column) => {
      const metric = metricOf(column);
      if (metric === null) return [];
      return metricReadings(metric).filter((one) => !registryMetric.has(one));
    }),
  ),
];
