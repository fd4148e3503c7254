import type { DuckDBValue } from '@duckdb/node-api';
import { measuredColumn } from '../../kernel/records/column-value.js';
import {
  categoriesMax,
  groupName,
  type AggregateRefusal,
  type Widget,
} from '../../kernel/records/questions.js';
import { keyNames, rowsOf, valuesOf, type Inquiry } from './aggregate-rows.js';
import { noColumns } from './group.js';
import { isCategorical } from './widgets.js';

export const refuseCategories = async (inquiry: Inquiry): Promise<AggregateRefusal | null> => {
  for (const [widget, asked] of inquiry.plan.widgets.entries()) {
    if (!isCategorical(asked)) continue;
    const { sql, parameters } = rowsOf(inquiry, noColumns, (source) => [source.measured(asked)]);
    const [found] = await inquiry.statements.rows(
      `SELECT count(DISTINCT v0) FROM ${eachValue(asked, sql)}`,
      parameters,
    );
    if (Number(found?.[0]) > categoriesMax) return { refused: 'categories', widget };
  }
  return null;
};

/** The rows once for each value that is counted. */
const eachValue = ({ type }: Widget, rows: string): string =>
  type === 'string_list' ? `(SELECT * REPLACE (unnest(v0) AS v0) FROM ${rows})` : rows;

export type CategoryCounts = Record<string, number>;
/** By cell, null for the total: categories by column. */
export type CellCategories = ReadonlyMap<string | null, ReadonlyMap<string, CategoryCounts>>;
export const cellName = (key: string, bucket: DuckDBValue): string => `${String(bucket)} ${key}`;

export const categoriesOf = async (inquiry: Inquiry): Promise<CellCategories> => {
  const cells = new Map<string | null, Map<string, CategoryCounts>>();
  const textWidgets = inquiry.plan.widgets.filter(isCategorical);
  for (const [column, widget] of new Map(textWidgets.map((one) => [measuredColumn(one), one]))) {
    const add = (cell: string | null, category: string, count: number): void => {
      const metrics = cells.get(cell) ?? new Map<string, CategoryCounts>();
      // Without a prototype: a category may be called `__proto__`.
      const counts = metrics.get(column) ?? (Object.create(null) as CategoryCounts);
      counts[category] = (counts[category] ?? 0) + count;
      metrics.set(column, counts);
      cells.set(cell, metrics);
    };
    for (const groups of [null, inquiry.columns]) {
      const { sql, parameters } = rowsOf(inquiry, groups ?? noColumns, (source) => [
        source.measured(widget),
      ]);
      const keys = groups === null ? '' : `${[...keyNames(groups), 'b'].join(', ')}, `;
      const from = eachValue(widget, sql);
      const counted = await inquiry.statements.rows(
        `SELECT ${keys}v0, count(*) FROM ${from} WHERE v0 IS NOT NULL GROUP BY ALL`,
        parameters,
      );
      for (const row of counted) {
        const [category, count] = row.slice(-2);
        const cell =
          groups === null ? null : cellName(groupName(valuesOf(inquiry, row)), row.at(-3) ?? null);
        add(cell, String(category), Number(count));
      }
    }
  }
  return cells;
};
