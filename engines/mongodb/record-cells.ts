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

/** One document for each cell that a record counts in: `cell` and what `kept` says. */
export const cellStages = (
  plan: Pick<AggregatePlan, 'intervalMinutes'>,
  group: GroupMember,
  kept: Readonly<Record<string, string | Document | readonly Document[]>>,
): readonly Document[] => [
  {
    $project: {
      _id: 0,
      ...kept,
      cell: {
        $concatArrays: [
          [null],
          {
            $map: {
              input: groupsOf(group),
              as: 'group',
              in: { group: '$$group', bucket: bucketOf(plan.intervalMinutes) },
            },
          },
        ],
      },
    },
  },
  { $unwind: '$cell' },
];

/** The groups of a record; missing and `''` are one (contract 4.5, rule 6). */
export const groupsOf = (group: GroupMember): Document | readonly Document[] => {
  if (group === null) return { $literal: [''] };
  const { member, isList } = group;
  if (!isList) return [{ $ifNull: [`$${member}`, ''] }];
  const distinct = { $setUnion: [{ $ifNull: [`$${member}`, []] }, []] };
  return { $cond: [{ $eq: [distinct, []] }, [''], distinct] };
};

const bucketOf = (intervalMinutes: number): Document => ({
  $floor: { $divide: ['$minute', intervalMinutes] },
});

/** Where the values of a widget stand; null when its metric has no type and so no values. */
export const widgetMember = ({ metric, type }: Widget): string | null =>
  type === null ? null : metricMember(metric, type);

/** What the members of a cell's document are called: widgets have ids that may be anything. */
export const named = (what: string, at: number): string => `${what}${at}`;

const has = (value: string): Document => ({ $cond: [{ $gt: [value, null] }, 1, 0] });

/** Count, sum, least, greatest and so on of each widget, and the records of the cell. */
export const measureStages = (
  plan: AggregatePlan,
  group: GroupMember,
  cellsMax: number,
): readonly Document[] => {
  const members = plan.widgets.map(widgetMember);
  const kept = Object.fromEntries(
    members.flatMap((member, at) => (member === null ? [] : [[named('w', at), `$${member}`]])),
  );
  const measured = plan.widgets.flatMap((widget, at): [string, Document][] => {
    if (members[at] === null || widget.type === 'text') return [];
    const value = `$${named('w', at)}`;
    return [[named('count', at), { $sum: has(value) }], ...measureOf(widget, value, at)];
  });
  return [
    ...cellStages(plan, group, { ...kept, spans: '$spans' }),
    {
      $group: {
        _id: '$cell',
        records: { $sum: 1 },
        spans: { $sum: '$spans' },
        ...Object.fromEntries(measured),
      },
    },
    { $limit: cellsMax },
  ];
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

/**
 * How many different values of each member a cell has: `_id` is a cell and a place in `members`.
 */
export const distinctStages = (
  plan: AggregatePlan,
  group: GroupMember,
  members: readonly string[],
): readonly Document[] => [
  ...cellStages(plan, group, {
    seen: members.map((member, at) => ({ at: { $literal: at }, value: `$${member}` })),
  }),
  { $unwind: '$seen' },
  { $match: { 'seen.value': { $exists: true } } },
  { $group: { _id: { cell: '$cell', seen: '$seen' } } },
  { $group: { _id: { cell: '$_id.cell', at: '$_id.seen.at' }, count: { $sum: 1 } } },
];

/** How often each value of a text metric is in each cell: `_id` is a cell and a value. */
export const categoryStages = (
  plan: AggregatePlan,
  group: GroupMember,
  member: string,
): readonly Document[] => [
  { $match: { [member]: { $exists: true } } },
  ...cellStages(plan, group, { value: compared(member) }),
  { $group: { _id: { cell: '$cell', value: '$value' }, count: { $sum: 1 } } },
];

/** Percentiles by nearest rank, exactly; one document a cell with `p50` … */
export const rankStages = (
  plan: AggregatePlan,
  group: GroupMember,
  member: string,
  percents: readonly number[],
  isFew: boolean,
): readonly Document[] =>
  isFew
    ? sortedValues(plan, group, member, percents)
    : countedValues(plan, group, member, percents);

/** Values that the server can sort in memory: a list of doubles for each cell, twice 8 MB. */
export const fewValues = 500_000;

const sortedValues = (
  plan: AggregatePlan,
  group: GroupMember,
  member: string,
  percents: readonly number[],
): readonly Document[] => {
  const at = (percent: number) => ({
    $arrayElemAt: [
      '$values',
      { $toInt: { $subtract: [rankOf(percent, { $size: '$values' }), 1] } },
    ],
  });
  return [
    { $match: { [member]: { $exists: true } } },
    ...cellStages(plan, group, { value: `$${member}` }),
    { $group: { _id: '$cell', values: { $push: '$value' } } },
    { $set: { values: { $sortArray: { input: '$values', sortBy: 1 } } } },
    { $project: Object.fromEntries(percents.map((percent) => [`p${percent}`, at(percent)])) },
  ];
};

/**
 * For any number of values, on the server's disk when need be: equal ones are counted, the counts
 * are added up in the order of the values, and the first value that reaches the rank is it.
 */
const countedValues = (
  plan: AggregatePlan,
  group: GroupMember,
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
    ...categoryStages(plan, group, member),
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
