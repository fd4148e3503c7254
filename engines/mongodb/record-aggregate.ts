import type { Document } from 'mongodb';
import { bucketBounds } from '../../kernel/records/buckets.js';
import { byCodePoint, codePoints } from '../../kernel/code-points.js';
import { placeOf } from '../../kernel/records/column-value.js';
import { standardColumn } from '../../kernel/records/columns.js';
import { unreachable } from '../../kernel/decision.js';
import {
  answeredValuesMax,
  categoriesMax,
  groupsMax,
  groupValueCharactersMax,
  type Aggregate,
  type AggregateCell,
  type AggregateGroup,
  type AggregatePlan,
  type AggregateRefusal,
  type Widget,
} from '../../kernel/records/questions.js';
import {
  cellsOf,
  measureStages,
  named,
  total,
  widgetMember,
  type CellPlan,
  type GroupMember,
  type ServerCell,
} from './record-cells.js';
import {
  collectedOf,
  detailsOf,
  keyOf,
  percentOf,
  type AskRecords,
  type Details,
} from './record-details.js';
import { errorsOf } from './record-errors.js';
import { columnMember, metricMember, noteMember, scopeIndex, scopeMatch } from './record-match.js';
import { metricType, questionMs } from './record-search.js';
import type { Snapshot } from './snapshots.js';
import { compared } from './text-match.js';

/**
 * Records of which a stage can hold the sessions, requests and sorted values: 10 MB each, where the
 * server lets a stage have 100.
 */
const collectedMost = 200_000;

/**
 * Contract 4.5: one pipeline for the cells and one for the total, side by side on one snapshot, so
 * that the records are read twice however much is asked. Beyond `collectedMax` records what is no
 * sum has pipelines of its own, which may use the server's disk.
 */
export const aggregate = async (
  snapshot: Snapshot,
  plan: AggregatePlan,
  collectedMax = collectedMost,
): Promise<Aggregate | AggregateRefusal> => {
  const considered = { $match: scopeMatch(plan, snapshot.visible) };
  const ask: AskRecords = (stages) =>
    snapshot.rows
      .aggregate([considered, ...stages], {
        hint: scopeIndex(plan),
        maxTimeMS: questionMs,
        allowDiskUse: true,
      })
      .toArray();
  const [group, isFew, crowded] = await Promise.all([
    groupMember(snapshot, plan),
    hasAtMost(snapshot, plan, collectedMax),
    crowdedWidget(ask, plan),
  ]);
  const cells = cellsOf(plan, group);
  const cellsMax = Math.floor(answeredValuesMax / (plan.widgets.length + 3));
  const collected = isFew ? collectedOf(plan) : null;
  const [buckets, [whole], errors] = await Promise.all([
    // One more than may be answered.
    ask(measureStages(plan, cells, collected, cellsMax + 1)),
    ask(measureStages(plan, total, collected, 1)),
    errorsOf(snapshot, plan),
  ]);
  const isCut = buckets.length > cellsMax;
  const groups = isCut ? await groupsIn(ask, cells) : groupsAmong(buckets);
  const refusal = refusalOf(plan, groups, crowded);
  if (refusal !== null) return refusal;
  if (isCut) {
    const [counted] = await ask([
      ...cells.stages,
      { $group: { _id: cells.cell } },
      { $count: 'count' },
    ]);
    return { refused: 'values', count: Number(counted?.['count']) * (plan.widgets.length + 3) };
  }
  const all = [...buckets, ...(whole === undefined ? [] : [whole])];
  const details = await detailsOf(ask, plan, [cells, total], collected === null ? null : all);
  return {
    total: cellOf(plan, whole ?? { _id: null, records: 0, spans: 0 }, details),
    groups: groupsFrom(plan, buckets, details),
    errors,
  };
};

/** Whether the scope has no more records; those that its filter excludes count too. */
const hasAtMost = async (
  { rows, visible }: Snapshot,
  plan: AggregatePlan,
  most: number,
): Promise<boolean> => {
  if ((await rows.estimatedDocumentCount({ maxTimeMS: questionMs })) <= most) return true;
  const scope = scopeMatch({ ...plan, filter: null, kinds: null }, visible);
  const [found] = await rows
    .aggregate([{ $match: scope }, { $limit: most + 1 }, { $count: 'count' }], {
      hint: scopeIndex(plan),
      maxTimeMS: questionMs,
    })
    .toArray();
  return Number(found?.['count'] ?? 0) <= most;
};

const groupMember = async (
  snapshot: Snapshot,
  { groupBy, project }: AggregatePlan,
): Promise<GroupMember> => {
  const place = groupBy === null ? null : placeOf(groupBy);
  if (groupBy === null || place === null) return null;
  if (place.in === 'user_metadata') return { member: noteMember(place.key), isList: false };
  if (place.in === 'standard') {
    const isList = standardColumn.get(groupBy)?.type === 'string_list';
    return { member: columnMember(groupBy), isList };
  }
  const type = await metricType(snapshot, project, place.metric);
  // A metric without a type has no value, so every record is in the group without one.
  return { member: metricMember(place.metric, type ?? 'text'), isList: false };
};

