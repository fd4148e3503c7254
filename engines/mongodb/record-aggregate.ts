import type { Document } from 'mongodb';
import { Fault } from '../../kernel/fault.js';
import { bucketBounds } from '../../kernel/records/time-buckets.js';
import { byCodePoint, codePointCount } from '../../kernel/code-points.js';
import { parseColumnId } from '../../kernel/records/column-value.js';
import { ratingTypeOf } from '../../kernel/records/feedback.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import {
  answeredValuesMax,
  answeredValuesPerCell,
  groupName,
  groupsMax,
  groupValueCharactersMax,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregatePlan,
  type AggregateRefusal,
  type GroupValue,
} from '../../kernel/records/query-plans.js';
import { countCategories, widgetOverLimit, type WidgetCategories } from './record-categories.js';
import {
  cellPlanOf,
  isCategorical,
  measureStages,
  totalPlan,
  type CellPlan,
  type GroupMember,
} from './record-cells.js';
import { isTooLarge } from './connect.js';
import { metricErrors } from './record-errors.js';
import { columnMember, metricMember, metadataMember, ratingMember } from './record-match.js';
import {
  cellKey,
  collectMeasures,
  edgesByWidget,
  widgetMeasure,
  type CellMeasures,
} from './record-measures.js';
import { collectAll, recordPipeline, type RecordQuery } from './record-scan.js';
import { metricType } from './record-search.js';
import { lengthOf, spanGroupStages } from './record-span-groups.js';
import type { Snapshot } from './snapshot.js';

/**
 * Aggregate of contract 4.5, on one snapshot. One pipeline for the cells, from which the total
 * follows, unless records are in several cells: then a second one for the total. Text categories
 * take one more each, and one for their number.
 */
export const aggregate = async (
  snapshot: Snapshot,
  plan: AggregatePlan,
): Promise<Aggregate | AggregateRefusal> => {
  const [open, members] = await Promise.all([
    recordPipeline(snapshot, plan),
    groupMembers(snapshot, plan),
  ]);
  const query = collectAll(open);
  const way = cellPlanOf(plan, members, spanGroupStages(snapshot, members));
  const valuesPerCell = answeredValuesPerCell(plan.widgets);
  const cellsMax = Math.floor(answeredValuesMax / valuesPerCell);
  const measured = (one: CellPlan) =>
    mapSizeErrors(() => collectMeasures(open(measureStages(plan, one)), plan, cellsMax));
  const [{ cells, total: whole }, apart, errors, crowded] = await Promise.all([
    measured(way),
    way.overlaps ? measured(totalPlan) : null,
    metricErrors(snapshot, plan),
    widgetOverLimit(query, plan),
  ]);
  const isCut = cells.size > cellsMax;
  const groups = isCut ? await readGroupCount(query, way) : countGroups([...cells.values()]);
  const refusal = refusalOf(plan, groups, crowded);
  if (refusal !== null) return refusal;
  if (isCut) {
    const [counted] = await query([
      ...way.stages,
      { $group: { _id: way.cell } },
      { $count: 'count' },
    ]);
    return { refused: 'values', count: Number(counted?.['count']) * valuesPerCell };
  }
  const categories = await countCategories(query, plan, way);
  const total = apart?.total ?? whole;
  const edges = edgesByWidget(total, plan);
  const cellIn = (measures: CellMeasures) => cellOf(plan, measures, categories, edges);
  return {
    total: cellIn(total),
    groups: groupsFrom(plan, [...cells.values()], cellIn),
    errors,
  };
};

/** Maps size errors: a single session may have more values than a share holds. */
const mapSizeErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause;
    const less = 'ask for less: a shorter time, fewer records of one session, no percentiles';
    throw new Fault('unavailable', `The query reads too much at once; ${less}`, { cause });
  }
};

