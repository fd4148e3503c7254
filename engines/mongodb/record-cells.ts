import type { Document } from 'mongodb';
import { unreachable } from '../../kernel/decision.js';
import type { AggregatePlan, Widget } from '../../kernel/records/query-plans.js';
import { columnMember, measuredMember } from './record-match.js';
import { comparedPrefix } from './text-match.js';

// Pipeline stages of aggregates. Each pipeline begins with the records considered and ends with
// documents of cells: a group and a bucket, or null for the total.

/** A cell as the server returns it: `groups` has each value in its own type, `''` if missing. */
export type ServerCell = {
  readonly groups: readonly (string | number | boolean)[];
  readonly bucket: number;
} | null;

/** One column that records are grouped by: its path in the record or in its spans. */
export type GroupMember = {
  readonly member: string;
  readonly isList: boolean;
  readonly ofSpans: boolean;
};

/** Stages that assign records to cells, and the `$group` key behind them. */
export type CellPlan = {
  readonly stages: readonly Document[];
  readonly cell: Document | null;
  /** True if a record may be in several cells. */
  readonly overlaps: boolean;
};

/** One cell for all records. */
export const totalPlan: CellPlan = { stages: [], cell: null, overlaps: false };

/**
 * Plan of cells by group and bucket; a record is in the cell of each of its groups. `spanStages`
 * make a document of a trace per group of its spans' values, the list `spanGroup`.
 */
export const cellPlanOf = (
  { intervalMinutes, offsetMinutes }: Pick<AggregatePlan, 'intervalMinutes' | 'offsetMinutes'>,
  members: readonly GroupMember[] = [],
  spanStages: readonly Document[] = [],
): CellPlan => {
  const local = offsetMinutes === 0 ? '$minute' : { $add: ['$minute', offsetMinutes] };
  const bucket = { $floor: { $divide: [local, intervalMinutes] } };
  const ofSpans = members.filter((one) => one.ofSpans);
  const stages = members.flatMap((one, at): Document[] => {
    if (one.ofSpans || !one.isList) return [];
    return [
      { $set: { [numberedMember('in', at)]: groupExpression(one) } },
      { $unwind: `$${numberedMember('in', at)}` },
    ];
  });
  const groups = members.map((one, at) => {
    if (one.ofSpans) return { $arrayElemAt: ['$spanGroup', ofSpans.indexOf(one)] };
    return one.isList ? `$${numberedMember('in', at)}` : groupExpression(one);
  });
  return {
    stages: [...(ofSpans.length > 0 ? spanStages : []), ...stages],
    cell: { groups, bucket },
    overlaps: members.some(({ isList, ofSpans: isBelow }) => isList || isBelow),
  };
};

/** Group of a record, or its list; missing and `''` are one (contract 4.5, rule 6). */
export const groupExpression = ({
  member,
  isList,
}: Pick<GroupMember, 'member' | 'isList'>): Document => {
  if (!isList) return { $ifNull: [`$${member}`, ''] };
  const distinct = { $setUnion: [{ $ifNull: [`$${member}`, []] }, []] };
  return { $cond: [{ $eq: [distinct, []] }, [''], distinct] };
};

/** Path of a widget's values; null when its metric has no type, and so no values. */
export const widgetMember = (widget: Widget): string | null => measuredMember(widget);

/** True if each value of the widget is counted as a category. */
export const isCategorical = ({ type }: Widget): boolean =>
  type === 'text' || type === 'string_list';

/** Member name in a cell's document: numbered, since widget ids are arbitrary texts. */
export const numberedMember = (what: string, at: number): string => `${what}${at}`;

const has = (value: string): Document => ({ $cond: [{ $gt: [value, null] }, 1, 0] });

/**
 * Shard key: sixteen shares by the last digit of the session's id, or the trace's outside sessions.
 * Keeps each document within its size limit, and each session or trace in one share.
 */
