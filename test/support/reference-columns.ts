import { byCodePoint } from '../../kernel/code-points.js';
import type { SortOrder } from '../../kernel/documents.js';
import {
  columnValue,
  registryType,
  standardValue,
  visibleValue,
} from '../../kernel/records/column-value.js';
import { standardColumns } from '../../kernel/records/columns.js';
import { annotationsOf, ratingValue } from '../../kernel/records/feedback.js';
import {
  userMetadataKeysMax,
  type ColumnFacts,
  type RecordScope,
} from '../../kernel/records/query-plans.js';
import type { MetricType, RecordRow } from '../../kernel/records/record.js';
import {
  comparedText,
  indexChildren,
  isConsidered,
  metricTypes,
} from '../../kernel/records/reference/aggregate.js';

/**
 * Comparator of records (contract 3.8): negative when `one` comes first. Missing values are last in
 * both directions; ties by `created_at` descending, then `id` descending.
 */
export const compareRows =
  (sort: SortOrder | null, types: ReadonlyMap<string, MetricType>) =>
  (one: RecordRow, other: RecordRow): number => {
    const byColumn = sort === null ? 0 : compareColumn(sort, types, one, other);
    if (byColumn !== 0) return byColumn;
    const byTime = byCodePoint(
      String(other.values['created_at']),
      String(one.values['created_at']),
    );
    return byTime === 0
      ? byCodePoint(String(other.values['id']), String(one.values['id']))
      : byTime;
  };

const compareColumn = (
  { column, ascending }: SortOrder,
  types: ReadonlyMap<string, MetricType>,
  one: RecordRow,
  other: RecordRow,
): number => {
  const left = columnValue(one, column, types);
  const right = columnValue(other, column, types);
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order =
    typeof left === 'string' && typeof right === 'string'
      ? byCodePoint(comparedText(left), comparedText(right))
      : Number(left) - Number(right);
  return ascending ? order : -order;
};

/**
 * Column catalogue facts about the records considered (contract 4.1). `rows` are all of the
 * project.
 */
export const columnFacts = (scope: RecordScope, rows: readonly RecordRow[]): ColumnFacts => {
  const types = metricTypes(rows);
  const below = indexChildren(rows);
  const considered = rows.filter((row) => isConsidered(scope, row, below));
  const isValue = (value: unknown): boolean =>
    value !== null &&
    value !== undefined &&
    value !== '' &&
    !(Array.isArray(value) && !value.length);
  const metrics = new Set<string>();
  const keys = new Set<string>();
  const templates = new Set<string>();
  for (const row of considered) {
    for (const template of row.kind === 'trace' ? Object.keys(annotationsOf(row)) : []) {
      if (isValue(ratingValue(row, template))) templates.add(template);
    }
    for (const [metric, cell] of Object.entries(row.metrics)) {
      const type = registryType(metric) ?? types.get(metric);
      if (type !== undefined && isValue(visibleValue(cell, type))) metrics.add(metric);
    }
    for (const [key, text] of Object.entries(row.userMetadata)) if (isValue(text)) keys.add(key);
  }
  return {
    present: standardColumns
      .filter(({ id }) => considered.some((row) => isValue(standardValue(row, id))))
      .map(({ id }) => id),
    metrics: [...metrics].sort(byCodePoint),
    userMetadata: [...keys].sort(byCodePoint).slice(0, userMetadataKeysMax),
    templates: [...templates].sort(byCodePoint),
  };
};