/** The first widget with more categories than may be answered; null: none has. */
const crowdedWidget = async (
  ask: AskRecords,
  { widgets }: AggregatePlan,
): Promise<number | null> => {
  const crowds = await Promise.all(
    widgets.map(async (widget) => {
      const member = widget.type === 'text' ? widgetMember(widget) : null;
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

/** How many groups there are, and how long their longest value is. */
type Groups = { readonly count: number; readonly longest: number };

const groupsAmong = (buckets: readonly Document[]): Groups => {
  const values = new Set(buckets.map(({ _id }) => (_id as NonNullable<ServerCell>).group));
  const lengths = [...values].map((value) => (typeof value === 'string' ? codePoints(value) : 0));
  return { count: values.size, longest: Math.max(0, ...lengths) };
};

const groupsIn = async (ask: AskRecords, { stages, cell }: CellPlan): Promise<Groups> => {
  const length = { $cond: [{ $eq: [{ $type: '$_id' }, 'string'] }, { $strLenCP: '$_id' }, 0] };
  const [found] = await ask([
    ...stages,
    { $group: { _id: (cell as { readonly group: Document }).group } },
    { $group: { _id: null, count: { $sum: 1 }, longest: { $max: length } } },
  ]);
  return { count: Number(found?.['count'] ?? 0), longest: Number(found?.['longest'] ?? 0) };
};

/** In the order of the reference: a long group value, too many groups, too many categories. */
const refusalOf = (
  { groupBy }: AggregatePlan,
  { count, longest }: Groups,
  crowded: number | null,
): AggregateRefusal | null => {
  if (groupBy !== null && longest > groupValueCharactersMax) return { refused: 'long-group-value' };
  if (groupBy !== null && count > groupsMax) return { refused: 'groups' };
  return crowded === null ? null : { refused: 'categories', widget: crowded };
};

const groupsFrom = (
  plan: AggregatePlan,
  measures: readonly Document[],
  details: Details,
): readonly AggregateGroup[] => {
  const groups = new Map<string, { value: AggregateGroup['value']; measures: Document[] }>();
  for (const measure of measures) {
    const { group } = measure['_id'] as NonNullable<ServerCell>;
    const key = plan.groupBy === null ? 'all' : String(group);
    const known = groups.get(key) ?? { value: group === '' ? null : group, measures: [] };
    known.measures.push(measure);
    groups.set(key, known);
  }
  const bucketOf = (measure: Document): number =>
    (measure['_id'] as NonNullable<ServerCell>).bucket;
  return [...groups]
    .sort(([one], [other]) => byCodePoint(one, other))
    .map(([key, { value, measures: all }]) => ({
      key,
      value,
      buckets: all
        .sort((one, other) => bucketOf(one) - bucketOf(other))
        .map((measure) => ({
          ...bucketBounds(BigInt(bucketOf(measure)), plan.intervalMinutes),
          ...cellOf(plan, measure, details),
        })),
    }));
};

const cellOf = (plan: AggregatePlan, measure: Document, details: Details): AggregateCell => {
  const key = keyOf(measure['_id'] as ServerCell);
  const records = Number(measure['records']);
  return {
    widgets: Object.fromEntries(
      plan.widgets.map((widget, at) => [widget.id, widgetValue(widget, at, measure, details)]),
    ),
    requests: details.requests === null ? records : (details.requests.get(key) ?? 0),
    sessions: details.sessions.get(key) ?? 0,
    spans: plan.population === 'trace' ? Number(measure['spans']) : records,
  };
};

const widgetValue = (
  widget: Widget,
  at: number,
  measure: Document,
  { categories, ranks }: Details,
): AggregateCell['widgets'][string] => {
  const { aggregation, type } = widget;
  const key = keyOf(measure['_id'] as ServerCell);
  if (type === 'text') return counted(categories[at]?.get(key) ?? new Map());
  const count = Number(measure[named('count', at)] ?? 0);
  if (aggregation === 'Count') return count;
  if (count === 0) return null;
  switch (aggregation) {
    case 'Sum':
      return finite(Number(measure[named('sum', at)]));
    case 'Average':
      return finite(Number(measure[named('sum', at)]) / count);
    case 'Min':
    case 'Max':
      return Number(measure[named('value', at)]);
    case 'PercentageTrue':
    case 'PercentageFalse':
      return Number(measure[named('hits', at)]) / count;
    case 'P50':
    case 'P90':
    case 'P95':
    case 'P99': {
      const ranked = ranks.get(widgetMember(widget) ?? '')?.get(key);
      return Number(ranked?.[`p${percentOf(widget)}`]);
    }
    default:
      return unreachable(aggregation);
  }
};

/** Without a prototype: a category may be called `__proto__`. */
const counted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> => {
  const all = Object.create(null) as Record<string, number>;
  for (const [value, count] of counts) all[value] = count;
  return all;
};

/** A sum beyond the doubles has no JSON form. */
const finite = (sum: number): number | null => (Number.isFinite(sum) ? sum : null);
