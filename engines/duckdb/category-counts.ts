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

export type CategoryCounts = Record<string, number>;
/** Categories by column, by cell; the null cell is the total. */
export type CellCategories = ReadonlyMap<string | null, ReadonlyMap<string, CategoryCounts>>;
export const cellKey = (key: string, bucket: DuckDBValue): string => `${String(bucket)} ${key}`;

export const countCategories = async (inquiry: AggregateQuery): Promise<CellCategories> => {
  const cells = new Map<string | null, Map<string, CategoryCounts>>();
  const textWidgets = inquiry.plan.widgets.filter(isCategorical);
  for (const [column, widget] of new Map(textWidgets.map((one) => [measuredColumn(one), one]))) {
    const add = (cell: string | null, category: string, count: number): void => {
      const metrics = cells.get(cell) ?? new Map<string, CategoryCounts>();
      // No prototype: a category may be called `__proto__`.
      const counts = metrics.get(column) ?? (Object.create(null) as CategoryCounts);
      counts[category] = (counts[category] ?? 0) + count;
      metrics.set(column, counts);
      cells.set(cell, metrics);
    };
    for (const groups of [null, inquiry.columns]) {
      const { sql, parameters } = groupedRowsSql(inquiry, groups ?? noGroupColumns, (source) => [
        source.measuredValue(widget),
      ]);
      const keys = groups === null ? '' : `${[...groupKeyNames(groups), 'b'].join(', ')}, `;
      const from = eachValueSql(widget, sql);
      const counted = await inquiry.statements.rows(
        `SELECT ${keys}v0, count(*) FROM ${from} WHERE v0 IS NOT NULL GROUP BY ALL`,
        parameters,
      );
      for (const row of counted) {
        const [category, count] = row.slice(-2);
        const cell =
          groups === null
            ? null
            : cellKey(groupName(groupValuesOf(inquiry, row)), row.at(-3) ?? null);
        add(cell, String(category), Number(count));
      }
    }
  }
  return cells;
};
