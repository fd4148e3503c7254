import type { Document } from 'mongodb';
import { bucketBounds } from '../../kernel/records/buckets.js';
import { byCodePoint } from '../../kernel/code-points.js';
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
import type { MetricError } from '../../kernel/records/record.js';
import { memberOf } from './names.js';
import {
  categoryStages,
  cellStages,
  distinctStages,
  fewValues,
  groupsOf,
  measureStages,
  named,
  rankStages,
  widgetMember,
  type ServerCell,
  type GroupMember,
} from './record-cells.js';
import { columnMember, metricMember, noteMember, scopeIndex, scopeMatch } from './record-match.js';
import { metricType, questionMs } from './record-search.js';
import type { Snapshot } from './snapshots.js';
import { compared } from './text-match.js';

type Ask = (stages: readonly Document[]) => Promise<Document[]>;

/** Contract 4.5: the pipelines run side by side in the server, all on one snapshot. */
export const aggregate = async (
  snapshot: Snapshot,
  plan: AggregatePlan,
): Promise<Aggregate | AggregateRefusal> => {
  const considered = { $match: scopeMatch(plan, snapshot.visible) };
  const ask: Ask = (stages) =>
    snapshot.rows
      .aggregate([considered, ...stages], {
        hint: scopeIndex(plan),
        maxTimeMS: questionMs,
        allowDiskUse: true,
      })
      .toArray();
  const group = await groupMember(snapshot, plan);
  const refusal = await refusalOf(ask, plan, group);
  if (refusal !== null) return refusal;
  const cellsMax = Math.floor(answeredValuesMax / (plan.widgets.length + 3));
  // The total, and one more than may be answered.
  const measures = await ask(measureStages(plan, group, cellsMax + 2));
  const buckets = measures.filter(({ _id }) => _id !== null);
  if (buckets.length > cellsMax) {
    const [counted] = await ask([
      ...cellStages(plan, group, {}),
      { $group: { _id: '$cell' } },
      { $match: { _id: { $ne: null } } },
      { $count: 'count' },
    ]);
    return { refused: 'values', count: Number(counted?.['count']) * (plan.widgets.length + 3) };
  }
  const total = measures.find(({ _id }) => _id === null) ?? { _id: null, records: 0, spans: 0 };
  const [details, errors] = await Promise.all([
    detailsOf(ask, plan, group, total),
    errorsOf(snapshot, plan),
  ]);
  return {
    total: cellOf(plan, total, details),
    groups: groupsFrom(plan, buckets, details),
    errors,
  };
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

/** In the order of the reference: a long group value, too many groups, too many categories. */
const refusalOf = async (
  ask: Ask,
  { groupBy, widgets }: AggregatePlan,
  group: GroupMember,
): Promise<AggregateRefusal | null> => {
  const length = { $cond: [{ $eq: [{ $type: '$_id' }, 'string'] }, { $strLenCP: '$_id' }, 0] };
  const texts = widgets.map((widget) => (widget.type === 'text' ? widgetMember(widget) : null));
  const [[groups], crowds] = await Promise.all([
    groupBy === null
      ? []
      : ask([
          { $project: { _id: 0, value: groupsOf(group) } },
          { $unwind: '$value' },
          { $group: { _id: '$value' } },
          { $group: { _id: null, count: { $sum: 1 }, longest: { $max: length } } },
        ]),
    Promise.all(
      texts.map(async (member) =>
        member === null
          ? []
          : ask([
              { $match: { [member]: { $exists: true } } },
              { $group: { _id: compared(member) } },
              { $limit: categoriesMax + 1 },
              { $count: 'count' },
            ]),
      ),
    ),
  ]);
  if (Number(groups?.['longest'] ?? 0) > groupValueCharactersMax) {
    return { refused: 'long-group-value' };
  }
  if (Number(groups?.['count'] ?? 0) > groupsMax) return { refused: 'groups' };
  const crowded = crowds.findIndex(([found]) => Number(found?.['count'] ?? 0) > categoriesMax);
  return crowded < 0 ? null : { refused: 'categories', widget: crowded };
};

/** By cell: what is no simple sum of its records. */
type Details = {
  readonly sessions: ReadonlyMap<string, number>;
  /** Null: every record is a request of its own. */
  readonly requests: ReadonlyMap<string, number> | null;
  /** By widget, then cell. */
  readonly categories: readonly ReadonlyMap<string, ReadonlyMap<string, number>>[];
  /** By member, then cell: `p50` … */
  readonly ranks: ReadonlyMap<string, ReadonlyMap<string, Document>>;
};

const detailsOf = async (
  ask: Ask,
  plan: AggregatePlan,
  group: GroupMember,
  total: Document,
): Promise<Details> => {
  const ofTraces = plan.population === 'trace';
  const distinct = async () => {
    const counts = [new Map<string, number>(), new Map<string, number>()] as const;
    const members = ofTraces ? ['session'] : ['session', 'group'];
    for (const { _id, count } of await ask(distinctStages(plan, group, members))) {
      const { cell, at } = _id as { readonly cell: ServerCell; readonly at: 0 | 1 };
      counts[at].set(keyOf(cell), Number(count));
    }
    return counts;
  };
  const categories = async (widget: Widget) => {
    const cells = new Map<string, Map<string, number>>();
    const member = widget.type === 'text' ? widgetMember(widget) : null;
    if (member === null) return cells;
    for (const { _id, count } of await ask(categoryStages(plan, group, member))) {
      const { cell, value } = _id as { readonly cell: ServerCell; readonly value: string };
      const key = keyOf(cell);
      cells.set(key, (cells.get(key) ?? new Map<string, number>()).set(value, Number(count)));
    }
    return cells;
  };
  const ranks = [...percentsOf(plan.widgets)].map(
    async ([member, percents]): Promise<[string, ReadonlyMap<string, Document>]> => {
      const at = plan.widgets.findIndex((widget) => widgetMember(widget) === member);
      const isFew = Number(total[named('count', at)] ?? 0) <= fewValues;
      const found = await ask(rankStages(plan, group, member, [...percents], isFew));
      return [member, new Map(found.map((one) => [keyOf(one['_id'] as ServerCell), one]))];
    },
  );
  const [[sessions, requests], some, ranked] = await Promise.all([
    distinct(),
    Promise.all(plan.widgets.map(categories)),
    Promise.all(ranks),
  ]);
  return {
    sessions,
    requests: ofTraces ? null : requests,
    categories: some,
    ranks: new Map(ranked),
  };
};

const percentOf = ({ aggregation }: Widget): number | null =>
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

const keyOf = (cell: ServerCell | undefined): string =>
  cell === null || cell === undefined ? '' : JSON.stringify([cell.group, cell.bucket]);

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

/**
 * Of the metrics asked for, on the records considered and the spans below considered traces: one
 * error per code, with the least message in code point order. By code.
 */
const errorsOf = async (
  { rows, visible }: Snapshot,
  plan: AggregatePlan,
): Promise<readonly MetricError[]> => {
  const members = [...new Set(plan.widgets.map(({ metric }) => `errors.${memberOf(metric)}`))];
  if (members.length === 0) return [];
  const considered = scopeMatch(plan, visible);
  const withTraces = {
    from: rows.collectionName,
    localField: '_id.group',
    foreignField: 'group',
    as: 'trace',
    pipeline: [{ $match: considered }, { $limit: 1 }, { $project: { _id: 1 } }],
  };
  const ofTraces = plan.population === 'trace';
  const looked = ofTraces
    ? { $and: [{ project: { $eq: plan.project }, failed: true }, visible] }
    : { $and: [{ failed: true }, considered] };
  const found = await rows
    .aggregate(
      [
        { $match: looked },
        { $project: { _id: 0, group: 1, error: members.map((member) => `$${member}`) } },
        { $unwind: '$error' },
        { $match: { 'error.code': { $exists: true } } },
        {
          $group: {
            _id: { code: '$error.code', ...(ofTraces ? { group: '$group' } : {}) },
            message: { $min: compared('error.message') },
          },
        },
        ...(ofTraces
          ? [{ $lookup: withTraces }, { $match: { 'trace.0': { $exists: true } } }]
          : []),
        { $group: { _id: '$_id.code', message: { $min: '$message' } } },
        { $sort: { _id: 1 } },
      ],
      { hint: 'failed', maxTimeMS: questionMs, allowDiskUse: true },
    )
    .toArray();
  return found.map(({ _id, message }) => ({
    code: Number(_id),
    message: typeof message === 'string' ? message : null,
  }));
};
