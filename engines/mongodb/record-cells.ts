import type { Document } from 'mongodb';
import { unreachable } from '../../kernel/decision.js';
import type { AggregatePlan, Widget } from '../../kernel/records/questions.js';
import { metricMember } from './record-match.js';
import { compared } from './text-match.js';

// Stages of the pipelines behind an aggregate. Each pipeline begins with the records considered and
// ends with one document a cell: a group and a bucket, or null for the total.

/** A cell as the server names it: `group` is the value in its own type, `''` without one. */
export type ServerCell = {
  readonly group: string | number | boolean;
  readonly bucket: number;
} | null;

/** What records are grouped by: where the value stands. */
export type GroupMember = { readonly member: string; readonly isList: boolean } | null;

/** How records fall into cells: what a `$group` behind these stages goes by. */
export type CellPlan = { readonly stages: readonly Document[]; readonly cell: Document | null };

/** All records in one. */
export const total: CellPlan = { stages: [], cell: null };

/** A group and a bucket; a record is in the cell of each of its groups. */
export const cellsOf = (
  { intervalMinutes }: Pick<AggregatePlan, 'intervalMinutes'>,
  group: GroupMember,
): CellPlan => {
  const bucket = { $floor: { $divide: ['$minute', intervalMinutes] } };
  if (group === null) return { stages: [], cell: { group: { $literal: '' }, bucket } };
  if (!group.isList) return { stages: [], cell: { group: groupOf(group), bucket } };
  const stages = [{ $set: { in: groupOf(group) } }, { $unwind: '$in' }];
  return { stages, cell: { group: '$in', bucket } };
};

/** The group of a record, or its list; missing and `''` are one (contract 4.5, rule 6). */
export const groupOf = ({ member, isList }: NonNullable<GroupMember>): Document => {
  if (!isList) return { $ifNull: [`$${member}`, ''] };
  const distinct = { $setUnion: [{ $ifNull: [`$${member}`, []] }, []] };
  return { $cond: [{ $eq: [distinct, []] }, [''], distinct] };
};

/** Where the values of a widget stand; null when its metric has no type and so no values. */
export const widgetMember = ({ metric, type }: Widget): string | null =>
  type === null ? null : metricMember(metric, type);

/** What the members of a cell's document are called: widgets have ids that may be anything. */
export const named = (what: string, at: number): string => `${what}${at}`;

const has = (value: string): Document => ({ $cond: [{ $gt: [value, null] }, 1, 0] });

/**
 * Count, sum, least, greatest and so on of each widget, and the records: one document a cell.
 * `collects`: with the sessions, requests and ranks that `Collected` has, from the same pass over
 * the records, for as many as one stage can hold.
 */
export const measureStages = (
  plan: AggregatePlan,
  { stages, cell }: CellPlan,
  collects: Collected | null,
  cellsMax: number,
): readonly Document[] => {
  const measured = plan.widgets.flatMap((widget, at): [string, Document][] => {
    const member = widgetMember(widget);
    if (member === null || widget.type === 'text') return [];
    const value = `$${member}`;
    return [[named('count', at), { $sum: has(value) }], ...measureOf(widget, value, at)];
  });
  const sets = (collects?.distinct ?? []).map((member, at) => ({
    member,
    name: named('distinct', at),
  }));
  const lists = [...(collects?.percents ?? [])].map(([member, percents], at) => ({
    member,
    percents,
    name: named('values', at),
    ranks: named('ranks', at),
  }));
  const counted = sets.map(({ name }) => [name, { $size: `$${name}` }]);
  const sorted = lists.map(({ name }) => [name, { $sortArray: { input: `$${name}`, sortBy: 1 } }]);
  const ranked = lists.map(({ name, percents, ranks }) => [
    ranks,
    ranksIn(`$${name}`, [...percents]),
  ]);
  return [
    ...stages,
    {
      $group: {
        _id: cell,
        records: { $sum: 1 },
        spans: { $sum: '$spans' },
        ...Object.fromEntries(measured),
        ...Object.fromEntries(sets.map(({ name, member }) => [name, { $addToSet: `$${member}` }])),
        ...Object.fromEntries(lists.map(({ name, member }) => [name, { $push: `$${member}` }])),
      },
    },
    { $limit: cellsMax },
    ...[
      { $set: Object.fromEntries([...counted, ...sorted]) },
      { $set: Object.fromEntries(ranked) },
      { $project: Object.fromEntries(lists.map(({ name }) => [name, 0])) },
    ].filter((stage) => Object.values(stage).some((one) => Object.keys(one).length > 0)),
  ];
};

