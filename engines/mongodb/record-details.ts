import type { Document } from 'mongodb';
import type { AggregatePlan, Widget } from '../../kernel/records/questions.js';
import {
  categoryStages,
  distinctStages,
  named,
  rankStages,
  widgetMember,
  type CellPlan,
  type Collected,
  type ServerCell,
} from './record-cells.js';
import { columnMember } from './record-match.js';

/** One pipeline over the records considered. */
export type AskRecords = (stages: readonly Document[]) => Promise<Document[]>;

/** By cell: what is no simple sum of its records. */
export type Details = {
  readonly sessions: ReadonlyMap<string, number>;
  /** Null: every record is a request of its own. */
  readonly requests: ReadonlyMap<string, number> | null;
  /** By widget, then cell. */
  readonly categories: readonly ReadonlyMap<string, ReadonlyMap<string, number>>[];
  /** By member, then cell: `p50` … */
  readonly ranks: ReadonlyMap<string, ReadonlyMap<string, Document>>;
};

/** What the pipelines of the sums collect in passing. */
export const collectedOf = (plan: AggregatePlan): Collected => ({
  distinct: distinctOf(plan),
  percents: percentsOf(plan.widgets),
});

/** `collected`: documents of cells with all but categories; null: it is asked for in each way. */
export const detailsOf = async (
  ask: AskRecords,
  plan: AggregatePlan,
  ways: readonly CellPlan[],
  collected: readonly Document[] | null,
): Promise<Details> => {
  const asked = async (stages: (cells: CellPlan) => readonly Document[]): Promise<Document[]> =>
    (await Promise.all(ways.map((cells) => ask(stages(cells))))).flat();
  const counts = async (member: string, at: number): Promise<ReadonlyMap<string, number>> => {
    const found = collected ?? (await asked((cells) => distinctStages(cells, member)));
    const name = collected === null ? 'count' : named('distinct', at);
    return new Map(found.map((one) => [keyOf(one['_id'] as ServerCell), Number(one[name])]));
  };
  const ranks = async (member: string, percents: readonly number[], at: number) => {
    const found = collected ?? (await asked((cells) => rankStages(cells, member, percents)));
    const of = (one: Document): Document =>
      collected === null ? one : (one[named('ranks', at)] as Document);
    return [
      member,
      new Map(found.map((one) => [keyOf(one['_id'] as ServerCell), of(one)])),
    ] as const;
  };
  const categories = async (widget: Widget) => {
    const cells = new Map<string, Map<string, number>>();
    const member = widget.type === 'text' ? widgetMember(widget) : null;
    if (member === null) return cells;
    for (const { _id, count } of await asked((way) => categoryStages(way, member))) {
      const { cell, value } = _id as { readonly cell: ServerCell; readonly value: string };
      const key = keyOf(cell);
      cells.set(key, (cells.get(key) ?? new Map<string, number>()).set(value, Number(count)));
    }
    return cells;
  };
  const [[sessions = new Map<string, number>(), requests = null], some, ranked] = await Promise.all(
    [
      Promise.all(distinctOf(plan).map(counts)),
      Promise.all(plan.widgets.map(categories)),
      Promise.all(
        [...percentsOf(plan.widgets)].map(([member, percents], at) =>
          ranks(member, [...percents], at),
        ),
      ),
    ],
  );
  return { sessions, requests, categories: some, ranks: new Map(ranked) };
};

/** The trace of a span is its request; a trace is one itself. */
const distinctOf = ({ population }: AggregatePlan): readonly string[] =>
  population === 'trace' ? ['session'] : ['session', columnMember('trace_id')];

export const percentOf = ({ aggregation }: Widget): number | null =>
  aggregation.startsWith('P') && !aggregation.startsWith('Percentage')
    ? Number(aggregation.slice(1))
    : null;

/** The ranks that are asked for, by where the values stand. */
const percentsOf = (widgets: readonly Widget[]): ReadonlyMap<string, ReadonlySet<number>> => {
  const percents = new Map<string, Set<number>>();
  for (const widget of widgets) {
    const [member, percent] = [widgetMember(widget), percentOf(widget)];
    if (member === null || percent === null || widget.type === 'text') continue;
    percents.set(member, (percents.get(member) ?? new Set<number>()).add(percent));
  }
  return percents;
};

/** What cells of several pipelines have in common; `''`: the total. */
export const keyOf = (cell: ServerCell | undefined): string =>
  cell === null || cell === undefined ? '' : JSON.stringify([cell.group, cell.bucket]);
