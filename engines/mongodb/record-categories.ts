import {
  categoriesMax,
  type AggregatePlan,
  type Widget,
} from '../../kernel/records/query-plans.js';
import {
  categoryStages,
  isCategorical,
  totalPlan,
  widgetMember,
  type CellPlan,
  type ServerCell,
} from './record-cells.js';
import { cellKey } from './record-measures.js';
import type { RecordQuery } from './record-scan.js';
import { comparedPrefix } from './text-match.js';

/** Counts of each value of a text metric, by widget and cell. */
export type WidgetCategories = readonly ReadonlyMap<string, ReadonlyMap<string, number>>[];

/**
 * Counts the categories. The total's follow from the cells', unless records are in several cells.
 */
export const countCategories = (
  query: RecordQuery,
  { widgets }: Pick<AggregatePlan, 'widgets'>,
  way: CellPlan,
): Promise<WidgetCategories> =>
  Promise.all(
    widgets.map(async (widget) => {
      const cells = new Map<string, Map<string, number>>();
      const member = categoryMember(widget);
      if (member === null) return cells;
      const ways = way.overlaps ? [way, totalPlan] : [way];
      const found = await Promise.all(
        ways.map((one) => query(categoryStages(one, member, widget.type === 'string_list'))),
      );
      for (const { _id, count } of found.flat()) {
        const { cell, value } = _id as { readonly cell: ServerCell; readonly value: string };
        for (const key of way.overlaps ? [cellKey(cell)] : [cellKey(cell), cellKey(null)]) {
          const counts = cells.get(key) ?? new Map<string, number>();
          cells.set(key, counts.set(value, (counts.get(value) ?? 0) + Number(count)));
        }
      }
      return cells;
    }),
  );

/** Index of the first widget with too many categories; null if all are within the limit. */
export const widgetOverLimit = async (
  query: RecordQuery,
  { widgets }: Pick<AggregatePlan, 'widgets'>,
): Promise<number | null> => {
  const crowds = await Promise.all(
    widgets.map(async (widget) => {
      const member = categoryMember(widget);
      if (member === null) return 0;
      const [found] = await query([
        { $match: { [member]: { $exists: true } } },
        ...(widget.type === 'string_list' ? [{ $unwind: `$${member}` }] : []),
        { $group: { _id: comparedPrefix(member) } },
        { $limit: categoriesMax + 1 },
        { $count: 'count' },
      ]);
      return Number(found?.['count'] ?? 0);
    }),
  );
  const at = crowds.findIndex((count) => count > categoriesMax);
  return at < 0 ? null : at;
};

const categoryMember = (widget: Widget): string | null =>
  isCategorical(widget) ? widgetMember(widget) : null;