/** What is collected of each cell beside its sums. */
export type Collected = {
  /** Members whose different values are counted: `distinct0` … */
  readonly distinct: readonly string[];
  /** Percentiles by member: `ranks0` … has `p50` … of the first. */
  readonly percents: ReadonlyMap<string, ReadonlySet<number>>;
};

const measureOf = (
  { aggregation }: Widget,
  value: string,
  at: number,
): readonly [string, Document][] => {
  switch (aggregation) {
    case 'Sum':
    case 'Average':
      return [[named('sum', at), { $sum: value }]];
    case 'Min':
      return [[named('value', at), { $min: value }]];
    case 'Max':
      return [[named('value', at), { $max: value }]];
    case 'PercentageTrue':
    case 'PercentageFalse': {
      const wanted = aggregation === 'PercentageTrue';
      return [[named('hits', at), { $sum: { $cond: [{ $eq: [value, wanted] }, 1, 0] } }]];
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

/** How many different values of a member a cell has. */
export const distinctStages = ({ stages, cell }: CellPlan, member: string): readonly Document[] => [
  { $match: { [member]: { $exists: true } } },
  ...stages,
  { $group: { _id: { cell: cell ?? nowhere, seen: `$${member}` } } },
  { $group: { _id: '$_id.cell', count: { $sum: 1 } } },
];
const nowhere = { $literal: null };

/** How often each value of a text metric is in each cell: `_id` is a cell and a value. */
export const categoryStages = ({ stages, cell }: CellPlan, member: string): readonly Document[] => [
  { $match: { [member]: { $exists: true } } },
  ...stages,
  { $group: { _id: { cell: cell ?? nowhere, value: compared(member) }, count: { $sum: 1 } } },
];

/** Percentiles by nearest rank, exactly, of sorted values: `p50` … */
const ranksIn = (values: string, percents: readonly number[]): Document =>
  Object.fromEntries(
    percents.map((percent) => {
      const rank = { $subtract: [rankOf(percent, { $size: values }), 1] };
      return [`p${percent}`, { $arrayElemAt: [values, { $toInt: rank }] }];
    }),
  );

/**
 * The same for any number of values, on the server's disk when need be: equal ones are counted, the
 * counts are added up in the order of the values, and the first value that reaches the rank is it.
 * One document a cell.
 */
export const rankStages = (
  cells: CellPlan,
  member: string,
  percents: readonly number[],
): readonly Document[] => {
  const upTo = (end: 'current' | 'unbounded') => ({
    $sum: '$count',
    window: { documents: ['unbounded', end] },
  });
  const reached = (percent: number) => ({
    $min: { $cond: [{ $gte: ['$upToHere', rankOf(percent, '$all')] }, '$_id.value', null] },
  });
  return [
    ...categoryStages(cells, member),
    {
      $setWindowFields: {
        partitionBy: '$_id.cell',
        sortBy: { '_id.value': 1 },
        output: { upToHere: upTo('current'), all: upTo('unbounded') },
      },
    },
    {
      $group: {
        _id: '$_id.cell',
        ...Object.fromEntries(percents.map((percent) => [`p${percent}`, reached(percent)])),
      },
    },
  ];
};

/** Of n values in ascending order the one at ⌈P·n/100⌉, counted from 1 (contract 4.5). */
const rankOf = (percent: number, count: string | Document): Document => ({
  $ceil: { $divide: [{ $multiply: [percent, count] }, 100] },
});