const groupMembers = (
  snapshot: Snapshot,
  { groupBy, project, templates }: AggregatePlan,
): Promise<readonly GroupMember[]> =>
  Promise.all(
    groupBy.map(async ({ column, of }): Promise<GroupMember> => {
      const ofSpans = of === 'any_span';
      const place = parseColumnId(column);
      if (place?.in === 'user_metadata') {
        return { member: metadataMember(place.key), isList: false, ofSpans };
      }
      if (place?.in === 'metrics') {
        const type = await metricType(snapshot, project, place.metric);
        // A metric without a type has no values, so every record is in the group of missing ones.
        return { member: metricMember(place.metric, type ?? 'text'), isList: false, ofSpans };
      }
      if (place?.in === 'annotations') {
        const type = ratingTypeOf(templates, place.template) ?? 'text';
        const member = ratingMember(place.template, type);
        return { member, isList: type === 'string_list', ofSpans };
      }
      const isList = standardColumnById.get(column)?.type === 'string_list';
      return { member: columnMember(column), isList, ofSpans };
    }),
  );

/** Number of groups, and length of their longest value. */
type Groups = { readonly count: number; readonly longest: number };

const countGroups = (buckets: readonly CellMeasures[]): Groups => {
  const groups = new Map(
    buckets.map(({ cell }) => [JSON.stringify(cell?.groups ?? []), cell?.groups ?? []]),
  );
  const lengths = [...groups.values()]
    .flat()
    .map((value) => (typeof value === 'string' ? codePointCount(value) : 0));
  return {
    count: groups.size,
    longest: lengths.reduce((longest, length) => Math.max(longest, length), 0),
  };
};

const readGroupCount = async (query: RecordQuery, { stages, cell }: CellPlan): Promise<Groups> => {
  const { groups } = cell as { readonly groups: readonly Document[] };
  const length = { $max: { $map: { input: '$_id.groups', in: lengthOf('$$this') } } };
  const [found] = await query([
    ...stages,
    { $group: { _id: { groups } } },
    { $group: { _id: null, count: { $sum: 1 }, longest: { $max: length } } },
  ]);
  return { count: Number(found?.['count'] ?? 0), longest: Number(found?.['longest'] ?? 0) };
};

/**
 * The refusal, in the order of the reference: long group value, too many groups, too many
 * categories.
 */
const refusalOf = (
  { groupBy }: AggregatePlan,
  { count, longest }: Groups,
  crowded: number | null,
): AggregateRefusal | null => {
  const isGrouped = groupBy.length > 0;
  if (isGrouped && longest > groupValueCharactersMax) return { refused: 'long-group-value' };
  if (isGrouped && count > groupsMax) return { refused: 'groups' };
  return crowded === null ? null : { refused: 'categories', widget: crowded };
};

const groupsFrom = (
  plan: AggregatePlan,
  measures: readonly CellMeasures[],
  cellIn: (measures: CellMeasures) => AggregateCell,
): readonly AggregateGroup[] => {
  const groups = new Map<string, { values: readonly GroupValue[]; measures: CellMeasures[] }>();
  for (const measure of measures) {
    const values = (measure.cell?.groups ?? []).map((one) => (one === '' ? null : one));
    const key = groupName(values);
    const known = groups.get(key) ?? { values, measures: [] };
    known.measures.push(measure);
    groups.set(key, known);
  }
  const bucketOf = ({ cell }: CellMeasures): number => cell?.bucket ?? 0;
  return [...groups]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([key, { values, measures: all }]) => ({
      key,
      values,
      buckets: all
        .sort((one, other) => bucketOf(one) - bucketOf(other))
        .map((measure) => ({
          ...bucketBounds(BigInt(bucketOf(measure)), plan),
          ...cellIn(measure),
        })),
    }));
};

const cellOf = (
  { widgets, population }: AggregatePlan,
  measures: CellMeasures,
  categories: WidgetCategories,
  edges: ReturnType<typeof edgesByWidget>,
): AggregateCell => ({
  widgets: Object.fromEntries(
    widgets.map((widget, at) => [
      widget.id,
      isCategorical(widget)
        ? categoryRecord(categories[at]?.get(cellKey(measures.cell)) ?? new Map())
        : widgetMeasure(measures, widget, at, edges[at] ?? null),
    ]),
  ),
  requests: measures.requests,
  sessions: measures.sessions,
  spans: population === 'trace' ? measures.spans : measures.records,
});

/** No prototype: a category may be called `__proto__`. */
const categoryRecord = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> => {
  const all = Object.create(null) as Record<string, number>;
  for (const [value, count] of counts) all[value] = count;
  return all;
};
