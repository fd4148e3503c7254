import { registryMetricByName, standardColumnById } from './columns.js';
import { unreachable } from '../decision.js';
import { ratingValue } from './feedback.js';
import type { ColumnValue, MetricCell, MetricType, MetricValue, RecordRow } from './record.js';

const metricPrefix = 'metrics/';
const userMetadataPrefix = 'user_metadata/';
export const annotationPrefix = 'annotations/';

/** Location of a column's values (contract 3.2). Null: no such column. */
type ColumnLocation =
  | { readonly in: 'standard'; readonly column: string }
  | { readonly in: 'metrics'; readonly metric: string }
  | { readonly in: 'user_metadata'; readonly key: string }
  /** Ratings by the template of this id. */
  | { readonly in: 'annotations'; readonly template: string };

export const parseColumnId = (column: string): ColumnLocation | null => {
  if (column.startsWith(metricPrefix)) {
    return { in: 'metrics', metric: column.slice(metricPrefix.length) };
  }
  if (column.startsWith(userMetadataPrefix)) {
    return { in: 'user_metadata', key: column.slice(userMetadataPrefix.length) };
  }
  if (column.startsWith(annotationPrefix)) {
    return { in: 'annotations', template: column.slice(annotationPrefix.length) };
  }
  return standardColumnById.has(column) ? { in: 'standard', column } : null;
};

/** Value of a standard column; null when the record has none or its kind lacks the column. */
export const standardValue = (row: RecordRow, column: string): ColumnValue => {
  const known = standardColumnById.get(column);
  if (known === undefined || !known.kinds.includes(row.kind)) return null;
  return row.values[column] ?? null;
};

/**
 * Value of a metric as columns, filters, sorts and aggregates see it; null when absent or not of
 * the metric's type (contract 3.4, rule 3). -0 counts as 0. `type` null: the metric has no type, so
 * no value is visible.
 */
export const metricValue = (
  row: RecordRow,
  metric: string,
  type: MetricType | null,
): MetricValue | null => {
  const cell = Object.hasOwn(row.metrics, metric) ? row.metrics[metric] : undefined;
  return cell === undefined || type === null ? null : visibleValue(cell, type);
};

/** Visible value of a metric cell for this type: its value, else its roll-up, else null. */
export const visibleValue = (cell: MetricCell, type: MetricType): MetricValue | null => {
  const { value, rollUp } = cell;
  if (valueFitsType(cell, type)) return typeof value === 'number' ? value + 0 : value;
  const numeric = type === 'integer' || type === 'floating_point';
  return numeric && typeof value !== 'number' && rollUp !== undefined ? rollUp + 0 : null;
};

/**
 * True if the value fits the type. A rolled-up average of an integer metric fits, although it has a
 * fraction (contract 3.4, rule 5).
 */
export const valueFitsType = ({ value, rolledUp }: MetricCell, type: MetricType): boolean => {
  switch (type) {
    case 'integer':
      return typeof value === 'number' && (rolledUp || Number.isInteger(value));
    case 'floating_point':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
      return typeof value === 'string';
    default:
      return unreachable(type);
  }
};

export const userMetadataValue = (row: RecordRow, key: string): string | null =>
  Object.hasOwn(row.userMetadata, key) ? (row.userMetadata[key] ?? null) : null;

/**
 * Type of a registry metric. Others get theirs from their values
 * (kernel/records/reference/aggregate.ts, `metricTypes`).
 */
export const registryType = (metric: string): MetricType | null =>
  registryMetricByName.get(metric)?.type ?? null;

/** Value of any column; `types` has those of metrics outside the registry. */
export const columnValue = (
  row: RecordRow,
  column: string,
  types: ReadonlyMap<string, MetricType>,
): ColumnValue => {
  const place = parseColumnId(column);
  if (place === null) return null;
  if (place.in === 'standard') return standardValue(row, place.column);
  if (place.in === 'user_metadata') return userMetadataValue(row, place.key);
  if (place.in === 'annotations') return ratingValue(row, place.template);
  const type = registryType(place.metric) ?? types.get(place.metric) ?? null;
  return metricValue(row, place.metric, type);
};

/** Measured quantity: a metric by its name, or the ratings by the template of that id. */
export type MeasureTarget = {
  readonly metric: string;
  readonly type: MetricType | 'string_list' | null;
  readonly source?: 'annotations';
};

/** Column id of the measured quantity. */
export const measuredColumn = ({ metric, source }: MeasureTarget): string =>
  (source === 'annotations' ? annotationPrefix : metricPrefix) + metric;

/** Measured values of the record; several only for a list. */
export const measuredValues = (
  row: RecordRow,
  { metric, type, source }: MeasureTarget,
): readonly MetricValue[] => {
  if (source !== 'annotations') {
    return type === 'string_list' ? [] : [metricValue(row, metric, type) ?? []].flat();
  }
  return [ratingValue(row, metric) ?? []].flat() as readonly MetricValue[];
};