const shareOf = ({ population }: Pick<AggregatePlan, 'population'>): Document => ({
  $substrBytes: [{ $ifNull: ['$session', `$${requestMember(population)}`] }, idLength - 1, 1],
});
const idLength = 36;

/** Path of the request's id: a span's trace; a trace is its own request. */
const requestMember = (population: AggregatePlan['population']): string =>
  population === 'trace' ? 'id' : columnMember('trace_id');

/**
 * Measures per cell and share, ordered by share: records; count, sum, least, greatest and so on of
 * each widget; ids of sessions and requests; values to rank.
 */
export const measureStages = (
  plan: AggregatePlan,
  { stages, cell }: CellPlan,
): readonly Document[] => {
  const measured = plan.widgets.flatMap((widget, at): [string, Document][] => {
    const member = widgetMember(widget);
    if (member === null || isCategorical(widget)) return [];
    const value = `$${member}`;
    return [[numberedMember('count', at), { $sum: has(value) }], ...measureOf(widget, value, at)];
  });
  const lists = rankedMembers(plan).map((member, at) => [
    numberedMember('values', at),
    { $push: `$${member}` },
  ]);
  return [
    ...stages,
    {
      $group: {
        _id: { cell: cell ?? totalCell, share: shareOf(plan) },
        records: { $sum: 1 },
        spans: { $sum: '$spans' },
        sessions: { $addToSet: '$session' },
        ...(plan.population === 'span' && {
          requests: { $addToSet: `$${requestMember(plan.population)}` },
        }),
        ...Object.fromEntries(measured),
        ...Object.fromEntries(lists),
      },
    },
    { $sort: { '_id.share': 1 } },
  ];
};
const totalCell = { $literal: null };

/** Paths of the values to rank: `values0` … of the stages above. */
export const rankedMembers = ({ widgets }: Pick<AggregatePlan, 'widgets'>): readonly string[] => [
  ...new Set(
    widgets.flatMap((widget) =>
      !isRanked(widget) || isCategorical(widget) ? [] : (widgetMember(widget) ?? []),
    ),
  ),
];

/** True for results that need the values themselves: percentiles and histograms. */
const isRanked = (widget: Widget): boolean =>
  widget.aggregation === 'Histogram' || percentOf(widget) !== null;

export const percentOf = ({ aggregation }: Widget): number | null =>
  aggregation.startsWith('P') && !aggregation.startsWith('Percentage')
    ? Number(aggregation.slice(1))
    : null;

const measureOf = (
  { aggregation }: Widget,
  value: string,
  at: number,
): readonly [string, Document][] => {
  switch (aggregation) {
    case 'Sum':
    case 'Average':
      return [[numberedMember('sum', at), { $sum: value }]];
    case 'Min':
      return [[numberedMember('value', at), { $min: value }]];
    case 'Max':
      return [[numberedMember('value', at), { $max: value }]];
    case 'PercentageTrue':
    case 'PercentageFalse': {
      const wanted = aggregation === 'PercentageTrue';
      return [[numberedMember('hits', at), { $sum: { $cond: [{ $eq: [value, wanted] }, 1, 0] } }]];
    }
    case 'Count':
    case 'P50':
    case 'P90':
    case 'P95':
    case 'P99':
    case 'Histogram':
      return [];
    default:
      return unreachable(aggregation);
  }
};

/** Counts of each value of a text metric in each cell: `_id` is a cell and a value. */
export const categoryStages = (
  { stages, cell }: CellPlan,
  member: string,
  isList: boolean,
): readonly Document[] => [
  { $match: { [member]: { $exists: true } } },
  // Unwound last: the list may be the one that the stages group by, which need it whole.
  ...stages,
  ...(isList ? [{ $unwind: `$${member}` }] : []),
  {
    $group: { _id: { cell: cell ?? totalCell, value: comparedPrefix(member) }, count: { $sum: 1 } },
  },
];
