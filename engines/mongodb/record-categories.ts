import type { Document } from 'mongodb';
import { categoriesMax, type AggregatePlan, type Widget } from '../../kernel/records/questions.js';
import { categoryStages, widgetMember, type CellPlan, type ServerCell } from './record-cells.js';
import { keyOf } from './record-measures.js';
import { compared } from './text-match.js';

/** One pipeline over the records considered. */
export type AskRecords = (stages: readonly Document[]) => Promise<Document[]>;

/** By widget, then cell: how often each value of a text metric is there. */
export type Categories = readonly ReadonlyMap<string, ReadonlyMap<string, number>>[];

export const categoriesOf = (
  ask: AskRecords,
  plan: AggregatePlan,
  ways: readonly CellPlan[],
): Promise<Categories> =>
  Promise.all(
    plan.widgets.map(async (widget) => {
      const cells = new Map<string, Map<string, number>>();
      const member = categoryMember(widget);
      if (member === null) return cells;
      const found = await Promise.all(ways.map((way) => ask(categoryStages(way, member))));
      for (const { _id, count } of found.flat()) {
        const { cell, value } = _id as { readonly cell: ServerCell; readonly value: string };
        const key = keyOf(cell);
        cells.set(key, (cells.get(key) ?? new Map<string, number>()).set(value, Number(count)));
      }
      return cells;
    }),
  );

/** The first widget with more categories than may be answered; null: none has. */
export const crowdedWidget = async (
  ask: AskRecords,
  { widgets }: Pick<AggregatePlan, 'widgets'>,
): Promise<number | null> => {
  const crowds = await Promise.all(
    widgets.map(async (widget) => {
      const member = categoryMember(widget);
      if (member === null) return 0;
      const [found] = await ask([
        { $match: { [member]: { $exists: true } } },
        { $group: { _id: compared(member) } },
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
  widget.type === 'text' ? widgetMember(widget) : null;
