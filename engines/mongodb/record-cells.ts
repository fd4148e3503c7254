import type { Document } from 'mongodb';
import { unreachable } from '../../kernel/decision.js';
import type { AggregatePlan, Widget } from '../../kernel/records/query-plans.js';
import { columnMember, measuredMember } from './record-match.js';
import { comparedPrefix } from './text-match.js';

// Stages of the pipelines behind an aggregate. Each pipeline begins with the records considered and
// ends with documents of cells: a group and a bucket, or null for the total.

/** A cell as the server names it: `groups` has each value in its own type, `''` without one. */
export type ServerCell = {
  readonly groups: readonly (string | number | boolean)[];
  readonly bucket: number;
} | null;

/** One column that records are grouped by: where the value stands, in the record or its spans. */
export type GroupMember = {
  readonly member: string;
  readonly isList: boolean;
  readonly ofSpans: boolean;
};

/** How records fall into cells: what a `$group` behind these stages goes by. */
export type CellPlan = {
  readonly stages: readonly Document[];
  readonly cell: Document | null;
  /** A record may be in several cells. */
  readonly overlaps: boolean;
};

/** All records in one. */
export const totalPlan: CellPlan = { stages: [], cell: null, overlaps: false };

/**
 * A group and a bucket; a record is in the cell of each of its groups. `spanStages`: makes a
 * document of a trace for each group of its spans' values, the list `spanGroup`.
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

/** The group of a record, or its list; missing and `''` are one (contract 4.5, rule 6). */
export const groupExpression = ({
  member,
  isList,
}: Pick<GroupMember, 'member' | 'isList'>): Document => {
  if (!isList) return { $ifNull: [`$${member}`, ''] };
  const distinct = { $setUnion: [{ $ifNull: [`$${member}`, []] }, []] };
  return { $cond: [{ $eq: [distinct, []] }, [''], distinct] };
};

/** Where the values of a widget stand; null when its metric has no type and so no values. */
export const widgetMember = (widget: Widget): string | null => measuredMember(widget);

/** Each value of such a widget is counted as a category. */
export const isCategorical = ({ type }: Widget): boolean =>
  type === 'text' || type === 'string_list';

/** What the members of a cell's document are called: widgets have ids that may be anything. */
export const numberedMember = (what: string, at: number): string => `${what}${at}`;

const has = (value: string): Document => ({ $cond: [{ $gt: [value, null] }, 1, 0] });

/**
 * By where its session's id ends, or its trace's outside sessions, a record is in one of sixteen
 * shares: so no document has more values than fit into one, and no session or trace is in two.
 */
const shareOf = ({ population }: Pick<AggregatePlan, 'population'>): Document => ({
  $substrBytes: [{ $ifNull: ['$session', `$${requestMember(population)}`] }, idLength - 1, 1],
});
const idLength = 36;

/** The trace of a span is its request; a trace is one itself. */
const requestMember = (population: AggregatePlan['population']): string =>
  population === 'trace' ? 'id' : columnMember('trace_id');

/**
 * Of each cell and share, one share after the other: records, count, sum, least, greatest and so on
 * of each widget, the ids of sessions and requests, and the values whose ranks are asked for.
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

/** Where the values stand whose ranks are asked for: `values0` … of the stages above. */
export const rankedMembers = ({ widgets }: Pick<AggregatePlan, 'widgets'>): readonly string[] => [
  ...new Set(
    widgets.flatMap((widget) =>
      percentOf(widget) === null || isCategorical(widget) ? [] : (widgetMember(widget) ?? []),
    ),
  ),
];

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
      return [];
    default:
      return unreachable(aggregation);
  }
};

/** How often each value of a text metric is in each cell: `_id` is a cell and a value. */
export const categoryStages = (
  { stages, cell }: CellPlan,
  member: string,
  isList: boolean,
): readonly Document[] => [
  { $match: { [member]: { $exists: true } } },
  // The list may be the one that the stages group by: they need it whole.
  ...stages,
  ...(isList ? [{ $unwind: `$${member}` }] : []),
  {
    $group: { _id: { cell: cell ?? totalCell, value: comparedPrefix(member) }, count: { $sum: 1 } },
  },
];
