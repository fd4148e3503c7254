import type { Document } from 'mongodb';
import { unreachable } from '../../kernel/decision.js';
import { histogramEdges, histogramOf } from '../../kernel/records/histogram.js';
import type { AggregatePlan, Widget, WidgetResult } from '../../kernel/records/query-plans.js';
import {
  numberedMember,
  percentOf,
  rankedMembers,
  widgetMember,
  type ServerCell,
} from './record-cells.js';

/** Measures of a cell, merged from its shares. */
export type CellMeasures = {
  readonly cell: ServerCell;
  records: number;
  spans: number;
  sessions: number;
  requests: number;
  /** Numbers by widget. */
  readonly numbers: WidgetNumbers[];
  /** Values to rank by member, sorted lazily. */
  readonly values: ReadonlyMap<string, { lists: number[][]; sorted: Float64Array | null }>;
};
/** Numbers for the widget's aggregation; `value`: the least or greatest. */
type WidgetNumbers = { count: number; sum: number; hits: number; value: number | null };
const noNumbers: Readonly<WidgetNumbers> = { count: 0, sum: 0, hits: 0, value: null };

/** Key that joins documents of different pipelines about one cell; `''`: the total. */
export const cellKey = (cell: ServerCell | undefined): string =>
  cell === null || cell === undefined ? '' : JSON.stringify([cell.groups, cell.bucket]);

/** Cells by key, and their `total`, valid if no record is in several cells. */
export type MeasuredCells = {
  readonly cells: ReadonlyMap<string, CellMeasures>;
  readonly total: CellMeasures;
};

/**
 * Merges the documents of `measureStages` by cell. Stops beyond `cellsMax`, holding at most one
 * cell too many.
 */
export const collectMeasures = async (
  shares: AsyncIterable<Document>,
  plan: AggregatePlan,
  cellsMax: number,
): Promise<MeasuredCells> => {
  const members = rankedMembers(plan);
  const cells = new Map<string, CellMeasures>();
  const whole = emptyMeasures(null, plan, members);
  const seen = { share: '', sessions: new Set<string>(), requests: new Set<string>() };
  const countSeen = (): void => {
    whole.sessions += seen.sessions.size;
    whole.requests += seen.requests.size;
    seen.sessions.clear();
    seen.requests.clear();
  };
  for await (const one of shares) {
    const { cell, share } = one['_id'] as { readonly cell: ServerCell; readonly share: string };
    const key = cellKey(cell);
    const known = cells.get(key) ?? emptyMeasures(cell, plan, members);
    cells.set(key, known);
    if (cells.size > cellsMax) break;
    if (share !== seen.share) countSeen();
    seen.share = share;
    const { sessions, requests } = idsOf(one);
    for (const session of sessions) seen.sessions.add(session);
    for (const request of requests ?? []) seen.requests.add(request);
    known.sessions += sessions.length;
    known.requests += requests?.length ?? Number(one['records']);
    for (const sum of [known, whole]) addShare(sum, one, plan.widgets, members);
  }
  countSeen();
  // A trace is a request by itself.
  if (plan.population === 'trace') whole.requests = whole.records;
  return { cells, total: whole };
};

const idsOf = (share: Document) =>
  share as { readonly sessions: readonly string[]; readonly requests?: readonly string[] };

const emptyMeasures = (
  cell: ServerCell,
  { widgets }: Pick<AggregatePlan, 'widgets'>,
  members: readonly string[],
): CellMeasures => ({
  cell,
  records: 0,
  spans: 0,
  sessions: 0,
  requests: 0,
  numbers: widgets.map(() => ({ ...noNumbers })),
  values: new Map(members.map((member) => [member, { lists: [], sorted: null }])),
});

const addShare = (
  cell: CellMeasures,
  share: Document,
  widgets: readonly Widget[],
  members: readonly string[],
): void => {
  cell.records += Number(share['records']);
  cell.spans += Number(share['spans']);
  for (const [at, { aggregation }] of widgets.entries()) {
    const numbers = cell.numbers[at];
    const count = Number(share[numberedMember('count', at)] ?? 0);
    if (numbers === undefined || count === 0) continue;
    numbers.count += count;
    numbers.sum += Number(share[numberedMember('sum', at)] ?? 0);
    numbers.hits += Number(share[numberedMember('hits', at)] ?? 0);
    const value = share[numberedMember('value', at)] as number | null | undefined;
    if (typeof value !== 'number') continue;
    const better = aggregation === 'Min' ? Math.min : Math.max;
    numbers.value = numbers.value === null ? value : better(numbers.value, value);
  }
  for (const [at, member] of members.entries()) {
    cell.values.get(member)?.lists.push(share[numberedMember('values', at)] as number[]);
  }
};

/**
 * Edges of the histograms by index of the widget, from the values of all cells; null without
 * values, and for other widgets.
 */
export const edgesByWidget = (
  total: CellMeasures,
  { widgets }: Pick<AggregatePlan, 'widgets'>,
): readonly (readonly number[] | null)[] =>
  widgets.map((widget) => {
    if (widget.aggregation !== 'Histogram') return null;
    const sorted = sortedValues(total, widget);
    const [least, greatest] = [sorted?.at(0), sorted?.at(-1)];
    if (least === undefined || greatest === undefined) return null;
    return histogramEdges(least + 0, greatest + 0, widget.type === 'integer');
  });

/** Value of a widget; null without values in the cell, or when the sum has no JSON form. */
export const widgetMeasure = (
  cell: CellMeasures,
  widget: Widget,
  at: number,
  edges: readonly number[] | null = null,
): WidgetResult => {
  const { count, sum, hits, value } = cell.numbers[at] ?? noNumbers;
  const { aggregation } = widget;
  if (aggregation === 'Count') return count;
  if (count === 0) return null;
  switch (aggregation) {
    case 'Sum':
      return finiteOrNull(sum);
    case 'Average':
      return finiteOrNull(sum / count);
    case 'Min':
    case 'Max':
      return value;
    case 'PercentageTrue':
    case 'PercentageFalse':
      return hits / count;
    case 'P50':
    case 'P90':
    case 'P95':
    case 'P99':
      return rankIn(cell, widget, percentOf(widget) ?? 0);
    case 'Histogram':
      return histogramOf(edges, sortedValues(cell, widget) ?? []);
    default:
      return unreachable(aggregation);
  }
};

/**
 * Nearest-rank percentile: of n ascending values the one at ⌈P·n/100⌉, counted from 1 (contract
 * 4.5).
 */
const rankIn = (cell: CellMeasures, widget: Widget, percent: number): number | null => {
  const sorted = sortedValues(cell, widget);
  return sorted?.[Math.ceil((percent * sorted.length) / 100) - 1] ?? null;
};

/** Values of the widget in ascending order; null where they are not collected. */
const sortedValues = ({ values }: CellMeasures, widget: Widget): Float64Array | null => {
  const known = values.get(widgetMember(widget) ?? '');
  if (known === undefined) return null;
  known.sorted ??= Float64Array.from(known.lists.flat()).sort();
  known.lists = [];
  return known.sorted;
};

const finiteOrNull = (sum: number): number | null => (Number.isFinite(sum) ? sum : null);
