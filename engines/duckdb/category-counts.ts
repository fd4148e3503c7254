import type { DuckDBValue } from '@duckdb/node-api';
import { measuredColumn } from '../../kernel/records/column-value.js';
import {
  categoriesMax,
  groupName,
  type AggregateRefusal,
  type Widget,
} from '../../kernel/records/query-plans.js';
import {
  groupKeyNames,
  groupedRowsSql,
  groupValuesOf,
  type AggregateQuery,
} from './grouped-rows.js';
import { noGroupColumns } from './group-by.js';
import { isCategorical } from './widget-measures.js';

export const checkCategoryLimit = async (
  inquiry: AggregateQuery,
): Promise<AggregateRefusal | null> => {
  for (const [index, widget] of inquiry.plan.widgets.entries()) {
    if (!isCategorical(widget)) continue;
    const { sql, parameters } = groupedRowsSql(inquiry, noGroupColumns, (source) => [
      source.measuredValue(widget),
    ]);
    const [found] = await inquiry.statements.rows(
      `SELECT count(DISTINCT v0) FROM ${eachValueSql(widget, sql)}`,
      parameters,
    );
    if (Number(found?.[0]) > categoriesMax) return { refused: 'categories', widget: index };
  }
  return null;
};

/** SQL of the rows, repeated for each item when the value is a list. */
const eachValueSql = ({ type }: Widget, rows: string): string =>
  type === 'string_list' ? `(SELECT * REPLACE (unnest(v0) AS v0) FROM ${rows})` : rows;

type CategoryCounts = Record<string, number>;
/** Counts by cell; the null cell is the total. */
export type CellCounts = ReadonlyMap<string | null, CategoryCounts>;
export const cellKey = (key: string, bucket: DuckDBValue): string => `${String(bucket)} ${key}`;

/** Counts of each category, by measured column. */
export type CountedCategories = ReadonlyMap<string, CellCounts>;

export const countCategories = async (inquiry: AggregateQuery): Promise<CountedCategories> => {
  const counted = new Map<string, CellCounts>();
  for (const widget of inquiry.plan.widgets.filter(isCategorical)) {
    const column = measuredColumn(widget);
    if (!counted.has(column)) counted.set(column, await countByCell(inquiry, widget, 'v0'));
  }
  return counted;
};

/**
 * Counts the values of the widget by `category`, an SQL expression of the value `v0`: in each cell,
 * and in all, where each record counts once.
 */
export const countByCell = async (
  inquiry: AggregateQuery,
  widget: Widget,
  category: string,
): Promise<CellCounts> => {
  const cells = new Map<string | null, CategoryCounts>();
  for (const groups of [null, inquiry.columns]) {
    const { sql, parameters } = groupedRowsSql(inquiry, groups ?? noGroupColumns, (source) => [
      source.measuredValue(widget),
    ]);
    const keys = groups === null ? '' : `${[...groupKeyNames(groups), 'b'].join(', ')}, `;
    const counted = await inquiry.statements.rows(
      `SELECT ${keys}${category} AS category, count(*) FROM ${eachValueSql(widget, sql)}
       WHERE v0 IS NOT NULL GROUP BY ALL`,
      parameters,
    );
    for (const row of counted) {
      const [value, count] = row.slice(-2);
      const cell =
        groups === null
          ? null
          : cellKey(groupName(groupValuesOf(inquiry, row)), row.at(-3) ?? null);
      // No prototype: a category may be called `__proto__`.
      const counts = cells.get(cell) ?? (Object.create(null) as CategoryCounts);
      counts[String(value)] = (counts[String(value)] ?? 0) + Number(count);
      cells.set(cell, counts);
    }
  }
  return cells;
};
