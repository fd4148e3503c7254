import type { QueryContext } from '../../kernel/ports.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type {
  Aggregate,
  AggregateCell,
  AggregatePlan,
  Widget,
} from '../../kernel/records/query-plans.js';
import { wholeWindowMinutes } from './plan.js';

/**
 * Metrics of the plan without a value although they have some in the same run and window: on traces
 * where spans are counted, or on spans, of a type that does not roll up, where traces are (contract
 * 4.5, rule 2). Empty when no record is counted.
 */
export const metricsOfOtherPopulation = async (
  records: Pick<RecordQueries, 'aggregate'>,
  plan: AggregatePlan,
  { total }: Pick<Aggregate, 'total'>,
  context: QueryContext,
): Promise<readonly string[]> => {
  const ofTraces = plan.population === 'trace';
  const mayBeElsewhere = ({ type, source }: Widget): boolean =>
    source === undefined && (ofTraces ? type === 'boolean' || type === 'text' : type !== null);
  const empty = plan.widgets.filter((widget) => mayBeElsewhere(widget) && isEmpty(total, widget));
  if (empty.length === 0 || total.requests === 0) return [];
  const wholeWindow = {
    ...plan,
    intervalMinutes: wholeWindowMinutes,
    offsetMinutes: 0,
    groupBy: [],
  };
  const mayOverflow = empty.filter(({ aggregation }) => overflowingAggregations.has(aggregation));
  const present =
    mayOverflow.length === 0
      ? []
      : await metricsWithValues(records, wholeWindow, mayOverflow, context);
  const missing = empty.filter(({ metric }) => !present.includes(metric));
  const population = ofTraces ? 'span' : 'trace';
  return metricsWithValues(
    records,
    { ...wholeWindow, population, kinds: null, filter: null },
    missing,
    context,
  );
};

/** Aggregations that may overflow: an infinite sum is null although there are values. */
const overflowingAggregations: ReadonlySet<string> = new Set(['Sum', 'Average']);

const isEmpty = ({ widgets }: AggregateCell, { id, aggregation, type }: Widget): boolean => {
  const value = Object.hasOwn(widgets, id) ? (widgets[id] ?? null) : null;
  if (value === null) return true;
  if (aggregation !== 'Count') return false;
  return type === 'text' ? Object.keys(value).length === 0 : value === 0;
};

/** Metrics of these widgets that have values among the records of the scope. */
const metricsWithValues = async (
  records: Pick<RecordQueries, 'aggregate'>,
  scope: AggregatePlan,
  widgets: readonly Widget[],
  context: QueryContext,
): Promise<readonly string[]> => {
  if (widgets.length === 0) return [];
  const counts = widgets.map((widget): Widget => ({ ...widget, aggregation: 'Count' }));
  const found = await records.aggregate({ ...scope, widgets: counts }, context);
  // The only limit that can apply: a text with too many categories to count, so it has values.
  if ('refused' in found)
    return widgets.flatMap(({ metric, type }) => (type === 'text' ? [metric] : []));
  return counts.flatMap((widget) => (isEmpty(found.total, widget) ? [] : [widget.metric]));
};
